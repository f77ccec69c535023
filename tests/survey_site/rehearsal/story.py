"""A small rehearsal told through the services, with the memory that scripts would have of it."""

from datetime import timedelta

from survey_site.rehearsal.findings import Evidence
from survey_site.rehearsal.invariants import Verdict, check_invariants
from survey_site.rehearsal.logbook import Exchange, Logbook, Return
from survey_site.rehearsal.snapshot import read_snapshot
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_rater, save_rating

LATER = NOW + timedelta(hours=3)


class Story:
    """One questionnaire of three items for two raters, and whoever comes along."""

    def __init__(self) -> None:
        self.batch = make_batch(corpus=make_corpus(documents=1))
        self.logbook = Logbook()
        self.raters: dict[int, Rater] = {}

    def claim(self, number: int, *, now=NOW) -> Assignment:
        self.logbook.labels[number] = f"rater {number}"
        self.raters.setdefault(number, make_rater(self.batch))
        assignment = claim_questionnaire(rater=self.raters[number], now=now)
        self.logbook.add_claim(number, assignment.code)
        self.logbook.exchanges.append(Exchange(number, "start", 1, 2, 302, True))
        return assignment

    def rate(self, assignment: Assignment, *values: int, now=NOW) -> None:
        """The values for the first items, in page order."""
        for code, value in zip(codes(assignment), values, strict=False):
            with self.logbook.writing(assignment.code, {code: value}):
                save_rating(assignment=assignment, code=code, value=value, now=now)

    def submit(self, assignment: Assignment, *values: int, now=NOW) -> None:
        answers = dict(zip(codes(assignment), values, strict=True))
        with self.logbook.writing(assignment.code, answers):
            submit_questionnaire(assignment=assignment, answers=answers, now=now)
        self.logbook.add_submission(assignment.code)

    def come_back(self) -> None:
        for code, raters in self.logbook.claims.items():
            placements = Assignment.objects.get(code=code).placements.select_related("rating")
            shown = {one.code: getattr(getattr(one, "rating", None), "value", None) for one in placements}
            self.logbook.returns.append(Return(min(raters), code, shown))

    def check(self) -> Verdict:
        return check_invariants(Evidence(read_snapshot(self.batch), self.logbook))

    def violations(self) -> list[str]:
        return [str(one) for one in self.check().violations]


def codes(assignment: Assignment) -> list[str]:
    return list(assignment.placements.order_by("position").values_list("code", flat=True))


def tell_story() -> Story:
    """Two submit, the first of them after a change; a third comes late and becomes surplus."""
    story = Story()
    late = story.claim(3)
    story.rate(late, 6)
    first, second = story.claim(1, now=LATER), story.claim(2, now=LATER)
    story.rate(first, 1, 2, 3)
    story.rate(first, 4)
    story.submit(first, 4, 2, 3, now=LATER)
    story.submit(second, 5, 5, 5, now=LATER)
    story.submit(late, 6, 1, 1, now=LATER)
    story.come_back()
    return story
