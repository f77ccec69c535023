"""Asking questions: each different request once, many at a time, kept as it is answered, read strictly."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from meta_eval.arrays import Progress
from meta_eval.llm.completions import require_text
from meta_eval.llm.forms import Reading, Value
from meta_eval.llm.limits import Budget, Estimate, Price, Sends, StoppedError
from meta_eval.llm.models import (
    CUT_OFF,
    REFUSED,
    Model,
    Reason,
    Reply,
    RequestFailedError,
    request_key,
)
from meta_eval.llm.questions import Message, Question, Request
from meta_eval.llm.replies import KeptReplies
from meta_eval.llm.weighing import expected_score, weigh

UNSAVED = 64
"""The most replies that a process killed at any moment has to ask for again (or twice `concurrent`)."""
FAILURES = 5
"""So many requests in a row without a reply end a run: the server is gone."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question's answer: its value, or None and the `reason`.

    `text` is the last reply as it stands, `explanation` what the model wrote before the value. Tokens are of
    all `turns`, repair turns included; None where nobody counted them. `kept`: nothing was sent for it.
    `probabilities` of the values, as they are written, are None where they were not asked for or cannot be
    weighed.
    """

    id: str
    value: Value | None
    reason: Reason | None
    text: str = ""
    explanation: str | None = None
    turns: int = 1
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    fingerprint: str | None = None
    problem: str = ""
    kept: bool = False
    probabilities: Mapping[str, float] | None = None

    @property
    def expected(self) -> float | None:
        """The mean score under the probabilities; None where they are not known, or of no score."""
        if self.probabilities is None or type(self.value) is not int:
            return None
        return expected_score(self.probabilities)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """An answer, and the replies of which it was made, by key."""

    answer: Answer
    replies: Mapping[str, Reply]


class Asking:
    """One run over questions: iterate over it for the answers, in the order of the questions.

    All are asked before the first answer comes: where another run kept a reply to the same request before
    this one did, that reply counts here too, so that kept replies give these answers again.

    Equal requests are sent once. A reply that cannot be read is followed, up to `attempts` replies in all, by
    a turn that says what was wrong. Replies are written to `kept` as they come, and at every end, an
    interrupted one too. What is sent counts in the `budget`, which several runs may share.

    Raises, while it is iterated: `ModelError` where no request can succeed, `StoppedError` at a limit and
    where the server is gone.
    """

    def __init__(
        self,
        questions: Iterable[Question],
        model: Model,
        *,
        kept: KeptReplies | None = None,
        attempts: int = 2,
        budget: Budget | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._questions = list(questions)
        self._model = model
        self._kept = kept or KeptReplies()
        self._attempts = attempts
        self._budget = budget or Budget()
        self._progress = progress
        self._lock = threading.Lock()
        self._unsaved: list[tuple[str, Request, Reply]] = []
        self._failed_in_row = 0
        self._stopped: Exception | None = None
        self._replies: dict[str, Reply] = {}

    @property
    def replies(self) -> Mapping[str, Reply]:
        """Every reply of which the answers were made, repair turns too, by the key of its request.

        With them alone the same questions have the same answers.
        """
        return dict(self._replies)

    def __iter__(self) -> Iterator[Answer]:
        self._budget.require_room(estimate(self._questions, self._model, self._kept))
        requests = {request_key(self._model.options, one.request): one.request for one in self._questions}
        outcomes = self._ask_all(requests, self._progress)
        while changed := [key for key, one in outcomes.items() if self._was_overtaken(one)]:
            outcomes |= self._ask_all({key: requests[key] for key in changed})
        self._replies = {key: reply for one in outcomes.values() for key, reply in one.replies.items()}
        for question in self._questions:
            key = request_key(self._model.options, question.request)
            yield replace(outcomes[key].answer, id=question.id)

    def _ask_all(
        self, requests: Mapping[str, Request], progress: Progress | None = None
    ) -> dict[str, _Outcome]:
        """What comes of requests, by key; new replies are kept, and those that others kept meanwhile read."""
        pool = ThreadPoolExecutor(self._model.concurrent)
        outcomes: dict[str, _Outcome] = {}
        try:
            futures = {key: pool.submit(self._settle, request) for key, request in requests.items()}
            for number, (key, future) in enumerate(futures.items(), start=1):
                outcomes[key] = self._result(future)
                if progress:
                    progress(number, len(futures))
        except BaseException:
            self._stopped = self._stopped or StoppedError("The run was left before its end.")
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            self._save()
        self._kept.refresh()
        return outcomes

    def _was_overtaken(self, outcome: _Outcome) -> bool:
        """Whether another reply than one of these counts: somebody kept it before."""
        return any(self._kept.find(key) not in (None, reply) for key, reply in outcome.replies.items())

    def _result(self, future: "Future[_Outcome]") -> _Outcome:
        try:
            return future.result()
        except CancelledError as error:
            raise self._stopped or StoppedError("The run was left before its end.") from error

    def _settle(self, request: Request) -> _Outcome:
        """The answer to a request, repair turns included."""
        try:
            return self._answer(request)
        except Exception as error:
            self._stopped = self._stopped or error
            raise self._stopped from None

    def _answer(self, request: Request) -> _Outcome:
        answer = Answer("", None, "unreadable", turns=0, prompt_tokens=0, completion_tokens=0, kept=True)
        replies: dict[str, Reply] = {}
        for _ in range(self._attempts):
            key = request_key(self._model.options, request)
            try:
                reply, was_kept = self._reply(key, request)
            except RequestFailedError as error:
                return _Outcome(_without_reply(answer, error), replies)
            replies[key] = reply
            answer = _with_reply(answer, request, reply, was_kept=was_kept)
            if answer.reason != "unreadable":
                break
            request = _repair(request, reply, answer.problem)
        return _Outcome(answer, replies)

    def _reply(self, key: str, request: Request) -> tuple[Reply, bool]:
        """The reply, and whether it was kept before."""
        if self._stopped:
            raise self._stopped
        if known := self._kept.find(key):
            return known, True
        # The model of kept replies counts in no budget: it sends nothing.
        if self._model.options.kind == "replay":
            return self._model.answer(request), False
        prompt_tokens = self._model.count_tokens(request.messages)
        sends = Sends(self._budget, prompt_tokens, request.max_tokens)
        try:
            reply = self._model.answer(request, sends)
        except RequestFailedError as error:
            self._count_failure(error)
            raise
        sends.end(_used(reply, prompt_tokens))
        with self._lock:
            self._failed_in_row = 0
            self._unsaved.append((key, request, reply))
            if len(self._unsaved) >= max(16, UNSAVED - self._model.concurrent):
                self._save()
        return reply, False

    def _count_failure(self, error: RequestFailedError) -> None:
        if error.reason != "failed":
            return
        with self._lock:
            self._failed_in_row += 1
            if self._failed_in_row >= FAILURES:
                raise StoppedError(
                    f"{FAILURES} requests in a row had no reply, the last one: {error}. What was answered is "
                    "kept where a store is named: call again to go on."
                )

    def _save(self) -> None:
        # The moment of keeping, not of the reply: what is kept later never counts before what others read.
        moment = self._kept.now()
        self._kept.keep([(*one, moment) for one in self._unsaved])
        self._unsaved = []


def ask(questions: Iterable[Question], model: Model, *, kept: KeptReplies | None = None) -> Iterator[Answer]:
    """The answers to questions, in their order, as `Asking` gives them by default.

    Examples
    --------
    >>> from meta_eval.llm.forms import Score
    >>> from meta_eval.llm.models import parse_model
    >>> from meta_eval.llm.opening import open_model
    >>> request = Request((Message("user", "How alike?"),), Score(1, 6))
    >>> model = open_model(parse_model("replay:model=m"))
    >>> [answer.reason for answer in ask([Question("pair", request)], model)]
    ['not kept']
    """
    return iter(Asking(questions, model, kept=kept))


def estimate(
    questions: Sequence[Question],
    model: Model,
    kept: KeptReplies | None = None,
    price: Price | None = None,
) -> Estimate:
    """What questions will take at most, but for repair turns; nothing is sent.

    What `kept` holds costs nothing.
    """
    found = kept or KeptReplies()
    found.refresh()
    requests = {request_key(model.options, one.request): one.request for one in questions}
    new = [request for key, request in requests.items() if found.find(key) is None]
    if model.options.kind == "replay":
        new = []
    prompt = sum(model.count_tokens(request.messages) for request in new)
    completion = sum(request.max_tokens for request in new)
    cost = None if price is None else price.of(prompt, completion)
    return Estimate(len(requests), len(new), prompt, model.counting, completion, cost)


def _with_reply(before: Answer, request: Request, reply: Reply, *, was_kept: bool) -> Answer:
    """The answer after one more reply."""
    reading = _read(request, reply)
    value = reading.value
    reason: Reason | None = None
    if reply.finish == REFUSED:
        value, reason = None, "refused"
    elif value is None:
        # A longer answer is needed, and the same limit would cut it again.
        reason = "cut off" if reply.finish == CUT_OFF else "unreadable"
    return replace(
        before,
        value=value,
        reason=reason,
        text=reply.text,
        # JSON in a reply may spell what no database takes.
        explanation=None if reading.explanation is None else require_text(reading.explanation),
        turns=before.turns + 1,
        prompt_tokens=_sum(before.prompt_tokens, reply.prompt_tokens),
        completion_tokens=_sum(before.completion_tokens, reply.completion_tokens),
        fingerprint=reply.fingerprint or before.fingerprint,
        problem=require_text(reading.problem),
        kept=before.kept and was_kept,
        probabilities=None if value is None else weigh(request.form, reply.text, reply.top),
    )


def _without_reply(before: Answer, error: RequestFailedError) -> Answer:
    """The answer after a request without a reply; a repair turn's leaves what was said before it."""
    if not before.turns:
        return Answer("", None, error.reason, problem=str(error), turns=0)
    if error.reason == "not kept":
        return before
    return replace(before, reason=error.reason, problem=str(error))


def _read(request: Request, reply: Reply) -> Reading:
    """What the reply says. It is kept by now, so a form that fails would fail in every later run."""
    try:
        form = request.form
        return form.read_cut(reply.text) if reply.finish == CUT_OFF else form.read(reply.text)
    except (ValueError, RecursionError) as error:
        return Reading(problem=f"{error}")


def _repair(request: Request, reply: Reply, problem: str) -> Request:
    """The same question after a reply that could not be read: works at temperature 0, too."""
    said = Message("assistant", reply.text)
    asked = Message("user", request.form.repair.replace("{problem}", problem, 1))
    return replace(request, messages=(*request.messages, said, asked))


def _used(reply: Reply, prompt_tokens: int) -> tuple[int, int]:
    """Tokens of a reply; where the server does not count them, about as many as there are."""
    written = -(-len(reply.text) // 4) if reply.completion_tokens is None else reply.completion_tokens
    return prompt_tokens if reply.prompt_tokens is None else reply.prompt_tokens, written


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second
