"""How far raters agree, what each rater did, what a batch will buy, and whether its snapshot is intact."""

from dataclasses import asdict
from typing import Any

from django.core.exceptions import ValidationError
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from meta_eval.stats.raters.precision import Assumptions
from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, queried
from survey_site.api.shapes.quality import (
    OneRaterShape,
    PrecisionQuery,
    PrecisionShape,
    QualityShape,
    SnapshotShape,
    quality_record,
)
from survey_site.batches.models import Batch
from survey_site.desk.lookup import get_batch, get_launched
from survey_site.desk.quality.forms import PrecisionForm
from survey_site.quality.checking import Checked, check_again, checked_of
from survey_site.quality.decided import decide_on, to_decide_on
from survey_site.quality.kept import look_into
from survey_site.quality.models import Snapshot
from survey_site.quality.one_rater import look_at_rater
from survey_site.quality.precision import compare_options
from survey_site.quality.tasks import ask_for_check, ask_workers
from survey_site.survey.rating.marked import summarise_marks
from survey_site.uploads.queries import upload_of


class Quality(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_quality",
        summary="How far raters agree, what positions do, how controls were rated",
        description="No rater is named. `at` says as of when; of many ratings a worker finds it out.",
        responses=QualityShape,
    )
    def get(self, request: Request, pk: int) -> Response:
        batch = get_launched(pk)
        known = look_into(batch, now=request._request.now, ask=ask_workers)
        flagged = len(to_decide_on(decide_on(batch, known.findings))) if known.findings else 0
        marks = summarise_marks(batch) if batch.marks_allowed and not upload_of(batch) else None
        return Response(QualityShape(quality_record(known, flagged=flagged, marks=marks)).data)


class OneRater(ApiView):
    scopes = {"GET": Scope.RATINGS}

    @extend_schema(
        operation_id="read_rater",
        summary="What one rater did, page by page",
        description="Pages are as they are now. Flags that need others beside the rater are as of `at`.",
        parameters=[OpenApiParameter("code", str, OpenApiParameter.PATH, description="The pseudonym.")],
        responses=OneRaterShape,
    )
    def get(self, request: Request, pk: int, code: str) -> Response:
        batch = get_launched(pk)
        known = look_into(batch, now=request._request.now, ask=ask_workers)
        seen = look_at_rater(batch, code, known)
        return Response(OneRaterShape({"seen": seen, "known": known}).data)


class Precision(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="plan_precision",
        summary="What a batch will buy: intervals and chances by number of documents and raters",
        description="The batch as planned, half, twice and four times its documents, one and two raters "
        "more, under assumptions that you state. Nothing is stored.",
        parameters=[PrecisionQuery],
        responses=PrecisionShape,
    )
    def get(self, request: Request, pk: int) -> Response:
        batch, stated = get_batch(pk), queried(PrecisionQuery, request)
        form = PrecisionForm({**asdict(Assumptions()), **stated}, user=request.user)
        if not form.is_valid():
            raise ValidationError(form.errors.as_data())
        assumptions = form.assumptions()
        options = compare_options(batch, assumptions, rate=form.cleaned_data["rate"])
        return Response(PrecisionShape({"assumptions": assumptions, "options": options}).data)


def _shown(snapshot: Snapshot, found: Checked) -> Response:
    record: dict[str, Any] = {
        **{name: getattr(snapshot, name) for name in ("content_hash", "total", "withdrawn")},
        **{"intact": found.intact, "checked_at": found.at},
        **{"awaited": found.awaited, "error": found.error},
    }
    return Response(SnapshotShape(record).data)


def _snapshot(batch: Batch) -> Snapshot:
    return get_object_or_404(Snapshot.objects.defer("head"), batch=batch)


class SnapshotOfBatch(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.READ}

    @extend_schema(
        operation_id="read_snapshot",
        summary="The hash of a frozen batch, and whether its snapshot still has it",
        responses=SnapshotShape,
    )
    def get(self, request: Request, pk: int) -> Response:
        found = _snapshot(get_launched(pk))
        return _shown(found, checked_of(found, now=request._request.now, ask=ask_for_check))

    @extend_schema(
        operation_id="check_snapshot",
        summary="Hash every row of a snapshot anew",
        description="It changes nothing of the batch. Of a large one a worker does it: `awaited`.",
        request=None,
        responses=SnapshotShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        found = _snapshot(get_launched(pk))
        return _shown(found, check_again(found, now=request._request.now, ask=ask_for_check))
