"""One scripted rater: what a person does on the rater's pages, and what the logbook keeps of it."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import count
from random import Random
from typing import TypeVar

from survey_site.rehearsal.browser import Browser, HangUp, NoAnswer, Reply
from survey_site.rehearsal.logbook import Exchange, Logbook, Return
from survey_site.rehearsal.pages import PREFIX, PageForm, find_form, read_forms
from survey_site.rehearsal.stage import Stage, Stopped

PATIENCE_SECONDS = 90.0
RETRY_SECONDS = 0.3
MOST_FAULTS = 5
THINK_SECONDS = 0.05
PASSED_BY = {"about-you/": "about-you/", "practice/": "start/"}  # page -> where the form that leaves it goes
OK, FOUND, INCOMPLETE, TOO_MANY = 200, 302, 422, 429

Result = TypeVar("Result")
Press = Callable[[Callable[[], Reply]], list[Reply]]


class ServerFault(NoAnswer):
    """An answer with status 500 or above that does not say when to try again: worth some tries, not many."""


class GaveUp(Exception):  # noqa: N818 - what it says is a violation, told in the record
    """The site did not answer, or not as it must, so that this rater could not go on."""


@dataclass(frozen=True)
class Questionnaire:
    """A questionnaire as one tab shows it. tab: its name for the page's script; empty without one."""

    code: str
    form: PageForm
    tab: str

    @property
    def items(self) -> list[str]:
        return list(self.form.values)


class Person:
    """A browser with somebody in front of it who does not give up easily. `chance` decides all they do.

    scripts: whether the browser runs those of the pages.
    """

    def __init__(
        self,
        *,
        number: int,
        address: str,
        join_path: str,
        chance: Random,
        logbook: Logbook,
        stage: Stage,
        scripts: bool = True,
    ) -> None:
        self._scripts = scripts
        self.number, self.chance, self.logbook, self.stage = number, chance, logbook, stage
        self.browser = Browser(address)
        self._turns = count(1)
        self._join_path = join_path

    def open_survey(self) -> PageForm:
        """The start form of the survey's first page."""
        return self._form_of(self.persist(lambda: self._get("join", self._join_path)), "start/")

    def press_start(self, form: PageForm) -> str | None:
        """The code of the questionnaire that the site hands out; None if there is none."""
        return self._claim(form, self._once)

    def double_click_start(self, form: PageForm) -> str | None:
        return self._claim(form, self._twice)

    def start_without_answer(self, form: PageForm, hang_up: HangUp) -> None:
        self._break_line(lambda: self._start(form, hang_up))

    def open_questionnaire(self, code: str) -> Questionnaire:
        reply = self.persist(lambda: self._get("read", f"{self._join_path}q/{code}/"))
        return Questionnaire(code, self._form_of(reply, f"q/{code}/"), f"{self.number}t{next(self._turns)}")

    def rate(self, page: Questionnaire, item: str, value: int) -> None:
        """Choose a point, as the page's script sends it, again and again until it is acknowledged."""
        self.think()
        turn = self._turn(page)
        self.persist(lambda: self._rate(page, item, value, turn))

    def rate_without_answer(self, page: Questionnaire, item: str, value: int, hang_up: HangUp) -> None:
        turn = self._turn(page)
        self._break_line(lambda: self._rate(page, item, value, turn, hang_up))

    def submit(self, page: Questionnaire, answers: Mapping[str, int]) -> PageForm | None:
        """Send the form; gives the form of the next start, if the site offers one or asks for more."""
        turn = self._turn(page)
        return self._after_submit(self.persist(lambda: self._submit(page, answers, turn)))

    def double_click_submit(self, page: Questionnaire, answers: Mapping[str, int]) -> PageForm | None:
        turn = self._turn(page)
        replies = self._twice(lambda: self._submit(page, answers, turn))
        return self._after_submit(replies[0])

    def submit_without_answer(self, page: Questionnaire, answers: Mapping[str, int], hang_up: HangUp) -> None:
        turn = self._turn(page)
        self._break_line(lambda: self._submit(page, answers, turn, hang_up))

    def come_back(self) -> None:
        """Open every questionnaire of this person again and note what it shows.

        One that they were never told of, because the start that claimed it had no answer, is among them: the
        first page says that something is open, and the button leads there.
        """
        if not self.logbook.claims_of(self.number):
            return
        form = find_form(self.persist(self._look_in).body, "start/")
        if form and form.is_open:
            self.press_start(form)
        for code in sorted(self.logbook.claims_of(self.number)):
            page = self.open_questionnaire(code)
            self.logbook.returns.append(Return(self.number, code, page.form.values))

    def think(self) -> None:
        time.sleep(self.chance.uniform(0, 2 * THINK_SECONDS))

    def persist(self, act: Callable[[], Result]) -> Result:
        """Do it again until there is an answer, as a person whose connection is bad."""
        deadline, faults = time.monotonic() + PATIENCE_SECONDS, 0
        while True:
            if self.stage.stop.is_set():
                raise Stopped
            try:
                return act()
            except NoAnswer as reason:
                faults += isinstance(reason, ServerFault)
                if faults == MOST_FAULTS or time.monotonic() > deadline:
                    raise GaveUp(f"no good answer, the last: {reason}") from reason
            time.sleep(RETRY_SECONDS)

    def _once(self, act: Callable[[], Reply]) -> list[Reply]:
        return [self.persist(act)]

    def _twice(self, act: Callable[[], Reply]) -> list[Reply]:
        """Both clicks of a double click, at the same moment. The browser shows one answer, here the first."""
        with ThreadPoolExecutor(2) as pool:
            clicks = [pool.submit(self.persist, act) for _ in range(2)]
        self.logbook.count("double clicks")
        return [click.result() for click in clicks]

    def _break_line(self, act: Callable[[], Reply]) -> None:
        try:
            act()
        except NoAnswer:
            self.logbook.count("broken lines")

    def _claim(self, form: PageForm, press: Press) -> str | None:
        """Press start, and the button of each page that comes before the questionnaire.

        Some surveys ask newcomers about themselves or let them practise; neither must be done.
        """
        replies = press(lambda: self._start(form))
        for page, target in PASSED_BY.items():
            if (location := replies[0].location).endswith(page):
                shown = self._form_of(self.persist(partial(self._get, "pass by", location)), target)
                replies = press(partial(self._leave, shown))
        codes = [self._claimed(reply) for reply in replies]
        return codes[0]

    def _start(self, form: PageForm, hang_up: HangUp | None = None) -> Reply:
        fields = self._fields(form)
        if "key" in fields:
            fields |= {"name": self.logbook.labels[self.number]}
        send = partial(self.browser.post, form.action, fields, hang_up=hang_up)
        return self._exchange("start", send, {OK, FOUND})

    def _leave(self, form: PageForm) -> Reply:
        """Send the form of a page that is passed by."""
        send = partial(self.browser.post, form.action, self._fields(form))
        return self._exchange("pass by", send, {OK, FOUND})

    def _fields(self, form: PageForm) -> dict[str, str]:
        return form.fields | (form.of_scripts if self._scripts else {})

    def _claimed(self, reply: Reply) -> str | None:
        """The code of the questionnaire that the answer shows or leads to."""
        shown = next((one.action for one in read_forms(reply.body) if "/q/" in one.action), "")
        address = reply.location or shown
        code = address.rstrip("/").rpartition("/q/")[2] if "/q/" in address else None
        if code:
            self.logbook.add_claim(self.number, code)
        return code

    def _turn(self, page: Questionnaire) -> dict[str, str]:
        """What the page's script says of an answer given now; the same for each attempt to send it."""
        return {"tab": page.tab, "turn": str(next(self._turns))} if page.tab else {}

    def _rate(
        self,
        page: Questionnaire,
        item: str,
        value: int,
        turn: Mapping[str, str],
        hang_up: HangUp | None = None,
    ) -> Reply:
        headers = {"X-CSRFToken": page.form.fields["csrfmiddlewaretoken"], "Accept": "application/json"}
        fields = {"item": item, "value": value, **turn}
        send = partial(self.browser.post, page.form.rate_url, fields, headers=headers, hang_up=hang_up)
        with self.logbook.writing(page.code, {item: value}):
            return self._exchange("rate", send, {OK})

    def _submit(
        self,
        page: Questionnaire,
        answers: Mapping[str, int],
        turn: Mapping[str, str],
        hang_up: HangUp | None = None,
    ) -> Reply:
        """Complete or not, the site keeps the answers: the page that names what is missing says so."""
        values = {f"{PREFIX}{item}": str(value) for item, value in answers.items()}
        fields = {**page.form.fields, **values, **turn}
        send = partial(self.browser.post, page.form.action, fields, hang_up=hang_up)
        with self.logbook.writing(page.code, answers):
            reply = self._exchange("submit", send, {FOUND, INCOMPLETE})
        if reply.status == FOUND:
            self.logbook.add_submission(page.code)
        return reply

    def _after_submit(self, reply: Reply) -> PageForm | None:
        if reply.status == INCOMPLETE:
            return None
        done = self.persist(lambda: self._get("done", reply.location))
        return find_form(done.body, "start/")

    def _look_in(self) -> Reply:
        """The survey's first page; whoever has finished is led on to the last one."""
        reply = self._exchange("join", lambda: self.browser.get(self._join_path), {OK, FOUND})
        return self._get("done", reply.location) if reply.status == FOUND else reply

    def _get(self, action: str, path: str) -> Reply:
        return self._exchange(action, lambda: self.browser.get(path), {OK})

    def _form_of(self, reply: Reply, suffix: str) -> PageForm:
        form = find_form(reply.body, suffix)
        if form is None:
            raise GaveUp(f"the page has no form that is sent to …{suffix}")
        return form

    def _exchange(self, action: str, send: Callable[[], Reply], expected: set[int]) -> Reply:
        """Send and note it. No answer and an error of the server are reasons to try again; others are not."""
        started = time.monotonic()
        try:
            reply = send()
        except NoAnswer:
            self._note(action, started, None, True)
            raise
        self._note(action, started, reply.status, reply.status in expected | {TOO_MANY})
        if reply.status == TOO_MANY:
            raise NoAnswer("too many requests")
        if reply.status >= 500 and reply.is_to_wait:
            raise NoAnswer(f"status {reply.status}, to be tried again")
        if reply.status >= 500:
            raise ServerFault(f"status {reply.status}")
        if reply.status not in expected:
            raise GaveUp(f"{action} was answered with status {reply.status}")
        return reply

    def _note(self, action: str, started: float, status: int | None, expected: bool) -> None:
        exchange = Exchange(self.number, action, started, time.monotonic(), status, expected)
        self.logbook.exchanges.append(exchange)
