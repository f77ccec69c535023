"""What is done with batches: planned, launched, paused, extended, closed, frozen; raters excluded."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api import batches_views as reading
from survey_site.api.base_views import ApiView, checked
from survey_site.api.conditions import require_match, tag_of
from survey_site.api.headers import IDEMPOTENCY, IF_MATCH
from survey_site.api.idempotency import once
from survey_site.api.planning import plan_batch_asked
from survey_site.api.shapes.batches import (
    ExclusionRequest,
    ExclusionShape,
    ExtendRequest,
    LaunchRequest,
    OneBatchShape,
    PlanRequest,
)
from survey_site.batches.extending import add_documents
from survey_site.batches.launch_rules import Level, refuses
from survey_site.batches.models import Batch
from survey_site.batches.services import add_raters, close_batch, launch_batch, pause_batch, resume_batch
from survey_site.common.errors import ConflictError
from survey_site.common.locking import locked
from survey_site.desk.lookup import get_batch, get_launched
from survey_site.quality.freeze_jobs import ask_to_freeze
from survey_site.quality.queries import completed_assignments, exclusions_of
from survey_site.quality.services import exclude_questionnaire, exclude_rater, undo_exclusion
from survey_site.quality.tasks import ask_to_freeze_later


class Batches(reading.Batches):
    scopes = {"GET": Scope.READ, "POST": Scope.BATCHES}

    @extend_schema(
        operation_id="plan_batch",
        summary="Plan a batch",
        description="A draft, which nobody rates before its launch.",
        parameters=[IDEMPOTENCY],
        request=PlanRequest,
        responses={201: OneBatchShape},
    )
    def post(self, request: Request) -> Response:
        asked = checked(PlanRequest, request)

        def make() -> Response:
            batch = plan_batch_asked(asked, by=request.user, now=request._request.now)
            return shown(batch, HTTPStatus.CREATED)

        return once(request, request.data, make)


class Act(ApiView):
    """Something done with a batch, under its lock, as long as it is what the program has read."""

    scopes = {"POST": Scope.BATCHES}

    def act(self, request: Request, pk: int, do: Callable[[Batch], object]) -> Response:
        with transaction.atomic():
            batch = locked_batch(request, pk)
            do(batch)
            return shown(batch)

    @staticmethod
    def by(request: Request) -> dict[str, Any]:
        """Who does it, and when."""
        return {"by": request.user, "now": request._request.now}


def locked_batch(request: Request, pk: int) -> Batch:
    """The batch under its lock, as the program has read it. Http404 where it is deleted meanwhile."""
    locked(Batch.objects.filter(pk=pk)).first()
    batch = get_batch(pk)
    require_match(request, OneBatchShape(batch).data)
    return batch


def acts(operation: str, summary: str, **more: Any) -> Any:
    """The schema of such an operation."""
    more = {"request": None, **more}
    return extend_schema(
        operation_id=operation, summary=summary, parameters=[IF_MATCH], responses=OneBatchShape, **more
    )


class Launch(Act):
    @acts(
        "launch_batch",
        "Launch a batch",
        description="Refused with 409 while a check finds an error, or a warning that is not confirmed.",
        request=LaunchRequest,
    )
    def post(self, request: Request, pk: int) -> Response:
        confirmed = checked(LaunchRequest, request)["confirmed"]

        def launch(batch: Batch) -> None:
            if batch.is_draft:
                checks = reading.checks_of(request, batch)
                if refuses(checks, confirmed=confirmed):
                    found = [one.sentence for one in checks if one.level != Level.FINE]
                    raise ConflictError(
                        " ".join(found), action="Mend the errors; send confirmed: true in spite of warnings."
                    )
            launch_batch(batch=batch, **self.by(request))

        return self.act(request, pk, launch)


class Pause(Act):
    @acts("pause_batch", "Hand out no questionnaires for a while")
    def post(self, request: Request, pk: int) -> Response:
        return self.act(request, pk, lambda batch: pause_batch(batch=batch, **self.by(request)))


class Resume(Act):
    @acts("resume_batch", "Hand out questionnaires again")
    def post(self, request: Request, pk: int) -> Response:
        return self.act(request, pk, lambda batch: resume_batch(batch=batch, **self.by(request)))


class Close(Act):
    @acts("close_batch", "Close a batch: what is begun may be finished")
    def post(self, request: Request, pk: int) -> Response:
        return self.act(request, pk, lambda batch: close_batch(batch=batch, **self.by(request)))


class Freeze(Act):
    @extend_schema(
        operation_id="freeze_batch",
        summary="Freeze a closed batch, for good",
        description="A batch of very many ratings is frozen by a worker: the answer is 202 then, `Location` "
        "is the batch, and its `freezing` says how far the worker is.",
        parameters=[IF_MATCH],
        request=None,
        responses={200: OneBatchShape, 202: OneBatchShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        with transaction.atomic():
            batch = locked_batch(request, pk)
            ask_to_freeze(batch=batch, by=request.user, clock=timezone.now, ask=ask_to_freeze_later)
            answer = shown(batch)
        if answer.data["state"] != "frozen":
            answer.status_code = HTTPStatus.ACCEPTED
            answer["Location"] = reverse("api:batch", args=[pk])
        return answer


class Extend(Act):
    @extend_schema(
        operation_id="extend_batch",
        summary="Add raters or documents to a live batch",
        description="It adds something each time: send an Idempotency-Key where it may be sent twice.",
        parameters=[IDEMPOTENCY, IF_MATCH],
        request=ExtendRequest,
        responses=OneBatchShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        asked = checked(ExtendRequest, request)

        def extend(batch: Batch) -> None:
            add = add_raters if "raters" in asked else add_documents
            add(batch=batch, **asked, **self.by(request))

        return once(request, request.data, lambda: self.act(request, pk, extend))


class Exclusions(reading.Exclusions):
    scopes = {"GET": Scope.RATINGS, "POST": Scope.BATCHES}

    @extend_schema(
        operation_id="exclude_rater",
        summary="Keep a rater, or one of their questionnaires, out of the scores",
        description="Nothing is deleted. Twice changes nothing: the exclusion that is there comes back.",
        parameters=[IDEMPOTENCY],
        request=ExclusionRequest,
        responses={201: ExclusionShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        asked, batch = checked(ExclusionRequest, request), get_launched(pk)

        def make() -> Response:
            why = {"reason": asked["reason"], "by": request.user, "now": request._request.now}
            rater = get_object_or_404(batch.people.filter(withdrawn_at=None), code=asked["rater"])
            if "questionnaire" in asked:
                pages = completed_assignments(batch).filter(rater=rater)
                page = get_object_or_404(pages, questionnaire__number=asked["questionnaire"])
                made = exclude_questionnaire(assignment=page, **why)
            else:
                made = exclude_rater(rater=rater, **why)
            address = reverse("api:exclusion", args=[batch.pk, made.pk])
            shown = ExclusionShape(made).data
            return Response(shown, status=HTTPStatus.CREATED, headers={"Location": address})

        return once(request, request.data, make)


class OneExclusion(ApiView):
    scopes = {"DELETE": Scope.BATCHES}

    @extend_schema(
        operation_id="undo_exclusion", summary="Count again what was excluded", responses={204: None}
    )
    def delete(self, request: Request, pk: int, exclusion: int) -> Response:
        found = get_object_or_404(exclusions_of(get_launched(pk)), pk=exclusion)
        undo_exclusion(exclusion=found, by=request.user, now=request._request.now)
        return Response(status=HTTPStatus.NO_CONTENT)


def shown(batch: Batch, status: int = HTTPStatus.OK) -> Response:
    """The batch as it is now, with its tag and address."""
    data = OneBatchShape(get_batch(batch.pk)).data
    headers = {"Location": reverse("api:batch", args=[batch.pk])} if status == HTTPStatus.CREATED else {}
    return Response(data, status=status, headers={**headers, "ETag": tag_of(data)})
