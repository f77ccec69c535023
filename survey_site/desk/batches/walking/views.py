"""The pages of a walk through a batch as a rater. None writes a row; what is posted is forgotten."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import override
from django.views.decorators.http import require_http_methods, require_safe

from survey_site.accounts.permissions import reader_required
from survey_site.batches.translations import require_offered, shown_wording
from survey_site.desk.batches.previewed import remember_preview
from survey_site.desk.batches.walking.walk import NUMBER, Walk, progress_after, sketch_page
from survey_site.desk.lookup import get_surveyed
from survey_site.survey.models import MAX_COMMENT, Assignment, Entry, PairUse
from survey_site.survey.pages.arrival import Arrival
from survey_site.survey.pages.entry_views import first_page, may_ask_name
from survey_site.survey.pages.examples import page_examples, shown_examples
from survey_site.survey.pages.forms import BackgroundForm, posted_answers
from survey_site.survey.pages.practice import practice_feedback, practice_pairs
from survey_site.survey.pages.script_texts import ScriptTexts
from survey_site.survey.pages.steps import step_of
from survey_site.survey.people.background import asked_questions
from survey_site.survey.people.consent import consent_wording
from survey_site.survey.people.identity import make_join_key
from survey_site.survey.people.participation import read_participation
from survey_site.survey.people.study import study_facts
from survey_site.survey.rating.ending import code_after, code_to_come, panel_ending
from survey_site.survey.rating.validators import Answers, validate_answers


@require_safe
@reader_required
def begin(_request: HttpRequest, pk: int) -> HttpResponse:
    """The walk begins in the batch's own language."""
    return redirect("batches:walk", pk, get_surveyed(pk).language)


@require_http_methods(["GET", "HEAD", "POST"])
@reader_required
def walk(request: HttpRequest, pk: int, language: str, page: str = "") -> HttpResponse:
    """One page of the walk; `page` is the end of the address that raters have."""
    batch = get_surveyed(pk)
    require_offered(batch, language)
    here = Walk(request, batch, language, read_participation(batch), page)
    with override(language):
        if page.startswith("q/"):
            return _questionnaire(here)
        if page not in PAGES:
            raise Http404
        return PAGES[page](here)


def _first(here: Walk) -> HttpResponse:
    batch, settings = here.batch, here.participation
    consent = consent_wording(batch, settings, here.language)
    arrival = Arrival(
        consent=consent,
        own_link=here.entry != Entry.OPEN,
        limit=settings.limit,
        code_after=code_after(here.entry, settings),
    )
    return here.show(
        "join",
        **vars(arrival),
        **first_page(batch),
        join_key=make_join_key(consent),
        asks_name=may_ask_name(settings, here.entry),
        facts=study_facts(batch, settings),
        step=step_of("join", settings),
    )


def _start(here: Walk) -> HttpResponse:
    """Where a rater goes who presses the button of the first page, of the practice, or of the last page."""
    if "key" in here.request.POST:
        return here.after("")
    done = 0 if "practised" in here.request.POST else _done(here)
    return here.go(f"q/{NUMBER}{done + 1}")


def _about(here: Walk) -> HttpResponse:
    posted = here.request.POST if here.request.method == "POST" else None
    form = BackgroundForm(posted, questions=asked_questions(here.participation))
    if form.is_valid():
        return here.after("about-you")
    return here.show("about", form=form, step=step_of("about", here.participation))


def _practice(here: Walk) -> HttpResponse:
    examples = shown_examples(here.batch, here.language, PairUse.PRACTICE)
    page = practice_pairs(examples, posted_answers(here.request.POST))
    was_sent = here.request.method == "POST"
    return here.show(
        "practice",
        page=page,
        feedback=practice_feedback(page, examples, here.batch.scale) if was_sent else None,
        wording=shown_wording(here.batch, here.language),
        step=step_of("practice", here.participation),
    )


def _questionnaire(here: Walk) -> HttpResponse:
    _, code, *rest = here.page.split("/")
    number = code.removeprefix(NUMBER)
    if not number.isdecimal():
        raise Http404
    if rest:
        return JsonResponse({"value": here.request.POST.get("value")})
    if here.request.method != "POST":
        return _rating_page(here, int(number), None)
    answers = validate_answers(here.batch, posted_answers(here.request.POST))
    if sketch_page(here, int(number), answers).missing:
        return _rating_page(here, int(number), answers)
    here.request.session[_walked(here)] = int(number)
    return here.go("done")


def _rating_page(here: Walk, number: int, answers: Answers | None) -> HttpResponse:
    page = sketch_page(here, number, answers)
    remember_preview(here.request, here.batch)
    return here.show(
        "questionnaire",
        status=422 if answers is not None else 200,
        page=page,
        assignment=Assignment(code=f"{NUMBER}{number}"),
        progress=progress_after(here, number - 1, begun=True),
        number=number,
        examples=page_examples(here.batch),
        wording=shown_wording(here.batch, here.language),
        script_texts=ScriptTexts(len(page.pairs)),
        comment="",
        longest_comment=MAX_COMMENT,
    )


def _done(here: Walk) -> int:
    """How many questionnaires were completed on this walk."""
    return int(here.request.session.get(_walked(here), 1))


def _walked(here: Walk) -> str:
    return f"walked {here.batch.pk}"


def _last(here: Walk) -> HttpResponse:
    stopped = "stopped" in here.request.GET
    progress = progress_after(here, _done(here))
    ending = panel_ending(here.entry, here.participation, progress, stopped=stopped)
    due = None if ending else code_to_come(here.entry, here.participation, progress, stopped=stopped)
    more = {"own_link": here.entry != Entry.OPEN, "stopped": stopped and here.from_panel}
    return here.show("done", progress=progress, ending=ending, due=due, **more)


def _leave(here: Walk) -> HttpResponse:
    progress = progress_after(here, _done(here), begun=True)
    due = code_to_come(here.entry, here.participation, progress)
    facts = study_facts(here.batch, here.participation)
    return here.show("leave", progress=progress, due=due, facts=facts)


def _stop(here: Walk) -> HttpResponse:
    return redirect(f"{here.address('done')}?stopped=1")


def _late(here: Walk) -> HttpResponse:
    """Where there is a code for it; else nobody is sent to that page, and the walk begins anew."""
    ending = panel_ending(here.entry, here.participation, None)
    return here.show("late", late=True, ending=ending) if ending else here.go("")


PAGES: dict[str, Callable[[Walk], HttpResponse]] = {
    "": _first,
    "start": _start,
    "declined": lambda here: here.show("declined", from_panel=here.from_panel),
    "about-you": _about,
    "practice": _practice,
    "done": _last,
    "leave": _leave,
    "leave/stop": _stop,
    "leave/withdraw": lambda here: here.show("withdrawn", from_panel=here.from_panel),
    "late": _late,
}
"""By the end of their address, which is that of the rater's page."""
