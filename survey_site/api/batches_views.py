"""Batches as they are: plan, state, progress, checks before the launch, questionnaires, raters."""

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, InOrder, ListView
from survey_site.api.filters import BatchFilterSet
from survey_site.api.shapes.batches import (
    BatchShape,
    CheckShape,
    ExclusionShape,
    OneBatchShape,
    PlanShape,
    ProgressShape,
    QuestionnaireShape,
    RaterShape,
    progress_record,
)
from survey_site.batches.launch_rules import Check, check_launch
from survey_site.batches.models import Batch, Questionnaire
from survey_site.batches.queries import SUBMITTED, batch_list, batch_progress, rater_totals
from survey_site.common.errors import ConflictError
from survey_site.desk.batches.launching.facts import gather_facts
from survey_site.desk.lookup import get_batch, get_launched
from survey_site.quality.kept import look_into
from survey_site.quality.models import Exclusion
from survey_site.quality.queries import exclusions_of
from survey_site.quality.tasks import ask_workers
from survey_site.survey.models import Rater
from survey_site.survey.people.participation import read_participation
from survey_site.uploads.queries import plan_of


class Batches(ListView):
    queryset = Batch.objects.none()
    serializer_class = BatchShape
    filterset_class = BatchFilterSet
    scopes = {"GET": Scope.READ}

    @extend_schema(operation_id="list_batches", summary="All batches, newest first")
    def get(self, _request: Request) -> Response:
        return self.page(batch_list().select_related("upload"))


class OneBatch(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_batch", summary="Settings and state of a batch", responses=OneBatchShape
    )
    def get(self, _request: Request, pk: int) -> Response:
        return Response(OneBatchShape(get_batch(pk)).data)


class Plan(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_plan", summary="The plan, questionnaire by questionnaire", responses=PlanShape
    )
    def get(self, _request: Request, pk: int) -> Response:
        return Response(plan_of(get_batch(pk)))


class Progress(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_progress", summary="How far a launched batch is", responses=ProgressShape
    )
    def get(self, request: Request, pk: int) -> Response:
        progress = batch_progress(get_launched(pk), now=request._request.now)
        return Response(ProgressShape(progress_record(progress)).data)


class Checks(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="check_launch",
        summary="What is checked before a draft is launched",
        responses=CheckShape(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        batch = get_batch(pk)
        if not batch.is_draft:
            raise ConflictError(f"Batch “{batch}” is launched: nothing is checked any more.")
        return Response(CheckShape(checks_of(request, batch), many=True).data)


def checks_of(request: Request, batch: Batch) -> list[Check]:
    """A program sees no preview, so that this check always warns."""
    participation = read_participation(batch)
    facts = gather_facts(batch, participation, previewed=False, rate=None, now=request._request.now)
    return check_launch(facts)


class Questionnaires(ListView):
    queryset = Questionnaire.objects.none()
    serializer_class = QuestionnaireShape
    pagination_class = InOrder

    @extend_schema(
        operation_id="list_questionnaires",
        summary="The questionnaires of a batch and how many raters completed each",
    )
    def get(self, _request: Request, pk: int) -> Response:
        rows = get_batch(pk).questionnaires.select_related("document", "reader_a", "reader_b")
        return self.page(rows.annotate(submitted_count=Count("assignments", filter=SUBMITTED)))


class WithChecks(InOrder):
    """Pages that say besides how old the findings in their rows are."""

    def get_paginated_response_schema(self, schema: Any) -> Any:
        said: dict[str, Any] = super().get_paginated_response_schema(schema)
        said["properties"]["checks"] = {
            "type": "object",
            "required": ["at", "fresh", "awaited"],
            "properties": {
                "at": {
                    "type": ["string", "null"],
                    "format": "date-time",
                    "description": "When the checks were made; null before the first time.",
                },
                "fresh": {"type": "boolean", "description": "Whether nothing has changed since."},
                "awaited": {"type": "boolean", "description": "Whether a worker makes newer ones."},
            },
        }
        return {**said, "required": [*said.get("required", []), "checks"]}


class Raters(ListView):
    queryset = Rater.objects.none()
    serializer_class = RaterShape
    pagination_class = WithChecks
    scopes = {"GET": Scope.RATINGS}

    @extend_schema(
        operation_id="list_raters",
        summary="Raters of a batch by pseudonym, with what the checks say of them",
        description="`checks` says as of when the flags are. Of many ratings a worker finds them out.",
    )
    def get(self, request: Request, pk: int) -> Response:
        batch = get_launched(pk)
        known = look_into(batch, now=request._request.now, ask=ask_workers)
        flags = {one.code: list(one.flags) for one in known.raters} if known.findings else None
        shown = self.page(rater_totals(batch).select_related("exclusion"), context={"flags": flags})
        shown.data["checks"] = {"at": known.at, "fresh": known.is_fresh, "awaited": known.awaited}
        return shown


class Exclusions(ListView):
    queryset = Exclusion.objects.none()
    serializer_class = ExclusionShape
    pagination_class = InOrder
    scopes = {"GET": Scope.RATINGS}

    @extend_schema(operation_id="list_exclusions", summary="What an admin keeps out of the scores, and why")
    def get(self, _request: Request, pk: int) -> Response:
        return self.page(exclusions_of(get_launched(pk)))
