"""*Taking part* of a batch: read, changed while it is a draft; and the texts that people agree to."""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, checked
from survey_site.api.conditions import require_match, tag_of
from survey_site.api.headers import IF_MATCH
from survey_site.api.shapes.participation import (
    ConsentRequest,
    ConsentsShape,
    ParticipationChange,
    ParticipationShape,
    settings_of,
)
from survey_site.batches.models import Batch
from survey_site.common.locking import locked
from survey_site.desk.lookup import get_surveyed
from survey_site.desk.taking_part.forms import ParticipationForm
from survey_site.survey.people.consent import consent_wording
from survey_site.survey.people.participation import (
    read_participation,
    save_consent_text,
    save_participation,
)


def participation_of(batch: Batch) -> Any:
    return ParticipationShape(read_participation(batch)).data


def _consents(batch: Batch) -> Any:
    stored = read_participation(batch)
    wordings = {one: consent_wording(batch, stored, one) for one in batch.languages}
    texts = [
        {"language": language, "version": one.version, "written_in": one.language, "text": one.text}
        for language, one in wordings.items()
    ]
    return ConsentsShape({"texts": texts}).data


def changed_under_lock(
    request: Request, pk: int, read: Callable[[Batch], Any], change: Callable[[Batch], object]
) -> Response:
    """Under the lock of the batch, as long as it is what the program has read."""
    get_surveyed(pk)
    with transaction.atomic():
        locked(Batch.objects.filter(pk=pk)).first()
        batch = get_surveyed(pk)
        require_match(request, read(batch))
        change(batch)
        shown = read(get_surveyed(pk))
    return Response(shown, headers={"ETag": tag_of(shown)})


def change_settings(request: Request, batch: Batch, changed: Mapping[str, Any]) -> None:
    """Some of the settings, by the rules of the page; the others stay."""
    form = ParticipationForm({**settings_of(read_participation(batch)), **changed})
    if not form.is_valid():
        raise ValidationError(form.errors.as_data())
    save_participation(batch=batch, settings=form.settings(), by=request.user, now=request._request.now)


class TakingPart(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.BATCHES}

    @extend_schema(
        operation_id="read_participation",
        summary="How people take part in a batch",
        responses=ParticipationShape,
    )
    def get(self, _request: Request, pk: int) -> Response:
        return Response(participation_of(get_surveyed(pk)))

    @extend_schema(
        operation_id="change_participation",
        summary="Change how people take part in a draft",
        description="What is left out stays. A launched batch never changes: 409.",
        parameters=[IF_MATCH],
        request=ParticipationChange,
        responses=ParticipationShape,
    )
    def patch(self, request: Request, pk: int) -> Response:
        asked = checked(ParticipationChange, request)
        return changed_under_lock(
            request, pk, participation_of, lambda batch: change_settings(request, batch, asked)
        )


class Consent(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.BATCHES}

    @extend_schema(
        operation_id="read_consent",
        summary="What people agree to, in each language of the batch",
        responses=ConsentsShape,
    )
    def get(self, _request: Request, pk: int) -> Response:
        return Response(_consents(get_surveyed(pk)))

    @extend_schema(
        operation_id="write_consent",
        summary="Write what people agree to",
        description="Whoever joins from then on reads it, in a running batch too; who agreed before keeps "
        "what they read. The same text again changes nothing.",
        parameters=[IF_MATCH],
        request=ConsentRequest,
        responses=ConsentsShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        asked, by, now = checked(ConsentRequest, request), request.user, request._request.now
        return changed_under_lock(
            request, pk, _consents, lambda batch: save_consent_text(batch=batch, **asked, by=by, now=now)
        )
