"""A walk through a batch as a rater: their own pages, with people and answers that nobody stores.

Every page is drawn by the rater's template. Its links and forms lead to the raters' addresses, so these are
replaced by the walk's, which have the same ends.
"""

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from survey_site.batches.models import Batch
from survey_site.batches.planning import sketch_questionnaire
from survey_site.batches.states import AssignmentState
from survey_site.common.languages import Language
from survey_site.common.languages import language as named
from survey_site.survey.models import Assignment, Entry, Participation
from survey_site.survey.pages.questionnaire import QuestionnaireView, sketch_order, sketch_view
from survey_site.survey.people.background import asked_questions
from survey_site.survey.queries import MOST_COUNTED, RaterProgress
from survey_site.survey.rating.validators import Answers

NUMBER = "walk-"
"""Begins the code of a questionnaire; its number follows."""


@dataclass(frozen=True)
class Walk:
    """Somebody of the staff on their way through a batch, in one of its languages."""

    request: HttpRequest
    batch: Batch
    language: str
    participation: Participation
    page: str

    @property
    def entry(self) -> str:
        """As whom they come."""
        return self.participation.entry

    @property
    def from_panel(self) -> bool:
        return self.entry == Entry.PANEL

    @property
    def pages(self) -> list[tuple[str, str]]:
        """The end of the address and the name of each page, in the order of the way."""
        asks, practises = bool(asked_questions(self.participation)), self.participation.practice
        return [
            ("", "First page and consent"),
            *([("about-you", "About you")] if asks else []),
            *([("practice", "Practice")] if practises else []),
            (f"q/{NUMBER}1", "Questionnaire"),
            ("done", "Last page"),
            ("leave", "Stop or withdraw"),
            *([("late", "Too late")] if self.participation.no_place_code and self.from_panel else []),
        ]

    @property
    def steps(self) -> list[tuple[str, str, bool]]:
        """Address and name of each page, and whether it is this one."""
        return [(self.address(page), name, page == self.page) for page, name in self.pages]

    @property
    def languages(self) -> list[tuple[str, Language]]:
        """This page in every language of the batch."""
        return [(self.address(self.page, code), named(code)) for code in self.batch.languages]

    @property
    def codes(self) -> list[tuple[str, str]]:
        """Who gets which code at the end; none for all but panels."""
        codes = {
            "completed": self.participation.completed_code,
            "no place left": self.participation.no_place_code,
            "stopped early": self.participation.partial_code,
            "failed checks": self.participation.failed_code,
        }
        return list(codes.items()) if self.from_panel else []

    def address(self, page: str = "", language: str = "") -> str:
        start = reverse("batches:walk", args=[self.batch.pk, language or self.language])
        return f"{start}{page}/" if page else start

    def go(self, page: str) -> HttpResponse:
        return redirect(self.address(page))

    def after(self, page: str) -> HttpResponse:
        """Go to the page that a rater reaches after this one."""
        pages = [one for one, _ in self.pages]
        return self.go(pages[pages.index(page) + 1] if page in pages else "")

    def show(self, template: str, status: int = 200, **context: Any) -> HttpResponse:
        """The rater's page, all of whose addresses lead on in the walk."""
        context |= {"batch": self.batch, "walk": self}
        response = render(self.request, f"survey/{template}.html", context, status=status)
        raters = reverse("survey:join", args=[self.batch.token])
        response.content = response.content.replace(raters.encode(), self.address().encode())
        return response


def progress_after(walk: Walk, done: int, *, begun: bool = False) -> RaterProgress:
    """Where a rater stands who has completed so many; begun: whether one more is open."""
    _, total, _ = sketch_questionnaire(walk.batch, 1)
    most = min(total, walk.participation.limit or total)
    states = [AssignmentState.SUBMITTED] * min(done, most) + [AssignmentState.OPEN] * begun
    own = (Assignment(code=f"{NUMBER}{number}", state=state) for number, state in enumerate(states, start=1))
    available = max(0, most - done - begun)
    many = not walk.participation.limit and available > MOST_COUNTED
    return RaterProgress(tuple(own), available, many)


def sketch_page(walk: Walk, number: int, answers: Answers | None = None) -> QuestionnaireView:
    """Questionnaire `number` as some rater might see it; with answers, what has none is pointed out."""
    questionnaire, _, items = sketch_questionnaire(walk.batch, number)
    page = sketch_view(questionnaire, sketch_order(items, seed=f"{walk.batch.seed}/preview"))
    if answers is None:
        return page
    pairs = (
        replace(pair, value=answers.ratings.get(pair.code), mark=answers.marks.get(pair.code))
        for pair in page.pairs
    )
    return replace(page, pairs=tuple(replace(pair, missing=not pair.is_answered) for pair in pairs))
