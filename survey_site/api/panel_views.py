"""A panel's settings, personal links, and what raters read in each language of a batch."""

from http import HTTPStatus
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, checked
from survey_site.api.headers import IDEMPOTENCY, IF_MATCH
from survey_site.api.idempotency import once
from survey_site.api.participation_views import change_settings, changed_under_lock, participation_of
from survey_site.api.shapes.participation import (
    LinksMadeShape,
    LinksRequest,
    PanelRequest,
    PanelShape,
    ParticipationShape,
    PersonalLinksShape,
    TextsChange,
    TextsShape,
    wording_of,
)
from survey_site.batches.models import Batch
from survey_site.batches.translations import require_offered, save_translation
from survey_site.common.errors import ConflictError
from survey_site.desk.lookup import get_surveyed
from survey_site.desk.taking_part.texts_forms import example_of, in_points
from survey_site.survey.models import PairUse
from survey_site.survey.pages.examples import save_examples, written_examples
from survey_site.survey.people.identity import personal_links
from survey_site.survey.people.panels import PANELS, filled_in, study_address
from survey_site.survey.people.participation import (
    create_invitations,
    read_participation,
    record_links_taken,
    unwritten_parts,
)

USES = {"examples": PairUse.EXAMPLE, "practice": PairUse.PRACTICE}
LANGUAGE = OpenApiParameter("language", str, OpenApiParameter.PATH, description="One that the batch offers.")


class Panel(ApiView):
    scopes = {"GET": Scope.BATCHES, "POST": Scope.BATCHES}

    @extend_schema(
        operation_id="read_panel",
        summary="The address of the study for whoever sends people, and the panels that the site knows",
        responses=PanelShape,
    )
    def get(self, request: Request, pk: int) -> Response:
        batch = get_surveyed(pk)
        link = request.build_absolute_uri(reverse("survey:join", args=[batch.token]))
        known = [{"panel": name, "name": one.name, "hint": one.hint} for name, one in PANELS.items()]
        address = study_address(link, read_participation(batch))
        return Response(PanelShape({"address": address, "panels": known}).data)

    @extend_schema(
        operation_id="set_up_panel",
        summary="Set a draft up for a panel: entry, address and codes",
        description="Codes and a limit that are set already stay. A launched batch never changes: 409.",
        parameters=[IF_MATCH],
        request=PanelRequest,
        responses=ParticipationShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        panel = PANELS[checked(PanelRequest, request)["panel"]]

        def fill_in(batch: Batch) -> None:
            change_settings(request, batch, filled_in(panel, read_participation(batch)))

        return changed_under_lock(request, pk, participation_of, fill_in)


class PersonalLinks(ApiView):
    scopes = {"GET": Scope.BATCHES, "POST": Scope.BATCHES}

    @extend_schema(
        operation_id="read_personal_links",
        summary="The personal links of a batch",
        description="Whoever holds one is that person. That somebody takes them is in the audit log.",
        responses=PersonalLinksShape,
    )
    def get(self, request: Request, pk: int) -> Response:
        batch = get_surveyed(pk)
        record_links_taken(batch=batch, by=request.user, now=request._request.now)
        links = [
            {"number": number, "link": request.build_absolute_uri(path)}
            for number, path in personal_links(batch)
        ]
        return Response(PersonalLinksShape({"links": links}).data)

    @extend_schema(
        operation_id="make_personal_links",
        summary="Make more personal links",
        parameters=[IDEMPOTENCY],
        request=LinksRequest,
        responses={201: LinksMadeShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        count, batch = checked(LinksRequest, request)["count"], get_surveyed(pk)

        def make() -> Response:
            made = create_invitations(batch=batch, count=count, by=request.user, now=request._request.now)
            headers = {"Location": reverse("api:personal-links", args=[batch.pk])}
            return Response(LinksMadeShape(made).data, HTTPStatus.CREATED, headers=headers)

        return once(request, request.data, make)


def _texts_in(language: str) -> Any:
    """What reads the texts of a batch in that language."""

    def read(batch: Batch) -> Any:
        require_offered(batch, language)
        own = language == batch.language
        words = batch if own else batch.translations.filter(language=language).first()
        pairs = {
            name: [in_points(one, batch.scale) for one in written_examples(batch, use).get(language, ())]
            for name, use in USES.items()
        }
        missing = unwritten_parts(batch, read_participation(batch), language)
        shown = {"language": language, "wording": wording_of(words), **pairs, "missing": missing}
        return TextsShape(shown).data

    return read


class Texts(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.BATCHES}

    @extend_schema(
        operation_id="read_texts",
        summary="What raters read in one language: wording, worked examples, practice pairs",
        parameters=[LANGUAGE],
        responses=TextsShape,
    )
    def get(self, _request: Request, pk: int, language: str) -> Response:
        return Response(_texts_in(language)(get_surveyed(pk)))

    @extend_schema(
        operation_id="change_texts",
        summary="Change what raters of a draft read in one language",
        description="All of it or, where something is refused, nothing. A launched batch never changes: 409.",
        parameters=[LANGUAGE, IF_MATCH],
        request=TextsChange,
        responses=TextsShape,
    )
    def patch(self, request: Request, pk: int, language: str) -> Response:
        asked = checked(TextsChange, request)
        who: dict[str, Any] = {"language": language, "by": request.user, "now": request._request.now}

        def change(batch: Batch) -> None:
            if "wording" in asked:
                if language == batch.language:
                    raise ConflictError(
                        "The wording in the batch's own language is that of its plan.",
                        action="Change the draft itself.",
                    )
                stored = batch.translations.filter(language=language).first()
                save_translation(batch=batch, wording={**wording_of(stored), **asked["wording"]}, **who)
            for name, use in USES.items():
                if name in asked:
                    pairs = [example_of(one, batch.scale) for one in asked[name]]
                    save_examples(batch=batch, use=use, pairs=pairs, **who)

        return changed_under_lock(request, pk, _texts_in(language), change)
