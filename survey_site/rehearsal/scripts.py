"""The scripts of the raters: who does what. A rater's number and the seed decide all of it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import cycle, islice
from random import Random

from django.utils import timezone

from survey_site.rehearsal.browser import HangUp
from survey_site.rehearsal.expiry import expire_claim
from survey_site.rehearsal.pages import PageForm
from survey_site.rehearsal.person import Person, Questionnaire

LEAST_RATERS = 6
MOST_QUESTIONNAIRES = 6  # of one rater, so that a large batch is not rehearsed to its end
Answers = dict[str, int]


class Role(StrEnum):
    """What is special about a rater."""

    PLAIN = "form only"
    NORMAL = "normal"
    DOUBLE = "double click"
    BACK = "back button"
    TABS = "two tabs"
    BROKEN = "dropped connection"
    FORGETFUL = "forgets items"
    SLOW = "slow, past expiry"
    LATE = "late submit"
    LEAVER = "leaves"
    RACER = "races for the last place"


ABSENT = frozenset({Role.LATE, Role.LEAVER})
CROWD = tuple(role for role in Role if role not in ABSENT | {Role.RACER})


@dataclass(frozen=True)
class Script:
    """One rater's part."""

    number: int
    role: Role
    seed: int

    @property
    def label(self) -> str:
        return f"rehearsal {self.number} ({self.role})"

    @property
    def chance(self) -> Random:
        return Random(f"{self.seed}/{self.number}")  # noqa: S311 - reproducible, not secret


def plan_scripts(*, raters: int, seed: int) -> tuple[Script, ...]:
    """Parts for at least 6 raters: a tenth leave, a tenth submit late, and more race for their places."""
    if raters < LEAST_RATERS:
        raise ValueError(f"A rehearsal needs at least {LEAST_RATERS} raters, not {raters}.")
    tenth = max(1, raters // 10)
    fixed = [Role.LATE] * tenth + [Role.LEAVER] * tenth + [Role.RACER] * (2 * tenth + max(1, raters // 20))
    chance = Random(seed)  # noqa: S311
    crowd = chance.sample(CROWD, len(CROWD))
    roles = fixed + list(islice(cycle(crowd), raters - len(fixed)))
    chance.shuffle(roles)
    return tuple(Script(number, role, seed) for number, role in enumerate(roles, 1))


def play(script: Script, person: Person) -> None:
    """Do the whole part. Returns when there is nothing left to do for this rater."""
    if script.role == Role.RACER:
        _race(person)
    elif script.role in ABSENT:
        _stay_away(person, submits=script.role == Role.LATE)
    else:
        _work(person, script.role)


def _work(person: Person, role: Role) -> None:
    form: PageForm | None = person.open_survey()
    for count in range(MOST_QUESTIONNAIRES):
        code = _claim(person, role, form) if form else None
        if count == 0:
            person.stage.settled.arrive(person.number)
            person.stage.settled.wait(person.stage.stop)
        if code is None:
            break
        form = FILLERS[role](person, person.open_questionnaire(code))
    person.stage.served.arrive(person.number)


def _race(person: Person) -> None:
    """Open the survey before the last places are free, and press the button with all the others."""
    stage = person.stage
    form = person.open_survey()
    stage.vacated.wait(stage.stop)
    stage.lined_up.arrive(person.number)
    stage.lined_up.wait(stage.stop)
    code = person.press_start(form)
    stage.raced.arrive(person.number)
    person.logbook.count("races won" if code else "races lost")
    if code:
        _fill_normally(person, person.open_questionnaire(code))


def _stay_away(person: Person, *, submits: bool) -> None:
    """Answer half, stay away until the claim has run out and the racers have been; perhaps submit then."""
    stage = person.stage
    code = person.press_start(person.open_survey())
    if code is None:
        return
    page = person.open_questionnaire(code)
    answers = draw_answers(person, page)
    _rate(person, page, halve(answers)[0])
    stage.settled.arrive(person.number)
    stage.served.wait(stage.stop)
    _let_expire(person, code)
    stage.vacated.arrive(person.number)
    if submits:
        stage.raced.wait(stage.stop)
        person.submit(page, answers)


def _claim(person: Person, role: Role, form: PageForm) -> str | None:
    if role == Role.DOUBLE:
        return person.double_click_start(form)
    if role == Role.BROKEN:
        person.start_without_answer(form, _draw_hang_up(person))
    return person.press_start(form)


def draw_answers(person: Person, page: Questionnaire) -> Answers:
    return {item: person.chance.randint(1, 6) for item in page.items}


def halve(answers: Answers) -> tuple[Answers, Answers]:
    pairs = list(answers.items())
    return dict(pairs[: len(pairs) // 2]), dict(pairs[len(pairs) // 2 :])


def _draw_hang_up(person: Person) -> HangUp:
    return person.chance.choice(list(HangUp))


def _rate(person: Person, page: Questionnaire, answers: Answers) -> None:
    for item, value in answers.items():
        person.rate(page, item, value)


def _let_expire(person: Person, code: str) -> None:
    if expire_claim(code=code, now=timezone.now()):
        person.logbook.count("claims expired")


def _fill_plainly(person: Person, page: Questionnaire) -> PageForm | None:
    """Without JavaScript nothing is sent before the form is, nor with it anything but the answers."""
    person.think()
    return person.submit(replace(page, tab=""), draw_answers(person, page))


def _fill_normally(person: Person, page: Questionnaire) -> PageForm | None:
    answers = draw_answers(person, page)
    _rate(person, page, answers)
    return person.submit(page, answers)


def _fill_and_double_click(person: Person, page: Questionnaire) -> PageForm | None:
    answers = draw_answers(person, page)
    _rate(person, page, answers)
    return person.double_click_submit(page, answers)


def _fill_and_go_back(person: Person, page: Questionnaire) -> PageForm | None:
    """Submit, go back to the page as the browser kept it, change some answers, and submit again."""
    answers = draw_answers(person, page)
    _rate(person, page, answers)
    person.submit(page, answers)
    changed = {item: person.chance.randint(1, 6) for item in person.chance.sample(page.items, 2)}
    _rate(person, page, changed)
    person.logbook.count("changes after submit")
    return person.submit(page, answers | changed)


def _fill_in_two_tabs(person: Person, page: Questionnaire) -> PageForm | None:
    """Both tabs at once, with different answers."""
    other = person.open_questionnaire(page.code)
    mine = draw_answers(person, page)
    theirs = {item: value % 6 + 1 for item, value in mine.items()}
    with ThreadPoolExecutor(2) as pool:
        tabs = [pool.submit(partial(_fill_tab, person, *tab)) for tab in ((page, mine), (other, theirs))]
    person.logbook.count("two tabs")
    first, _ = (tab.result() for tab in tabs)
    return first


def _fill_tab(person: Person, page: Questionnaire, answers: Answers) -> PageForm | None:
    _rate(person, page, answers)
    return person.submit(page, answers)


def _fill_over_a_bad_line(person: Person, page: Questionnaire) -> PageForm | None:
    """The line breaks in the middle of a save; the rater answers again, at times otherwise."""
    answers = draw_answers(person, page)
    for item, value in answers.items():
        if person.chance.random() < 0.5:
            first = person.chance.choice([value, person.chance.randint(1, 6)])
            person.rate_without_answer(page, item, first, _draw_hang_up(person))
        person.rate(page, item, value)
    person.submit_without_answer(page, answers, _draw_hang_up(person))
    return person.submit(page, answers)


def _fill_forgetfully(person: Person, page: Questionnaire) -> PageForm | None:
    """Submit with items missing; the site keeps the others and names the gaps."""
    answers = draw_answers(person, page)
    first, rest = halve(answers)
    _rate(person, page, first)
    person.submit(page, first)
    _rate(person, page, rest)
    return person.submit(page, answers)


def _fill_slowly(person: Person, page: Questionnaire) -> PageForm | None:
    """Half of it, a pause past the claim's end, in which others may take the place, then the rest."""
    answers = draw_answers(person, page)
    first, rest = halve(answers)
    _rate(person, page, first)
    _let_expire(person, page.code)
    for _ in range(10):
        person.think()
    _rate(person, page, rest)
    return person.submit(page, answers)


FILLERS: dict[Role, Callable[[Person, Questionnaire], PageForm | None]] = {
    Role.PLAIN: _fill_plainly,
    Role.NORMAL: _fill_normally,
    Role.DOUBLE: _fill_and_double_click,
    Role.BACK: _fill_and_go_back,
    Role.TABS: _fill_in_two_tabs,
    Role.BROKEN: _fill_over_a_bad_line,
    Role.FORGETFUL: _fill_forgetfully,
    Role.SLOW: _fill_slowly,
}
