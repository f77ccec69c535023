"""The rater's pages before the first questionnaire: what it is about, consent, questions about oneself."""

from datetime import datetime
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_effort, has_articles
from survey_site.batches.translations import shown_wording
from survey_site.batches.window import in_words
from survey_site.common.errors import NotFoundError
from survey_site.survey.models import Entry, PairUse, Participation, Rater
from survey_site.survey.pages.access import rater_page
from survey_site.survey.pages.examples import page_examples, shown_examples
from survey_site.survey.pages.forms import BackgroundForm, posted_answers
from survey_site.survey.pages.practice import practice_feedback, practice_pairs
from survey_site.survey.people.consent import consent_wording
from survey_site.survey.people.identity import (
    entry_of,
    find_rater,
    invitation_secret,
    make_join_key,
    new_secret,
    panel_secret,
    read_join_key,
    read_secret,
    remember_rater,
)
from survey_site.survey.people.joining import join_batch
from survey_site.survey.people.languages import keep_language, page_to_return_to
from survey_site.survey.people.limits import check_joining
from survey_site.survey.people.participation import (
    may_enter,
    open_questions,
    read_participation,
    save_background,
)
from survey_site.survey.queries import has_consented, has_places, open_assignment, rater_progress
from survey_site.survey.rating.ending import code_after, panel_ending
from survey_site.survey.rating.services import claim_questionnaire
from survey_site.survey.rating.validators import SCALE


@require_safe
@rater_page
def join(request: HttpRequest, batch: Batch) -> HttpResponse:
    participation = read_participation(batch)
    if person := _panel_person(request, participation):
        return _enter(request, batch, panel_secret(batch, person))
    rater = find_rater(request, batch)
    entry = entry_of(read_secret(request, batch) or "")
    if not rater and batch.is_live and not may_enter(participation, entry):
        return render(request, "survey/link_needed.html", {"batch": batch}, status=HTTPStatus.FORBIDDEN)
    now = timezone.now()
    if rater and _has_ended(rater, now):
        return redirect("survey:done", batch.token)
    progress = rater and rater_progress(rater, now=now)
    if progress and progress.finished:
        return redirect("survey:done", batch.token)
    consent = consent_wording(batch, participation, get_language())
    over = batch.is_over(now)
    late = not rater and (over or not has_places(batch, now=now))
    if late and (ending := panel_ending(entry, participation, None)):
        return render(request, "survey/late.html", {"ending": ending, "over": over})
    context = {
        "late": late,
        "over": over,
        "opens": in_words(batch.opens_at) if batch.opens_at and batch.is_early(now) else "",
        "examples": page_examples(batch),
        "wording": shown_wording(batch, get_language()),
        "limit": participation.limit,
        "own_link": entry != Entry.OPEN,
        "code_after": code_after(entry, participation),
        "batch": batch,
        "effort": batch_effort(batch),
        "has_articles": has_articles(batch),
        "progress": progress,
        "consent": consent,
        "join_key": None if rater and has_consented(rater) else make_join_key(consent),
        "scale": SCALE,
    }
    return render(request, "survey/join.html", context, status=200 if rater or not over else 410)


@require_safe
@rater_page
def invited(request: HttpRequest, batch: Batch, code: str) -> HttpResponse:
    """A personal link: the person's place, on whatever device."""
    secret = invitation_secret(batch, code)
    if secret is None:
        raise NotFoundError(
            gettext("This personal link is not complete."),
            action=gettext("Check that all of the link was copied."),
        )
    return _enter(request, batch, secret)


def _panel_person(request: HttpRequest, participation: Participation) -> str:
    """The panel's id of the person; empty where the link carries none or no panel is asked for."""
    if participation.entry != Entry.PANEL:
        return ""
    return request.GET.get(participation.panel_parameter, "").strip()


def _enter(request: HttpRequest, batch: Batch, secret: str) -> HttpResponse:
    """Go to the first page under an address that says nothing about the person."""
    response = redirect("survey:join", batch.token)
    remember_rater(request, response, batch, secret)
    return response


@require_POST
@rater_page
def start(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Join if need be and go on. The form's key stands in for the cookie that a double click lacks."""
    now = timezone.now()
    if find_rater(request, batch) is None:
        check_joining(request=request, batch=batch, now=now)
    form = read_join_key(request.POST.get("key", ""))
    secret = read_secret(request, batch) or (form.secret if form else new_secret())
    rater = join_batch(
        batch=batch,
        secret=secret,
        consent=form.consent if form else None,
        consent_language=form.language if form else "",
        language=get_language(),
        name=request.POST.get("name", ""),
        entry=entry_of(secret),
        now=now,
    )
    response = _next_page(batch, rater, practised="practised" in request.POST)
    remember_rater(request, response, batch, secret)
    return response


@require_safe
@rater_page
def declined(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The end for somebody who does not agree. Nothing is stored, so there is nothing to undo."""
    from_panel = entry_of(read_secret(request, batch) or "") == Entry.PANEL
    return render(request, "survey/declined.html", {"batch": batch, "from_panel": from_panel})


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def about(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The optional questions, once; then the questionnaire that all this was for."""
    rater = find_rater(request, batch)
    if rater and _has_ended(rater, timezone.now()):
        return redirect("survey:done", batch.token)
    questions = open_questions(rater) if rater else ()
    if rater is None or (not questions and request.method != "POST"):
        return redirect("survey:join", batch.token)
    form = BackgroundForm(request.POST if request.method == "POST" else None, questions=questions)
    if form.is_valid():
        save_background(rater=rater, answers=form.cleaned_data)
        return _next_page(batch, rater, practised=False)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "survey/about.html", {"batch": batch, "form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def practice(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Three pairs and, once they are posted, how we would rate them. Nothing is stored."""
    rater = find_rater(request, batch)
    if rater is None or _has_ended(rater, timezone.now()):
        return redirect("survey:join", batch.token)
    examples = shown_examples(batch, get_language(), PairUse.PRACTICE)
    page = practice_pairs(examples, posted_answers(request.POST))
    feedback = practice_feedback(page, examples, batch.scale) if request.method == "POST" else None
    context = {"batch": batch, "page": page, "feedback": feedback, "scale": SCALE}
    context["wording"] = shown_wording(batch, get_language())
    return render(request, "survey/practice.html", context)


@require_POST
@rater_page
def choose_language(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The same page in another language."""
    response = redirect(page_to_return_to(batch, request.POST.get("next", "")))
    keep_language(request, response, batch, request.POST.get("language", ""))
    return response


def _next_page(batch: Batch, rater: Rater, *, practised: bool) -> HttpResponse:
    """Whatever comes first: questions, practice, a questionnaire to claim, or the end where there is none."""
    now = timezone.now()
    if _has_ended(rater, now):
        return redirect("survey:done", batch.token)
    if open_questions(rater):
        return redirect("survey:about", batch.token)
    wants_practice = not practised and read_participation(batch).practice and batch.hands_out(now)
    if wants_practice and not rater.assignments.exists():
        return redirect("survey:practice", batch.token)
    assignment = claim_questionnaire(rater=rater, now=now)
    if assignment is None:
        return redirect("survey:done", batch.token)
    return redirect("survey:questionnaire", batch.token, assignment.code)


def _has_ended(rater: Rater, now: datetime) -> bool:
    """Whether only the last page is left: withdrawn, or it is over and nothing of theirs is open."""
    return bool(rater.withdrawn_at) or (rater.batch.is_over(now) and open_assignment(rater) is None)
