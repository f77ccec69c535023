"""How far raters agree, what a batch will buy, and what a snapshot says."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from survey_site.quality.assessment import Assessment
from survey_site.quality.kept import Known
from survey_site.quality.precision import Option
from survey_site.survey.rating.marked import MarkSummary

NUMBER = {"allow_null": True}


class IntervalShape(serializers.Serializer):
    low = serializers.FloatField(**NUMBER)
    high = serializers.FloatField(**NUMBER)


class AgreementShape(serializers.Serializer):
    coefficient = serializers.CharField()
    title = serializers.CharField()
    estimate = serializers.FloatField(**NUMBER)
    interval = IntervalShape(allow_null=True)
    reason = serializers.CharField(allow_null=True, help_text="Why there is none.")


class PositionsShape(serializers.Serializer):
    pages = serializers.IntegerField()
    p_positions = serializers.FloatField(**NUMBER)
    trend = serializers.FloatField(**NUMBER)
    p_trend = serializers.FloatField(**NUMBER)
    side_shift = serializers.FloatField(**NUMBER)
    p_sides = serializers.FloatField(**NUMBER)
    reason = serializers.CharField(allow_null=True)


class AssessmentShape(serializers.Serializer):
    ratings = serializers.IntegerField()
    units = serializers.IntegerField(help_text="Pairs with two ratings or more.")
    single = serializers.IntegerField(help_text="Pairs with one rating.")
    repeated = serializers.IntegerField(help_text="Second ratings of one pair by one rater, left out.")
    resampled = serializers.CharField(help_text="documents or pairs: what the intervals rest on.")
    agreements = AgreementShape(many=True)
    table = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        help_text="Two ratings of one pair in both orders, by the points 1 to 6.",
    )
    positions = PositionsShape(allow_null=True, help_text="Null where nobody knows where the items stood.")


class ControlShape(serializers.Serializer):
    kind = serializers.CharField()
    counts = serializers.ListField(child=serializers.IntegerField(), help_text="Of the points 1 to 6.")
    failed = serializers.IntegerField()


class MarkReasonShape(serializers.Serializer):
    reason = serializers.CharField()
    marks = serializers.IntegerField()


class MarksShape(serializers.Serializer):
    marks = serializers.IntegerField()
    raters = serializers.IntegerField()
    pages = serializers.IntegerField(help_text="Submitted ones that do not count for their marks.")
    given_up = serializers.IntegerField(help_text="Pairs that nobody is asked about any more.")
    by_reason = MarkReasonShape(many=True)


class QualityShape(serializers.Serializer):
    at = serializers.DateTimeField(allow_null=True, help_text="When it was found out; null before that.")
    fresh = serializers.BooleanField(help_text="Whether nothing has changed since.")
    awaited = serializers.BooleanField(help_text="Whether a worker finds it out anew.")
    checked = serializers.IntegerField(help_text="Raters that the checks looked at.")
    flagged = serializers.IntegerField(help_text="Those on whom somebody is to decide.")
    assessment = AssessmentShape(allow_null=True)
    controls = ControlShape(many=True)
    marks = MarksShape(allow_null=True, help_text="Null where raters cannot mark pairs.")


class PageOfRaterShape(serializers.Serializer):
    questionnaire = serializers.IntegerField(source="assignment.questionnaire.number")
    submitted_at = serializers.DateTimeField(source="assignment.submitted_at")
    values = serializers.ListField(child=serializers.IntegerField(), help_text="In the order of the page.")
    marks = serializers.IntegerField(help_text="Pairs that the rater could not judge.")
    fills_place = serializers.BooleanField(help_text="Whether the questionnaire is complete with it.")
    seconds = serializers.FloatField(help_text="From claim to submit, pauses included.")
    timed = serializers.BooleanField(help_text="Whether these seconds say something of a person.")
    straight = serializers.BooleanField()
    hurried = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True, help_text="Why it is excluded; empty where it counts.")


class OneRaterShape(serializers.Serializer):
    at = serializers.DateTimeField(
        source="known.at",
        allow_null=True,
        help_text="When the flags were found out that need others beside the rater; null before that.",
    )
    fresh = serializers.BooleanField(source="known.is_fresh", help_text="Whether nothing has changed since.")
    awaited = serializers.BooleanField(
        source="known.awaited", help_text="Whether a worker finds it out anew."
    )
    code = serializers.CharField(source="seen.rater.code")
    simulated = serializers.BooleanField(source="seen.rater.simulated")
    flags = serializers.ListField(source="seen.flags", child=serializers.CharField())
    excluded = serializers.IntegerField(source="seen.excluded", help_text="Pages that do not count.")
    controls = ControlShape(source="seen.controls", many=True)
    submitted = PageOfRaterShape(source="seen.submitted", many=True)


class PrecisionQuery(serializers.Serializer):
    """What is assumed, in points of the scale of 1 to 6; what is left out is as on the page."""

    correlation = serializers.FloatField(required=False, min_value=-0.99, max_value=0.99)
    other = serializers.FloatField(required=False, min_value=-0.99, max_value=0.99)
    between = serializers.FloatField(required=False, min_value=-0.99, max_value=0.99)
    system_sd = serializers.FloatField(required=False, min_value=0.01, max_value=5)
    interaction_sd = serializers.FloatField(required=False, min_value=0, max_value=5)
    error_sd = serializers.FloatField(required=False, min_value=0, max_value=5)
    earlier = serializers.IntegerField(
        required=False, min_value=1, help_text="A launched batch whose ratings say the three deviations."
    )
    rate = serializers.FloatField(
        required=False, min_value=0, max_value=100_000, help_text="What an hour of a rater costs."
    )


class AssumptionsShape(serializers.Serializer):
    correlation = serializers.FloatField()
    other = serializers.FloatField()
    between = serializers.FloatField(**NUMBER)
    system_sd = serializers.FloatField()
    interaction_sd = serializers.FloatField()
    error_sd = serializers.FloatField()


class CoefficientOfOptionShape(serializers.Serializer):
    coefficient = serializers.CharField()
    expected = serializers.FloatField(**NUMBER)
    low = serializers.FloatField(**NUMBER)
    high = serializers.FloatField(**NUMBER)
    width = serializers.FloatField(**NUMBER)
    width_systems = serializers.FloatField(**NUMBER, help_text="With other systems drawn too.")
    power = serializers.FloatField(**NUMBER, help_text="Chance that it is found above 0.")
    power_difference = serializers.FloatField(
        **NUMBER, help_text="Chance that it is told apart from the second measure."
    )


class OptionShape(serializers.Serializer):
    documents = serializers.IntegerField()
    raters = serializers.IntegerField()
    planned = serializers.BooleanField(help_text="Whether it is the batch as it is planned.")
    questionnaires = serializers.IntegerField(source="effort.questionnaires")
    ratings = serializers.IntegerField(source="effort.ratings")
    hours = serializers.FloatField(source="effort.hours")
    cost = serializers.FloatField(**NUMBER)
    coefficients = serializers.SerializerMethodField()

    def get_coefficients(self, option: Option) -> list[dict[str, Any]]:
        return [
            CoefficientOfOptionShape(
                {
                    "coefficient": name,
                    **{field: getattr(one, field) for field in _WIDTHS},
                    "power": option.power[name].coefficient,
                    "power_difference": option.power[name].difference,
                }
            ).data
            for name, one in option.precision.items()
        ]


_WIDTHS = ("expected", "low", "high", "width", "width_systems")


class PrecisionShape(serializers.Serializer):
    assumptions = AssumptionsShape()
    options = OptionShape(many=True)


class ReopenedShape(serializers.Serializer):
    released = serializers.IntegerField(help_text="Places given back; answers that were given are kept.")


class SnapshotShape(serializers.Serializer):
    content_hash = serializers.CharField(help_text="What reports cite.")
    ratings = serializers.IntegerField(source="total")
    withdrawn = serializers.IntegerField(help_text="Ratings withdrawn since.")
    intact = serializers.BooleanField(allow_null=True, help_text="Null before the first check has ended.")
    checked_at = serializers.DateTimeField(allow_null=True)
    awaited = serializers.BooleanField(help_text="Whether a worker is at it.")
    error = serializers.CharField(allow_blank=True, help_text="Why it could not be checked.")


def assessment_record(found: Assessment) -> dict[str, Any]:
    report = found.agreement
    return {
        **{"ratings": found.ratings, "units": report.units, "single": report.single},
        **{"repeated": found.repeated, "resampled": found.resampled, "agreements": report.agreements},
        **{"table": report.table.tolist(), "positions": found.positions},
    }


def quality_record(known: Known, *, flagged: int, marks: MarkSummary | None) -> Mapping[str, Any]:
    """All that is shown of it, as the shape reads it."""
    found = known.findings
    return {
        **{"at": known.at, "fresh": known.is_fresh, "awaited": known.awaited},
        **{"checked": len(known.raters), "flagged": flagged},
        "assessment": assessment_record(found.assessment) if found else None,
        "controls": found.controls if found else [],
        "marks": marks and marks_record(marks),
    }


def marks_record(found: MarkSummary) -> dict[str, Any]:
    reasons = [{"reason": words, "marks": number} for words, number in found.by_reason]
    return {
        **{"marks": found.marks, "raters": found.raters, "pages": found.pages},
        **{"given_up": len(found.given_up), "by_reason": reasons},
    }
