"""The staff page on how people take part in a batch. Researchers read it, admins change it."""

from http import HTTPStatus
from itertools import chain
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, reader_required
from survey_site.batches.models import Batch
from survey_site.common.csvfile import csv_lines
from survey_site.common.languages import language
from survey_site.desk.lookup import get_surveyed
from survey_site.desk.taking_part.forms import (
    CARDS,
    FOR_PANELS,
    ConsentForm,
    InvitationForm,
    ParticipationForm,
    initial_settings,
)
from survey_site.survey.models import PairUse, Participation
from survey_site.survey.pages.examples import written_examples
from survey_site.survey.people.background import background_totals
from survey_site.survey.people.consent import consent_wording
from survey_site.survey.people.identity import personal_links
from survey_site.survey.people.panels import PANELS, filled_in, study_address
from survey_site.survey.people.participation import (
    create_invitations,
    read_participation,
    record_links_taken,
    save_consent_text,
    save_participation,
    unwritten_parts,
)
from survey_site.survey.rating_rows import withdrawn_placements

PAGE = "batches:participation"


@require_safe
@reader_required
def participation(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, get_surveyed(pk))


@require_POST
@admin_required
def change_participation(request: HttpRequest, pk: int) -> HttpResponse:
    batch, form = get_surveyed(pk), ParticipationForm(request.POST)
    if not form.is_valid():
        return _page(request, batch, settings=form)
    save_participation(batch=batch, settings=form.settings(), **_who(request))
    messages.success(request, "Saved.")
    return redirect(PAGE, batch.pk)


@require_POST
@admin_required
def change_consent(request: HttpRequest, pk: int) -> HttpResponse:
    batch, form = get_surveyed(pk), ConsentForm(request.POST)
    if not form.is_valid():
        return _page(request, batch, consent=form)
    save_consent_text(batch=batch, **form.cleaned_data, **_who(request))
    messages.success(request, "Saved. Whoever joins from now on reads this text.")
    return redirect(PAGE, batch.pk)


@require_POST
@admin_required
def add_invitations(request: HttpRequest, pk: int) -> HttpResponse:
    batch, form = get_surveyed(pk), InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, batch, invitations=form)
    create_invitations(batch=batch, count=form.cleaned_data["count"], **_who(request))
    messages.success(request, f"{form.cleaned_data['count']} personal links are made. Download them below.")
    return redirect(PAGE, batch.pk)


@require_safe
@admin_required
def invitations(request: HttpRequest, pk: int) -> HttpResponse:
    """All personal links as CSV. Whoever holds a link is that person, so only admins get them."""
    batch = get_surveyed(pk)
    record_links_taken(batch=batch, **_who(request))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="invitations-batch-{batch.pk}.csv"'
    links = ((number, request.build_absolute_uri(path)) for number, path in personal_links(batch))
    response.writelines(csv_lines(chain([("number", "link")], links)))
    return response


def _described(batch: Batch, stored: Participation, code: str) -> dict[str, Any]:
    """A language of the batch: how many pairs of its own it has, and what is not written in it."""
    pairs = {use: len(written_examples(batch, use).get(code, ())) for use in PairUse.values}
    return {"language": language(code), "missing": unwritten_parts(batch, stored, code), "pairs": pairs}


def _who(request: HttpRequest) -> dict[str, Any]:
    """Who acts, and when, for the audit log."""
    return {"by": cast(User, request.user), "now": timezone.now()}


def _page(request: HttpRequest, batch: Batch, **bound: forms.Form) -> HttpResponse:
    stored = read_participation(batch)
    wording = consent_wording(batch, stored)
    panel = PANELS.get(request.GET.get("panel", "")) if batch.is_draft else None
    initial = initial_settings(stored) | (filled_in(panel, stored) if panel else {})
    settings_form = bound.get("settings") or ParticipationForm(initial=initial)
    link = request.build_absolute_uri(reverse("survey:join", args=[batch.token]))
    context = {
        "panel": panel,
        "panels": PANELS,
        "cards": [(card, [settings_form[name] for name in card.fields]) for card in CARDS],
        "for_panels": FOR_PANELS,
        "batch": batch,
        "wording": wording,
        "versions": batch.consent_texts.annotate(people=Count("consents")).order_by("-version"),
        "settings_form": settings_form,
        "consent_form": bound.get("consent")
        or ConsentForm(initial={"text": wording.text}, language=batch.language),
        "languages": [_described(batch, stored, code) for code in batch.languages],
        "invitation_form": bound.get("invitations") or InvitationForm(),
        "address": study_address(link, stored),
        "withdrawn": batch.people.exclude(withdrawn_at=None).count(),
        "withdrawn_rows": withdrawn_placements(batch).count(),
        "totals": [] if batch.is_draft else background_totals(batch, stored),
        "participation": stored,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if bound else HTTPStatus.OK
    return render(request, "desk/taking_part/participation.html", context, status=status)
