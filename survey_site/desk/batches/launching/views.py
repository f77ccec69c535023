"""The page that checks a draft and launches it. An error blocks, a warning has to be confirmed."""

from http import HTTPStatus
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required
from survey_site.batches.launch_rules import Check, Level, Rule, check_launch, refuses
from survey_site.batches.models import Batch
from survey_site.batches.services import launch_batch
from survey_site.desk.batches.launching.facts import gather_facts
from survey_site.desk.batches.previewed import has_previewed
from survey_site.desk.lookup import get_batch
from survey_site.desk.rate_field import RateField
from survey_site.survey.people.participation import read_participation


class RateForm(forms.Form):
    rate = RateField()


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def launch(request: HttpRequest, pk: int) -> HttpResponse:
    """GET lists what was checked and asks for confirmation, POST launches."""
    batch = get_batch(pk)
    if not batch.is_draft:
        return redirect(batch)
    form, participation = RateForm(request.GET), read_participation(batch)
    rate = form.cleaned_data["rate"] if form.is_valid() else None
    seen = has_previewed(request, batch)
    facts = gather_facts(batch, participation, previewed=seen, rate=rate, now=timezone.now())
    checks = check_launch(facts)
    refused = request.method == "POST" and refuses(checks, confirmed="confirmed" in request.POST)
    if refused or request.method != "POST":
        context = {"form": form, "participation": participation, "effort": facts.effort, "refused": refused}
        return _page(request, batch, checks, context)
    launch_batch(batch=batch, by=cast(User, request.user), now=timezone.now())
    messages.success(request, "The batch is live. How raters get in stands below.")
    return redirect(batch)


def _page(request: HttpRequest, batch: Batch, checks: list[Check], context: dict[str, Any]) -> HttpResponse:
    context |= {
        "batch": batch,
        "checks": [(one, _address(batch, one.rule)) for one in checks],
        "errors": sum(one.level == Level.ERROR for one in checks),
        "warnings": sum(one.level == Level.WARNING for one in checks),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if context["refused"] else HTTPStatus.OK
    return render(request, "desk/batches/launch.html", context, status=status)


def _address(batch: Batch, rule: Rule) -> str:
    """Where it is mended."""
    return reverse(rule.page, args=[batch.pk]) + (f"#{rule.place}" if rule.place else "")
