"""The rater's pages of rating. None names a system, a reader, a document's id or the reference pair."""

from functools import partial

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.common.errors import ApplicationError
from survey_site.survey.models import Assignment, Entry, Rating
from survey_site.survey.pages.access import Visit, find_own_assignment, own_page, rater_page
from survey_site.survey.pages.forms import as_answer, posted_answers, posted_bunch, posted_turn
from survey_site.survey.pages.rating_page import show_rating_page
from survey_site.survey.people.languages import keep_language
from survey_site.survey.people.participation import read_participation
from survey_site.survey.people.study import study_facts
from survey_site.survey.queries import may_get_more, next_expiry, rater_progress
from survey_site.survey.rating.bunches import Outcome, save_each
from survey_site.survey.rating.comments import save_comment
from survey_site.survey.rating.ending import code_to_come, has_left_the_panel_waiting, panel_ending
from survey_site.survey.rating.leaving import stop_rating, withdraw_rater
from survey_site.survey.rating.services import save_open_ratings, save_ratings, submit_questionnaire
from survey_site.survey.rating.validators import plain_lines


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def questionnaire(request: HttpRequest, visit: Visit, assignment: Assignment) -> HttpResponse:
    if request.method != "POST":
        return show_rating_page(request, assignment)
    now = timezone.now()
    answers, turn = posted_answers(request.POST), posted_turn(request.POST)
    if _changes_comment(request.POST):
        save_comment(assignment=assignment, text=request.POST["comment"], now=now, turn=turn)
    if "language" in request.POST:
        if answers:
            save_ratings(assignment=assignment, answers=answers, turn=turn, now=now)
        response = redirect("survey:questionnaire", visit.batch.token, assignment.code)
        keep_language(request, response, visit.batch, visit.rater, request.POST["language"])
        return response
    submission = submit_questionnaire(assignment=assignment, answers=answers, turn=turn, now=now)
    if submission.complete:
        return redirect("survey:done", visit.batch.token)
    submission.assignment.refresh_from_db(fields=["comment"])
    return show_rating_page(request, submission.assignment, missing=submission.missing, status=422)


def _changes_comment(posted: QueryDict) -> bool:
    """Whether the page's remark is another than it was shown with: another tab may have written one since."""
    if "comment" not in posted:
        return False
    before = posted.get("comment_before")
    return before is None or plain_lines(before) != plain_lines(posted.get("comment", ""))


@require_POST
@rater_page
def rate(request: HttpRequest, visit: Visit, code: str) -> JsonResponse:
    """Store one answer at once: item=<code>&value=1..6, or value=<reason>&words=<text> for a mark.

    Or, with comment=<text>, the remark. The rating that stands then comes back; null where a mark does.
    Both with tab=<name>&turn=<number> for their place in time. Or, with answers=<list>&tab=<name>, several
    answers, each with its turn: what comes back says of each what stands, or why it was refused.
    """
    if "answers" in request.POST:
        return _rate_each(request, visit, code)
    now, turn = timezone.now(), posted_turn(request.POST)
    if "comment" in request.POST:
        assignment = find_own_assignment(visit, code)
        save_comment(assignment=assignment, text=request.POST["comment"], now=now, turn=turn)
        return JsonResponse(_already_submitted(assignment))
    item = request.POST.get("item", "")
    answers = {item: as_answer(request.POST.get("value", ""), request.POST.get("words", ""))}
    if rater := visit.rater:
        ratings = save_open_ratings(rater=rater, code=code, answers=answers, turn=turn, now=now)
        if ratings is not None:
            return JsonResponse(_standing(ratings, item))
    assignment = find_own_assignment(visit, code)
    ratings = save_ratings(assignment=assignment, answers=answers, turn=turn, now=now)
    return JsonResponse(_standing(ratings, item) | _already_submitted(assignment))


def _rate_each(request: HttpRequest, visit: Visit, code: str) -> JsonResponse:
    given, find = posted_bunch(request.POST), partial(find_own_assignment, visit, code)
    rater = visit.rater or find().rater  # which refuses where nobody is known
    outcomes, page = save_each(rater=rater, code=code, given=given, now=timezone.now(), find=find)
    told = [{"item": one.code, **_told(outcome)} for one, outcome in zip(given, outcomes, strict=True)]
    return JsonResponse({"answers": told, **(_already_submitted(page) if page else {})})


def _told(outcome: Outcome) -> dict[str, object]:
    if isinstance(outcome, ApplicationError):
        return {"message": str(outcome.message), "action": str(outcome.action)}
    return {"value": outcome and outcome.value}


def _standing(ratings: dict[str, Rating], item: str) -> dict[str, int | None]:
    return {"value": ratings[item].value if item in ratings else None}


def _already_submitted(assignment: Assignment) -> dict[str, bool]:
    """For a page that was opened before another tab submitted."""
    return {"submitted": True} if assignment.is_submitted else {}


@require_safe
@rater_page
def done(request: HttpRequest, visit: Visit) -> HttpResponse:
    batch, rater = visit.batch, visit.rater
    if rater is None:
        return redirect("survey:join", batch.token)
    if rater.withdrawn_at:
        context = {"batch": batch, "from_panel": has_left_the_panel_waiting(rater)}
        return render(request, "survey/withdrawn.html", context)
    now = timezone.now()
    progress = rater_progress(rater, now=now)
    over = batch.is_over(now)
    if rater.entry == Entry.PANEL and batch.is_paused and not (over or progress.done or progress.open):
        return redirect("survey:join", batch.token)  # which says what to do on the panel
    waits = not over and not progress.available and may_get_more(rater, progress)
    waiting = waits and next_expiry(batch, now=now, rater=rater)
    context = {"batch": batch, "progress": progress, "over": over, "waiting": waiting}
    context["last"] = progress.last_submitted
    context["own_link"] = rater.entry != Entry.OPEN
    participation, stopped = read_participation(batch), "stopped" in request.GET
    context["ending"] = panel_ending(rater.entry, participation, progress, rater, stopped=stopped)
    if not context["ending"]:
        context["due"] = code_to_come(rater.entry, participation, progress, stopped=stopped)
    context["stopped"] = stopped and rater.entry == Entry.PANEL  # going on would be unpaid work
    return render(request, "survey/done.html", context)


@require_safe
@rater_page
def leave(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Stopping and withdrawing, each explained before it is done."""
    batch, rater = visit.batch, visit.rater
    if rater is None or rater.withdrawn_at:
        return redirect("survey:done", batch.token)
    progress = rater_progress(rater, now=timezone.now())
    participation = read_participation(batch)
    due = code_to_come(rater.entry, participation, progress)
    context = {"batch": batch, "progress": progress, "due": due, "facts": study_facts(batch, participation)}
    return render(request, "survey/leave.html", context)


@require_POST
@rater_page
def stop(_request: HttpRequest, visit: Visit) -> HttpResponse:
    if visit.rater is None:
        return redirect("survey:done", visit.batch.token)
    stop_rating(rater=visit.rater)
    return redirect(f"{reverse('survey:done', args=[visit.batch.token])}?stopped=1")


@require_POST
@rater_page
def withdraw(_request: HttpRequest, visit: Visit) -> HttpResponse:
    if visit.rater:
        withdraw_rater(rater=visit.rater, now=timezone.now())
    return redirect("survey:done", visit.batch.token)
