"""The rater's pages of rating. None names a system, a reader, a document's id or the reference pair."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.batches.models import Batch
from survey_site.batches.translations import shown_wording
from survey_site.common.errors import ApplicationError
from survey_site.survey.models import MAX_COMMENT, Assignment, Entry
from survey_site.survey.pages.access import find_own_assignment, open_batch, rater_page, with_retry
from survey_site.survey.pages.examples import page_examples
from survey_site.survey.pages.forms import posted_answers, posted_turn
from survey_site.survey.pages.questionnaire import assignment_view
from survey_site.survey.pages.script_texts import script_texts
from survey_site.survey.people.identity import find_rater
from survey_site.survey.people.languages import keep_language
from survey_site.survey.people.participation import read_participation
from survey_site.survey.queries import (
    last_submitted,
    may_get_more,
    next_expiry,
    rater_progress,
    sequence_number,
)
from survey_site.survey.rating.comments import save_comment
from survey_site.survey.rating.ending import code_to_come, has_left_the_panel_waiting, panel_ending
from survey_site.survey.rating.leaving import stop_rating, withdraw_rater
from survey_site.survey.rating.services import Submission, save_rating, submit_questionnaire
from survey_site.survey.rating.validators import SCALE


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def questionnaire(request: HttpRequest, batch: Batch, code: str) -> HttpResponse:
    assignment = find_own_assignment(request, batch, code)
    if request.method != "POST":
        return _questionnaire_page(request, assignment)
    now = timezone.now()
    if "comment" in request.POST:
        save_comment(assignment=assignment, text=request.POST["comment"], now=now)
    if "language" in request.POST:
        return _change_language(request, assignment)
    submission = submit_questionnaire(
        assignment=assignment,
        answers=posted_answers(request.POST),
        turn=posted_turn(request.POST),
        now=now,
    )
    if submission.complete:
        return redirect("survey:done", batch.token)
    return _incomplete_page(request, submission)


@require_POST
@never_cache
def rate(request: HttpRequest, token: str, code: str) -> JsonResponse:
    """Store one answer at once: item=<code>&value=1..6, and tab=<name>&turn=<number> for its place in time.

    Or, with comment=<text>, the remark on the questionnaire. Errors are JSON with a message for the rater.
    """
    try:
        assignment = find_own_assignment(request, open_batch(request, token), code)
        if "comment" in request.POST:
            save_comment(assignment=assignment, text=request.POST["comment"], now=timezone.now())
            return JsonResponse({})
        rating = save_rating(
            assignment=assignment,
            code=request.POST.get("item", ""),
            value=request.POST.get("value"),
            turn=posted_turn(request.POST),
            now=timezone.now(),
        )
    except ApplicationError as error:
        refusal = {"message": error.message, "action": error.action}
        return with_retry(JsonResponse(refusal, status=error.status), error)
    return JsonResponse({"value": rating.value})


@require_safe
@rater_page
def done(request: HttpRequest, batch: Batch) -> HttpResponse:
    rater = find_rater(request, batch)
    if rater is None:
        return redirect("survey:join", batch.token)
    if rater.withdrawn_at:
        context = {"batch": batch, "from_panel": has_left_the_panel_waiting(rater)}
        return render(request, "survey/withdrawn.html", context)
    now = timezone.now()
    progress = rater_progress(rater, now=now)
    over = batch.is_over(now)
    waits = not over and not progress.available and may_get_more(rater)
    waiting = waits and next_expiry(batch, now=now)
    context = {"batch": batch, "progress": progress, "over": over, "waiting": waiting}
    context["last"] = last_submitted(rater)
    context["own_link"] = rater.entry != Entry.OPEN
    participation, stopped = read_participation(batch), "stopped" in request.GET
    context["ending"] = panel_ending(rater.entry, participation, progress, rater, stopped=stopped)
    if not context["ending"]:
        context["due"] = code_to_come(rater.entry, participation, progress, stopped=stopped)
    return render(request, "survey/done.html", context)


@require_safe
@rater_page
def leave(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Stopping and withdrawing, each explained before it is done."""
    rater = find_rater(request, batch)
    if rater is None or rater.withdrawn_at:
        return redirect("survey:done", batch.token)
    progress = rater_progress(rater, now=timezone.now())
    due = code_to_come(rater.entry, read_participation(batch), progress)
    return render(request, "survey/leave.html", {"batch": batch, "progress": progress, "due": due})


@require_POST
@rater_page
def stop(request: HttpRequest, batch: Batch) -> HttpResponse:
    rater = find_rater(request, batch)
    if rater is None:
        return redirect("survey:done", batch.token)
    stop_rating(rater=rater)
    return redirect(f"{reverse('survey:done', args=[batch.token])}?stopped=1")


@require_POST
@rater_page
def withdraw(request: HttpRequest, batch: Batch) -> HttpResponse:
    if rater := find_rater(request, batch):
        withdraw_rater(rater=rater, now=timezone.now())
    return redirect("survey:done", batch.token)


def _change_language(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """The same page in another language, with every answer given so far."""
    for code, value in posted_answers(request.POST).items():
        save_rating(
            assignment=assignment,
            code=code,
            value=value,
            turn=posted_turn(request.POST),
            now=timezone.now(),
        )
    batch = assignment.questionnaire.batch
    response = redirect("survey:questionnaire", batch.token, assignment.code)
    keep_language(request, response, batch, request.POST.get("language", ""))
    return response


def _questionnaire_page(
    request: HttpRequest, assignment: Assignment, *, missing: tuple[int, ...] = (), status: int = 200
) -> HttpResponse:
    batch, page = assignment.questionnaire.batch, assignment_view(assignment, missing=missing)
    context = {
        "batch": batch,
        "assignment": assignment,
        "page": page,
        "progress": rater_progress(assignment.rater, now=timezone.now()),
        "number": sequence_number(assignment),
        "scale": SCALE,
        "examples": page_examples(batch),
        "wording": shown_wording(batch, get_language()),
        "script_texts": script_texts(pairs=len(page.pairs)),
        "read_only": assignment.is_submitted and batch.is_closed,
        "comment": request.POST.get("comment", assignment.comment),
        "longest_comment": MAX_COMMENT,
    }
    return render(request, "survey/questionnaire.html", context, status=status)


def _incomplete_page(request: HttpRequest, submission: Submission) -> HttpResponse:
    return _questionnaire_page(request, submission.assignment, missing=submission.missing, status=422)
