"""Staff pages on the quality of a batch's ratings. Admins exclude, every researcher reads."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, reader_required
from survey_site.batches.models import Batch
from survey_site.batches.services import record_export
from survey_site.common.errors import NotFoundError
from survey_site.desk.lookup import get_launched
from survey_site.desk.quality.forms import EVERYTHING, ExclusionForm
from survey_site.desk.quality.position_plot import plot_positions
from survey_site.desk.quality.rater_plots import compare_ratings, compare_times
from survey_site.desk.quality.raters_list import head_list, list_raters, next_flagged, undecided
from survey_site.quality.assessment import assess_batch
from survey_site.quality.checks import CheckedRater, check_raters, count_all_controls
from survey_site.quality.exports import excluded_lines
from survey_site.quality.queries import exclusions_of
from survey_site.quality.services import exclude_questionnaire, exclude_rater, undo_exclusion
from survey_site.quality.watching import quality_so_far
from survey_site.survey.rating.marked import summarise_marks
from survey_site.uploads.queries import upload_of


@require_safe
@reader_required
def so_far(request: HttpRequest, pk: int) -> HttpResponse:
    """A fragment for the monitor: agreement and flags, computed if they are not known yet."""
    batch = get_launched(pk)
    found = quality_so_far(batch, now=timezone.now(), compute=True)
    return render(request, "desk/quality/_so_far.html", {"batch": batch, "so_far": found})


@require_safe
@reader_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """All about the ratings; ?rater= and ?sort= narrow and order the list of raters."""
    batch = get_launched(pk)
    checked = check_raters(batch)
    wanted = {name: request.GET.get(name, "").strip() for name in ("rater", "sort")}
    assessment = assess_batch(batch)
    context = {
        "batch": batch,
        "assessment": assessment,
        "position_plot": assessment.positions and plot_positions(assessment.positions),
        "checked": checked,
        "rows": list_raters(checked, words=wanted["rater"], sort=wanted["sort"]),
        "heads": head_list(wanted["sort"]),
        "undecided": undecided(checked),
        "wanted": wanted,
        "controls": count_all_controls(checked, scale=batch.scale),
        "marks": summarise_marks(batch) if batch.marks_allowed and not upload_of(batch) else None,
        "exclusions": exclusions_of(batch).order_by("excluded_at"),
    }
    return render(request, "desk/quality/detail.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@reader_required
def rater(request: HttpRequest, pk: int, code: str) -> HttpResponse:
    """What one rater did, page by page; POST excludes."""
    batch = get_launched(pk)
    everybody = check_raters(batch)
    checked = next((one for one in everybody if one.rater.code == code), None)
    if checked is None:
        raise NotFoundError(
            "No rater of that name has submitted a questionnaire that says something of them."
        )
    if request.method == "POST":
        return _exclude(request, batch, checked, everybody)
    return _rater_page(request, batch, checked, everybody, ExclusionForm(checked=checked))


@admin_required
def _exclude(
    request: HttpRequest, batch: Batch, checked: CheckedRater, everybody: Sequence[CheckedRater]
) -> HttpResponse:
    form = ExclusionForm(request.POST, checked=checked)
    if not form.is_valid():
        return _rater_page(request, batch, checked, everybody, form)
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
    if "from_list" in request.POST:
        return redirect(reverse("quality:detail", args=[batch.pk]) + "#raters")
    return redirect("quality:rater", batch.pk, checked.rater.code)


def _rater_page(
    request: HttpRequest,
    batch: Batch,
    checked: CheckedRater,
    everybody: Sequence[CheckedRater],
    form: ExclusionForm,
) -> HttpResponse:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    context = {
        "batch": batch,
        "checked": checked,
        "form": form,
        "following": next_flagged(everybody, checked.rater.code),
        "ratings": compare_ratings(checked, everybody),
        "times": compare_times(checked, everybody),
    }
    return render(request, "desk/quality/rater.html", context, status=status)


@require_POST
@admin_required
def undo(request: HttpRequest, pk: int, exclusion: int) -> HttpResponse:
    batch = get_launched(pk)
    undo_exclusion(
        exclusion=get_object_or_404(exclusions_of(batch), pk=exclusion),
        by=cast(User, request.user),
        now=timezone.now(),
    )
    messages.success(request, "The exclusion is undone: the ratings count again.")
    return redirect("quality:detail", batch.pk)


@require_safe
@reader_required  # type: ignore[arg-type]  # a streamed response is no HttpResponse
def excluded(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """What is excluded, as CSV, with the reasons."""
    batch = get_launched(pk)
    record_export(batch=batch, what="excluded", by=cast(User, request.user), now=timezone.now())
    return StreamingHttpResponse(
        excluded_lines(batch),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="excluded-batch-{batch.pk}.csv"'},
    )
