"""What a batch asks for, changed: a draft's plan and preview, the time window, the primary coefficient."""

from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.utils.translation import override
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api import batches_views as reading
from survey_site.api.acting_views import Act, acts, locked_batch
from survey_site.api.base_views import ApiView, checked, queried
from survey_site.api.headers import IF_MATCH
from survey_site.api.planning import change_plan_asked, primary_asked
from survey_site.api.shapes.drafts import (
    PlanChange,
    PreviewQuery,
    PreviewShape,
    PrimaryRequest,
    WindowRequest,
)
from survey_site.batches.declaring import declare_primary
from survey_site.batches.models import Batch
from survey_site.batches.planning import sketch_questionnaire
from survey_site.batches.services import delete_batch
from survey_site.batches.translations import shown_wording
from survey_site.batches.window import move_window
from survey_site.desk.lookup import get_surveyed
from survey_site.survey.pages.questionnaire import sketch_order, sketch_view


class OneBatch(reading.OneBatch, Act):
    scopes = {"GET": Scope.READ, "PATCH": Scope.BATCHES, "DELETE": Scope.BATCHES}

    @acts(
        "change_draft",
        "Change a draft",
        description="What is left out stays as it is. A launched batch never changes: 409.",
        request=PlanChange,
    )
    def patch(self, request: Request, pk: int) -> Response:
        asked = checked(PlanChange, request)
        return self.act(request, pk, lambda batch: change_plan_asked(batch, asked, **self.by(request)))

    @extend_schema(
        operation_id="delete_draft",
        summary="Delete a draft",
        description="A batch that was launched is refused with 409: see `DELETE keep/{kind}/{id}/`.",
        parameters=[IF_MATCH],
        responses={204: None},
    )
    def delete(self, request: Request, pk: int) -> Response:
        with transaction.atomic():
            delete_batch(batch=locked_batch(request, pk), **self.by(request))
        return Response(status=HTTPStatus.NO_CONTENT)


class Window(Act):
    @acts(
        "move_window",
        "Move the time window of a live batch",
        description="What is left out stays. `opens_at` null opens it now, `closes_at` null takes the end "
        "away; the beginning moves only while it lies ahead. Of a draft, change the plan.",
        request=WindowRequest,
    )
    def post(self, request: Request, pk: int) -> Response:
        asked = checked(WindowRequest, request)

        def move(batch: Batch) -> None:
            window = {"opens_at": batch.opens_at, "closes_at": batch.closes_at, **asked}
            move_window(batch=batch, **window, **self.by(request))

        return self.act(request, pk, move)


class Primary(Act):
    @acts(
        "declare_primary",
        "Declare the primary coefficient, or change it",
        description="Reports answer by it, and say when it was declared and what it replaced. Empty texts "
        "take it back, before the first rating.",
        request=PrimaryRequest,
    )
    def post(self, request: Request, pk: int) -> Response:
        choice = primary_asked(checked(PrimaryRequest, request))
        return self.act(
            request, pk, lambda batch: declare_primary(batch=batch, choice=choice, **self.by(request))
        )


class Preview(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="preview_batch",
        summary="A questionnaire as raters see it",
        description="Of a draft, what its plan would give. Texts, order and words are those of a rater's "
        "page; nothing is stored.",
        parameters=[PreviewQuery],
        responses=PreviewShape,
    )
    def get(self, request: Request, pk: int) -> Response:
        asked, batch = queried(PreviewQuery, request), get_surveyed(pk)
        return Response(PreviewShape(previewed(batch, **asked)).data)


def previewed(batch: Batch, *, number: int, language: str) -> dict[str, Any]:
    """The questionnaire with the number and the words in the language, of those that the batch offers."""
    language = language if language in batch.languages else batch.language
    questionnaire, total, items = sketch_questionnaire(batch, number)
    page = sketch_view(questionnaire, sketch_order(items, seed=f"{batch.seed}/preview"))
    with override(language):
        words = shown_wording(batch, language)
        reasons = [{"reason": value, "words": str(said)} for value, said in page.reasons]
    return {
        "number": questionnaire.number,
        "questionnaires": total,
        "language": language,
        "question": words.question.words,
        "instructions": words.instructions.words,
        "points": [{"value": value, "words": text.words} for value, text in words.points],
        "title": page.title,
        "body": page.body,
        "pairs": [{"position": one.position, "left": one.left, "right": one.right} for one in page.pairs],
        "reasons": reasons,
    }
