"""Language models as raters of a batch: planned, begun once it was seen what leaves, watched, ended, read."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, InOrder, ListView, checked
from survey_site.api.forms_of_answers import AnyRenderer, file_answers
from survey_site.api.headers import IDEMPOTENCY
from survey_site.api.idempotency import once
from survey_site.api.shapes.models import (
    ModelRunShape,
    ModelRunsShape,
    ModelsPlanShape,
    ModelsQuestion,
    ModelsRequest,
    ModelsShape,
)
from survey_site.batches.models import Batch
from survey_site.common.errors import ConflictError, InvalidInputError
from survey_site.model_raters.choices import choices_of
from survey_site.model_raters.files import FILES, take_run_file
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.planning import begin, host_of, prepared_for, seen_of, server, total_of
from survey_site.model_raters.queries import configured_models, find_batch, find_rater, runs_of
from survey_site.model_raters.services import cancel_run, require_rateable, retry_run
from survey_site.model_raters.tasks import enqueue_model_run


class Models(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="list_models", summary="The models that the operator set up", responses=ModelsShape
    )
    def get(self, _request: Request) -> Response:
        said = {"models": configured_models(), "host": server()}
        return Response(ModelsShape({**said, "tokens_per_run": settings.CONCORD_LLM_TOKENS_PER_RUN}).data)


def _rateable(pk: int) -> Batch:
    batch = find_batch(pk)
    if not configured_models():
        raise Http404
    require_rateable(batch)
    return batch


class PlanModels(ApiView):
    scopes = {"POST": Scope.MODELS}

    @extend_schema(
        operation_id="plan_models",
        summary="What models would be sent, and what it costs at most",
        description="Nothing is sent. Questions that were answered before are not asked again.",
        request=ModelsQuestion,
        responses=ModelsPlanShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        batch, choices = _rateable(pk), choices_of(checked(ModelsQuestion, request))
        prepared = prepared_for(batch, choices)
        shown = {"host": host_of(prepared), "models": prepared, "total": total_of(prepared)}
        return Response(ModelsPlanShape({**shown, "seen": seen_of(prepared)}).data)


class ModelRuns(ListView):
    queryset = ModelRun.objects.none()
    serializer_class = ModelRunShape
    pagination_class = InOrder
    scopes = {"GET": Scope.READ, "POST": Scope.MODELS}

    @extend_schema(operation_id="list_model_runs", summary="The models that rated or rate a batch")
    def get(self, _request: Request, pk: int) -> Response:
        return self.page(runs_of(find_batch(pk)))

    @extend_schema(
        operation_id="begin_models",
        summary="Let models rate a batch",
        description="First ask for the plan, and send its `seen` with the same choices: what has changed "
        "since is refused with 409. The same questions about a batch give the same run.",
        parameters=[IDEMPOTENCY],
        request=ModelsRequest,
        responses={202: ModelRunsShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        asked, batch = checked(ModelsRequest, request), _rateable(pk)
        if not asked["confirmed"]:
            words = "Confirm that these texts may be sent there."
            raise InvalidInputError("It is not confirmed.", action=words, fields={"confirmed": [words]})
        prepared = prepared_for(batch, choices_of(asked))

        def make() -> Response:
            if asked["seen"] != seen_of(prepared):
                raise ConflictError(
                    "This is not what you were shown: something has changed, or you chose otherwise.",
                    action="Ask for the plan again, look at it, then send its `seen`.",
                )
            runs = begin(batch=batch, prepared=prepared, by=request.user, now=request._request.now)
            rows = runs_of(batch).filter(pk__in=[one.pk for one in runs])
            headers = {"Location": reverse("api:model-runs", args=[batch.pk])}
            return Response(ModelRunsShape({"runs": rows}).data, HTTPStatus.ACCEPTED, headers=headers)

        return once(request, request.data, make)


def _shown(run: ModelRun) -> Any:
    return ModelRunShape(get_object_or_404(runs_of(run.batch), pk=run.pk)).data


class OneModelRun(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_model_run", summary="One model's run: how far it is", responses=ModelRunShape
    )
    def get(self, _request: Request, pk: int, run: int) -> Response:
        return Response(_shown(find_rater(pk, run)))


class CancelModelRun(ApiView):
    scopes = {"POST": Scope.MODELS}

    @extend_schema(
        operation_id="cancel_model_run",
        summary="End a model's run; what was answered is kept, and one that is over stays as it is",
        request=None,
        responses=ModelRunShape,
    )
    def post(self, request: Request, pk: int, run: int) -> Response:
        row = find_rater(pk, run)
        return Response(_shown(cancel_run(run=row, now=request._request.now, by=request.user)))


class RetryModelRun(ApiView):
    scopes = {"POST": Scope.MODELS}

    @extend_schema(
        operation_id="retry_model_run",
        summary="Go on with a run that failed or was cancelled; any other stays as it is",
        request=None,
        responses={202: ModelRunShape},
    )
    def post(self, request: Request, pk: int, run: int) -> Response:
        with transaction.atomic():
            row = retry_run(run=find_rater(pk, run), now=request._request.now, by=request.user)
            if row.is_unfinished:
                enqueue_model_run(row)
        return Response(_shown(row), HTTPStatus.ACCEPTED)


class ModelFile(ApiView):
    renderer_classes = [AnyRenderer]
    scopes = {"GET": Scope.RATINGS}

    @extend_schema(
        operation_id="read_model_file",
        summary="What a model said, once it is done",
        description="`ratings`: a row a pair, whole numbers, in the columns of exports; `means`: unrounded, "
        "with each order's; `answers.jsonl`: every answer with its raw text. That somebody takes it is "
        "written down.",
        parameters=[OpenApiParameter("file", str, OpenApiParameter.PATH, enum=list(FILES))],
        responses=file_answers(kind for kind, _ in FILES.values()),
    )
    def get(self, request: Request, pk: int, run: int, file: str) -> HttpResponse:
        by, now = request.user, request._request.now
        name, kind, text = take_run_file(run=find_rater(pk, run), file=file, by=by, now=now)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return HttpResponse(text, content_type=kind, headers=headers)
