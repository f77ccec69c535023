"""Language models as raters: what the operator allows, what a run would take, and runs."""

from typing import Any
from urllib.parse import urlsplit

from rest_framework import serializers

from survey_site.model_raters.choices import MOST_DRAWS
from survey_site.model_raters.models import ModelRun
from survey_site.scoring.models import JobStatus


class ModelsShape(serializers.Serializer):
    models = serializers.ListField(child=serializers.CharField(), help_text="Empty where none is set up.")
    host = serializers.CharField(help_text="The server to which texts are sent; empty without models.")
    tokens_per_run = serializers.IntegerField(help_text="The most that one run may need.")


class ModelsQuestion(serializers.Serializer):
    """Which models are asked, and how; what is left out stands as the site's form begins."""

    models = serializers.ListField(child=serializers.CharField(max_length=120), min_length=1)
    both_orders = serializers.BooleanField(default=True, help_text="Each pair with either text first.")
    explain = serializers.BooleanField(default=False, help_text="A reason is asked for before the rating.")
    draws = serializers.IntegerField(default=1, min_value=1, max_value=MOST_DRAWS)
    temperature = serializers.FloatField(default=0, min_value=0, max_value=2)


class ModelsRequest(ModelsQuestion):
    seen = serializers.CharField(max_length=64, help_text="Of the plan: what it said is what is confirmed.")
    confirmed = serializers.BooleanField(help_text="That these texts may be sent to that server.")


class ExampleMessageShape(serializers.Serializer):
    role = serializers.CharField()
    content = serializers.CharField()


class PlannedModelShape(serializers.Serializer):
    model = serializers.CharField(source="choice.model")
    pairs = serializers.SerializerMethodField()
    requests = serializers.IntegerField(source="expected.requests", help_text="In all.")
    new = serializers.IntegerField(source="expected.new", help_text="Of these, not answered before.")
    prompt_tokens = serializers.IntegerField(source="expected.prompt_tokens")
    completion_tokens = serializers.IntegerField(source="expected.most_completion_tokens")
    cost = serializers.FloatField(
        source="expected.cost", allow_null=True, help_text="The most; null where no price is set."
    )
    above_limit = serializers.BooleanField(help_text="Whether it may need more tokens than a run may.")
    example = ExampleMessageShape(many=True, help_text="The first question, word for word.")

    def get_pairs(self, planned: Any) -> int:
        return len(planned.pairs)


class ModelsTotalShape(serializers.Serializer):
    requests = serializers.IntegerField(help_text="That would be sent.")
    kept = serializers.IntegerField(help_text="That were answered before and cost nothing.")
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField(help_text="The most.")
    cost = serializers.FloatField(allow_null=True)


class ModelsPlanShape(serializers.Serializer):
    host = serializers.CharField(help_text="The server to which the texts would be sent.")
    models = PlannedModelShape(many=True)
    total = ModelsTotalShape()
    seen = serializers.CharField(help_text="Send it back to begin.")


class ModelRunShape(serializers.ModelSerializer):
    state = serializers.ChoiceField(source="status", choices=JobStatus.choices)
    percent = serializers.IntegerField()
    model = serializers.CharField(source="options.model")
    both_orders = serializers.BooleanField(source="options.both_orders")
    explain = serializers.BooleanField(source="options.explain")
    draws = serializers.IntegerField(source="options.draws")
    temperature = serializers.FloatField(source="options.temperature")
    hosts = serializers.SerializerMethodField(help_text="Every server to which its texts were sent.")
    pairs = serializers.IntegerField()
    rated = serializers.IntegerField(help_text="Pairs with a rating.")
    mean_rating = serializers.FloatField(allow_null=True, help_text="Null while there is none.")
    cost = serializers.FloatField(allow_null=True, help_text="So far; null where no price was set.")

    class Meta:
        model = ModelRun
        fields: tuple[str, ...] = (
            *("id", "batch", "name", "model", "state", "percent", "done", "total", "error", "note"),
            *("both_orders", "explain", "draws", "temperature", "hosts", "pairs", "rated", "mean_rating"),
            *("requests", "prompt_tokens", "completion_tokens", "cost"),
            *("created_at", "started_at", "finished_at", "cancelled_at"),
        )
        read_only_fields = fields

    def get_hosts(self, run: ModelRun) -> list[str]:
        return [urlsplit(one).netloc for one in run.hosts]


class ModelRunsShape(serializers.Serializer):
    runs = ModelRunShape(many=True)
