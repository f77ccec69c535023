"""Staff pages on the quality of a batch's ratings. Admins exclude, every researcher reads."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, reader_required
from survey_site.batches.models import Batch
from survey_site.common.pagination import paginate
from survey_site.common.refreshing import shows
from survey_site.desk.lookup import get_launched
from survey_site.desk.quality.forms import EVERYTHING, ExclusionForm
from survey_site.desk.quality.position_plot import plot_positions
from survey_site.desk.quality.rater_plots import compare_ratings, compare_times
from survey_site.desk.quality.raters_list import draw_rows, head_list, list_orders, list_raters, next_flagged
from survey_site.quality.checks import CheckedRater
from survey_site.quality.decided import decide_on, to_decide_on
from survey_site.quality.kept import Known, look_into
from survey_site.quality.one_rater import look_at_rater
from survey_site.quality.queries import exclusions_of
from survey_site.quality.services import exclude_questionnaire, exclude_rater, undo_exclusion
from survey_site.quality.tasks import ask_workers
from survey_site.quality.watching import quality_so_far
from survey_site.survey.rating.marked import summarise_marks
from survey_site.uploads.queries import upload_of


@require_safe
@reader_required
def so_far(request: HttpRequest, pk: int) -> HttpResponse:
    """A fragment for the monitor: agreement and flags; where it shows them already, nothing."""
    batch = get_launched(pk)
    known = look_into(batch, now=timezone.now(), ask=ask_workers)
    version = f"{known.version}-{known.since}"
    if shows(request, version):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = {
        "batch": batch,
        "known": known,
        "so_far": quality_so_far(batch, known),
        "version": version,
    }
    return render(request, "desk/quality/_so_far.html", context)


@require_safe
@reader_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """All about the ratings; ?rater=, ?sort= and ?page= narrow, order and turn the list of raters."""
    batch = get_launched(pk)
    known = look_into(batch, now=timezone.now(), ask=ask_workers)
    return render(request, "desk/quality/detail.html", _found_context(request, batch, known))


@require_safe
@reader_required
def found(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of that page that a worker's findings change; where it shows them already, nothing."""
    batch = get_launched(pk)
    known = look_into(batch, now=timezone.now(), ask=ask_workers)
    if shows(request, known.version):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "desk/quality/_found.html", _found_context(request, batch, known))


def _found_context(request: HttpRequest, batch: Batch, known: Known) -> dict[str, Any]:
    context: dict[str, Any] = {
        "batch": batch,
        "known": known,
        "exclusions": exclusions_of(batch).order_by("excluded_at"),
    }
    if known.findings is None:
        return context
    wanted = {name: request.GET.get(name, "").strip() for name in ("rater", "sort")}
    assessment = known.findings.assessment
    raters = decide_on(batch, known.findings)
    page = paginate(request, list_raters(raters, words=wanted["rater"], sort=wanted["sort"]))
    return context | {
        "assessment": assessment,
        "position_plot": assessment.positions and plot_positions(assessment.positions),
        "raters": raters,
        "page": page,
        "rows": draw_rows(page, raters),
        "heads": head_list(wanted["sort"]),
        "orders": list_orders(wanted["sort"]),
        "undecided": to_decide_on(raters),
        "wanted": wanted,
        "controls": known.findings.controls,
        "marks": summarise_marks(batch) if batch.marks_allowed and not upload_of(batch) else None,
    }


@require_http_methods(["GET", "HEAD", "POST"])
@reader_required
def rater(request: HttpRequest, pk: int, code: str) -> HttpResponse:
    """What one rater did, page by page; POST excludes."""
    batch = get_launched(pk)
    known = look_into(batch, now=timezone.now(), ask=ask_workers)
    checked = look_at_rater(batch, code, known)
    if request.method == "POST":
        return _exclude(request, batch, checked, known)
    return _rater_page(request, batch, checked, known, ExclusionForm(checked=checked))


@admin_required
def _exclude(request: HttpRequest, batch: Batch, checked: CheckedRater, known: Known) -> HttpResponse:
    form = ExclusionForm(request.POST, checked=checked)
    if not form.is_valid():
        return _rater_page(request, batch, checked, known, form)
    what, shared = (
        form.cleaned_data["what"],
        {"reason": form.cleaned_data["reason"], "by": cast(User, request.user), "now": timezone.now()},
    )
    if what == EVERYTHING:
        exclude_rater(rater=checked.rater, **shared)
    else:
        page = next(page for page in checked.submitted if str(page.assignment.pk) == what)
        exclude_questionnaire(assignment=page.assignment, **shared)
    messages.success(request, "Excluded. The ratings are kept, and you can undo this at any time.")
    return _back_to_list(request, batch) or redirect("quality:rater", batch.pk, checked.rater.code)


def _back_to_list(request: HttpRequest, batch: Batch) -> HttpResponse | None:
    """To the list of raters in which somebody pressed the button; None where it was no list."""
    lists = {"quality": "quality:detail", "monitor": "batches:monitor"}
    name = lists.get(request.POST.get("came_from", ""))
    return redirect(reverse(name, args=[batch.pk]) + "#raters") if name else None


def _rater_page(
    request: HttpRequest, batch: Batch, checked: CheckedRater, known: Known, form: ExclusionForm
) -> HttpResponse:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    code = checked.rater.code
    others = [one for one in known.raters if one.code != code]
    decided = decide_on(batch, known.findings) if known.findings else []
    context = {
        "batch": batch,
        "checked": checked,
        "known": known,
        "form": form,
        "following": next_flagged(decided, code),
        "ratings": compare_ratings(checked, others),
        "times": compare_times(checked, others),
    }
    return render(request, "desk/quality/rater.html", context, status=status)


@require_POST
@admin_required
def undo(request: HttpRequest, pk: int, exclusion: int) -> HttpResponse:
    batch = get_launched(pk)
    undone = get_object_or_404(exclusions_of(batch), pk=exclusion)
    undo_exclusion(exclusion=undone, by=cast(User, request.user), now=timezone.now())
    messages.success(request, "The exclusion is undone: the ratings count again.")
    if undone.rater and request.POST.get("came_from") == "rater":
        return redirect("quality:rater", batch.pk, undone.rater.code)
    return _back_to_list(request, batch) or redirect("quality:detail", batch.pk)
