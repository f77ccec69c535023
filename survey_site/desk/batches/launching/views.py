"""The page that checks a draft and launches it. An error blocks, a warning has to be confirmed."""

from http import HTTPStatus
from typing import cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required
from survey_site.batches.launch_rules import Check, Level, Rule, check_launch
from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_effort
from survey_site.batches.services import launch_batch
from survey_site.desk.batches.launching.facts import gather_facts
from survey_site.desk.batches.previewed import has_previewed
from survey_site.desk.lookup import get_batch
from survey_site.survey.people.participation import read_participation


class RateForm(forms.Form):
    rate = forms.FloatField(
        label="Price of an hour of a rater's time",
        min_value=0,
        max_value=1e6,
        required=False,
        help_text="In any currency. It is not stored.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def launch(request: HttpRequest, pk: int) -> HttpResponse:
    """GET lists what was checked and asks for confirmation, POST launches."""
    batch = get_batch(pk)
    if not batch.is_draft:
        return redirect(batch)
    form = RateForm(request.GET)
    checks = _checks(request, batch, form)
    levels = {one.level for one in checks}
    if request.method != "POST":
        return _page(request, batch, form, checks)
    if Level.ERROR in levels or (Level.WARNING in levels and "confirmed" not in request.POST):
        return _page(request, batch, form, checks, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    launch_batch(batch=batch, by=cast(User, request.user), now=timezone.now())
    messages.success(request, "The batch is live. How raters get in stands below.")
    return redirect(batch)


def _checks(request: HttpRequest, batch: Batch, form: RateForm) -> list[Check]:
    rate = form.cleaned_data["rate"] if form.is_valid() else None
    seen = has_previewed(request, batch)
    return check_launch(gather_facts(batch, previewed=seen, rate=rate, now=timezone.now()))


def _page(
    request: HttpRequest, batch: Batch, form: RateForm, checks: list[Check], *, status: int = HTTPStatus.OK
) -> HttpResponse:
    participation = read_participation(batch)
    context = {
        "batch": batch,
        "checks": [(one, _address(batch, one.rule)) for one in checks],
        "errors": sum(one.level == Level.ERROR for one in checks),
        "warnings": sum(one.level == Level.WARNING for one in checks),
        "refused": status != HTTPStatus.OK,
        "form": form,
        "effort": batch_effort(batch, limit=participation.limit),
        "participation": participation,
    }
    return render(request, "desk/batches/launch.html", context, status=status)


def _address(batch: Batch, rule: Rule) -> str:
    """Where it is mended."""
    return reverse(rule.page, args=[batch.pk]) + (f"#{rule.place}" if rule.place else "")
