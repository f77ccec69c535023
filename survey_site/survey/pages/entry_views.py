"""The rater's pages before the first questionnaire: what it is about, consent, questions about oneself."""

from http import HTTPStatus
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_effort, documents_of, has_articles, what_is_short
from survey_site.batches.translations import shown_wording
from survey_site.common.errors import NotFoundError
from survey_site.survey.models import Assignment, Entry, PairUse, Participation, Rater
from survey_site.survey.pages.access import Visit, rater_page
from survey_site.survey.pages.arrival import Way, arrive, has_ended, is_shut_out
from survey_site.survey.pages.examples import page_examples, shown_examples
from survey_site.survey.pages.forms import BackgroundForm, posted_answers
from survey_site.survey.pages.kept_pages import may_be_kept, show_first_page
from survey_site.survey.pages.practice import practice_feedback, practice_pairs
from survey_site.survey.pages.rating_page import lead_to_questionnaire
from survey_site.survey.pages.steps import step_of
from survey_site.survey.people.identity import (
    count_browsers,
    entry_of,
    invitation_secret,
    make_join_key,
    new_secret,
    panel_secret,
    read_join_key,
    remember_rater,
)
from survey_site.survey.people.joining import join_batch
from survey_site.survey.people.languages import keep_language, page_to_return_to
from survey_site.survey.people.limits import check_joining
from survey_site.survey.people.panels import MOST_BROWSERS, names_nobody, note_unfilled_link
from survey_site.survey.people.participation import (
    open_questions,
    read_participation,
    save_background,
)
from survey_site.survey.people.study import study_facts
from survey_site.survey.rating.claiming import claim_first
from survey_site.survey.rating.services import claim_questionnaire


@require_safe
@rater_page
def join(request: HttpRequest, visit: Visit) -> HttpResponse:
    participation = read_participation(visit.batch)
    if person := _panel_person(request, participation):
        return _enter_from_panel(request, visit, participation, person)
    arrival = arrive(visit, participation, now=timezone.now())
    if arrival.way == Way.DONE:
        return redirect("survey:done", visit.batch.token)
    context = {"batch": visit.batch, **vars(arrival)}
    if arrival.way == Way.FIRST_PAGE:
        context |= first_page(visit.batch) | {"join_key": arrival.consent and make_join_key(arrival.consent)}
        context["asks_name"] = may_ask_name(participation, visit.entry)
        context["facts"] = study_facts(visit.batch, participation)
        context["step"] = step_of("join", participation)
        if visit.rater is None and may_be_kept(request):
            return show_first_page(request, context, status=arrival.status)
    return render(request, f"survey/{arrival.way}.html", context, status=arrival.status)


def may_ask_name(participation: Participation, entry: str) -> bool:
    """Panels do not allow it."""
    return participation.asks_name and entry != Entry.PANEL


def first_page(batch: Batch) -> dict[str, Any]:
    """What the first page says of the survey, whoever reads it."""
    shown = {"examples": page_examples(batch), "wording": shown_wording(batch, get_language())}
    if batch.is_draft:
        return shown | _work(batch)
    design = f"work/{batch.token}/{batch.documents}/{batch.raters}"
    return shown | (cache.get_or_set(design, lambda: _work(batch), timeout=None) or {})


def _work(batch: Batch) -> dict[str, Any]:
    """How much there is to read; of a launched batch it changes with its design alone."""
    documents = documents_of(batch)
    return {
        "effort": batch_effort(batch),
        "has_articles": has_articles(batch, documents),
        "short": what_is_short(batch, documents),
    }


@require_safe
@rater_page
def invited(request: HttpRequest, visit: Visit, code: str) -> HttpResponse:
    """A personal link: the person's place, on whatever device."""
    secret = invitation_secret(visit.batch, code)
    if secret is None:
        raise NotFoundError(
            gettext("This personal link is not complete."),
            action=gettext("Check that all of the link was copied."),
        )
    return _enter(request, visit.batch, secret)


def _panel_person(request: HttpRequest, participation: Participation) -> str:
    """The panel's id of the person; empty where the link carries none or no panel is asked for.

    Django reads bytes that are no UTF-8 as Latin-1 where they are not escaped: here they are unknown signs.
    """
    if participation.entry != Entry.PANEL:
        return ""
    sent = request.META.get("QUERY_STRING", "").encode("latin-1", "replace").decode(errors="replace")
    return QueryDict(sent).get(participation.panel_parameter, "").strip()


def _enter_from_panel(
    request: HttpRequest, visit: Visit, participation: Participation, person: str
) -> HttpResponse:
    """Let in whom the link names, unless it names nobody, or one whose link many browsers have opened."""
    batch, names_none = visit.batch, names_nobody(person, participation.panel_parameter)
    secret = panel_secret(batch, person)
    if names_none:
        note_unfilled_link(batch, now=timezone.now())
    elif visit.secret == secret or count_browsers(batch, secret) <= MOST_BROWSERS:
        return _enter(request, batch, secret)
    context = {"batch": batch, "unfilled": names_none, "facts": study_facts(batch, participation)}
    return render(request, "survey/link_refused.html", context, status=HTTPStatus.FORBIDDEN)


def _enter(request: HttpRequest, batch: Batch, secret: str) -> HttpResponse:
    """Go to the first page under an address that says nothing about the person."""
    response = redirect("survey:join", batch.token)
    remember_rater(request, response, batch, secret)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def start(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Join if need be and go on. The form's key stands in for the cookie that a double click lacks.

    Who opens the address without the form is led to the page that has it.

    Where nothing comes before it a newcomer's questionnaire is claimed in the transaction in which they join:
    half of what that takes is spared, and one of two waits for the disk.
    """
    batch, now = visit.batch, timezone.now()
    if request.method != "POST" or (visit.entry == Entry.PANEL and is_shut_out(visit, now)):
        return redirect("survey:join", batch.token)
    if visit.rater is None:
        check_joining(request=request, batch=batch, now=now)
    form = read_join_key(request.POST.get("key", ""))
    secret = visit.secret or (form.secret if form else new_secret())
    asks_name = may_ask_name(read_participation(batch), entry_of(secret))
    claimed: list[Assignment | None] = []
    practised = "practised" in request.POST

    def claim(newcomer: Rater) -> None:
        if not open_questions(newcomer) and (practised or not read_participation(batch).practice):
            claimed.append(claim_first(newcomer, now))

    rater = join_batch(
        batch=batch,
        secret=secret,
        consent=form.consent if form else None,
        consent_language=form.language if form else "",
        language=get_language(),
        name=request.POST.get("name", "") if asks_name else "",
        entry=entry_of(secret),
        now=now,
        is_unknown=visit.rater is None,
        newcomer=claim,
    )
    response: HttpResponse
    if claimed and claimed[0]:
        response = lead_to_questionnaire(request, rater, claimed[0], is_first=True)
    else:
        response = _next_page(request, rater, practised=practised)
    remember_rater(request, response, batch, secret)
    return response


@require_safe
@rater_page
def declined(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The end for somebody who does not agree. Nothing is stored, so there is nothing to undo."""
    context = {"batch": visit.batch, "from_panel": visit.entry == Entry.PANEL}
    return render(request, "survey/declined.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def about(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The optional questions, once; then the questionnaire that all this was for."""
    batch, rater = visit.batch, visit.rater
    if rater and has_ended(rater, timezone.now()):
        return redirect("survey:done", batch.token)
    questions = open_questions(rater) if rater else ()
    if rater is None or (not questions and request.method != "POST"):
        return redirect("survey:join", batch.token)
    form = BackgroundForm(request.POST if request.method == "POST" else None, questions=questions)
    if form.is_valid():
        save_background(rater=rater, answers=form.cleaned_data)
        return _next_page(request, rater, practised=False)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    context = {"batch": batch, "form": form, "step": step_of("about", read_participation(batch))}
    return render(request, "survey/about.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def practice(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Three pairs and, once they are posted, how we would rate them. Nothing is stored."""
    batch, rater = visit.batch, visit.rater
    if rater is None or has_ended(rater, timezone.now()):
        return redirect("survey:join", batch.token)
    examples = shown_examples(batch, get_language(), PairUse.PRACTICE)
    page = practice_pairs(examples, posted_answers(request.POST))
    feedback = practice_feedback(page, examples, batch.scale) if request.method == "POST" else None
    context = {"batch": batch, "page": page, "feedback": feedback}
    context["wording"] = shown_wording(batch, get_language())
    context["step"] = step_of("practice", read_participation(batch))
    return render(request, "survey/practice.html", context)


@require_POST
@rater_page
def choose_language(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The same page in another language."""
    response = redirect(page_to_return_to(visit.batch, request.POST.get("next", "")))
    keep_language(request, response, visit.batch, visit.rater, request.POST.get("language", ""))
    return response


def _next_page(request: HttpRequest, rater: Rater, *, practised: bool) -> HttpResponse:
    """Whatever comes first: questions, practice, a questionnaire to claim, or the end where there is none."""
    batch, now = rater.batch, timezone.now()
    if has_ended(rater, now):
        return redirect("survey:done", batch.token)
    if open_questions(rater):
        return redirect("survey:about", batch.token)
    wants_practice = not practised and read_participation(batch).practice and batch.hands_out(now)
    if wants_practice and not rater.assignments.exists():
        return redirect("survey:practice", batch.token)
    assignment = claim_questionnaire(rater=rater, now=now)
    if assignment is None:
        return redirect("survey:done", batch.token)
    return lead_to_questionnaire(request, rater, assignment)
