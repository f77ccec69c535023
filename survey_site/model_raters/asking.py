"""What a model is asked about a batch, and the asking: with `stopping`, all that loads `meta_eval.llm`.

It is imported where it is used, so that a site without a model loads nothing of it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from django.conf import settings

from meta_eval.corpus.documents import Corpus
from meta_eval.llm.asking import Answer, Asking, estimate
from meta_eval.llm.limits import Budget, Estimate, LimitError, Limits, Price, StoppedError, Usage
from meta_eval.llm.models import Model, ModelOptions, Reply, request_key
from meta_eval.llm.opening import open_model
from meta_eval.llm.prompts import load_prompt
from meta_eval.llm.questions import Question
from meta_eval.llm.replies import KeptReplies, ReplyStore
from meta_eval.llm.runs import run_warnings
from meta_eval.ratings.rating import RatedPair, check_scale
from meta_eval.studies.judging.pairs import AskedPair, pair_questions
from meta_eval.studies.judging.running import ModelRatings, rate_pairs
from meta_eval.studies.judging.wording import Wording, default_wording, study_wording
from survey_site.batches.models import Batch
from survey_site.common.digest import digest
from survey_site.common.errors import ConflictError
from survey_site.corpus.queries import load_corpus
from survey_site.model_raters.cancelling import CANCELLED, CancelledError
from survey_site.model_raters.choices import AnyChoice, Choice
from survey_site.model_raters.models import ModelRating, ModelRun
from survey_site.model_raters.queries import pairs_of, pairs_of_run
from survey_site.model_raters.stopping import Stoppable, watching
from survey_site.model_raters.storage import replies_folder
from survey_site.uploads.queries import study_of

PROMPT = "judge-pairs"
ATTEMPTS = 2
"""How often an answer that cannot be read is asked for in all."""
STORED_AT_ONCE = 200
"""Rows of one transaction: SQLite lets nobody else write meanwhile."""
COUNTERS = tuple(field.name for field in fields(Usage))
"""Columns of a run that count what was sent."""

Questions = list[tuple[AskedPair, Question]]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class PreparedRun:
    """A run before anybody confirmed it: what would be sent where, and what that takes at most.

    A rater has `pairs` and a `wording`; a judge in readers' places has neither.
    """

    choice: AnyChoice
    options: dict[str, Any]
    questions: list[Question]
    expected: Estimate
    pairs: Sequence[RatedPair] = ()
    wording: Wording | None = None

    @cached_property
    def key(self) -> str:
        """Of the run: every request of every pair, and how patiently an unreadable answer is asked again."""
        model = model_options(self.options)
        asked = [[one.id, request_key(model, one.request)] for one in self.questions]
        return digest({"batch": self.options["batch"], "attempts": ATTEMPTS, "asked": asked})

    @property
    def host(self) -> str:
        return str(self.options.get("url", ""))

    @property
    def above_limit(self) -> bool:
        """Whether it may need more tokens than the operator allows a run."""
        return bool(self.expected.most_tokens > settings.CONCORD_LLM_TOKENS_PER_RUN)

    @property
    def example(self) -> list[dict[str, str]]:
        """The messages of the first question, word for word."""
        return [message.as_dict() for message in self.questions[0].request.messages]

    @property
    def wording_record(self) -> dict[str, Any]:
        """The words as a run keeps them; a judge is asked in those of its prompt, which its record names."""
        return self.wording.as_record() if self.wording else {}


def prepare(batch: Batch, choices: Sequence[Choice]) -> list[PreparedRun]:
    """What each choice would ask; the corpus is read once, nothing is sent."""
    corpus = load_corpus(batch.corpus)
    wording, pairs = wording_of(batch, corpus), pairs_of(batch)
    if not pairs:
        raise ConflictError("This batch asks about no pair of texts.", action="Choose another batch.")
    return [_prepare(batch, corpus, wording, pairs, choice) for choice in choices]


def _prepare(
    batch: Batch, corpus: Corpus, wording: Wording, pairs: list[RatedPair], choice: Choice
) -> PreparedRun:
    options = {"batch": batch.pk, **choice.as_options()}
    asked = [question for _, question in _questions(corpus, pairs, wording, options)]
    expected = expected_of(asked, options)
    return PreparedRun(
        choice=choice, options=options, wording=wording, pairs=pairs, questions=asked, expected=expected
    )


def expected_of(questions: Sequence[Question], options: dict[str, Any]) -> Estimate:
    """What questions will take at most; nothing is sent."""
    with closing(open_model(model_options(options))) as model:
        return estimate(questions, model, replies_of(options["batch"], model.options), _price(options))


def wording_of(batch: Batch, corpus: Corpus) -> Wording:
    """What raters of the batch read; of uploaded ratings what was said of it, else the usual words."""
    study = study_of(batch)
    if not study.get("question"):
        return default_wording(check_scale(batch.scale))
    shown = bool(study.get("document_shown")) and corpus.has_document_texts
    return study_wording({**study, "document_shown": shown})


def model_options(options: dict[str, Any], name: str | None = None) -> ModelOptions:
    """The library's options of a model from those that a run keeps; `name` is what results call it."""
    where = {"url": options["url"]} if "url" in options else {}
    return ModelOptions(
        kind=options["kind"],
        model=options["model"],
        name=name,
        temperature=options["temperature"],
        concurrent=settings.CONCORD_LLM_CONCURRENT,
        **where,
    )


def replies_of(batch: int, options: ModelOptions) -> KeptReplies:
    """The kept replies of a model about one batch, which go when the batch is deleted."""
    folder = replies_folder(batch)
    Path(folder).mkdir(parents=True, exist_ok=True)
    return ReplyStore(str(folder)).of(options)


def questions_of(run: ModelRun) -> Questions:
    """The questions of a run, made from what it keeps: the same in every process."""
    corpus = load_corpus(run.batch.corpus)
    return _questions(corpus, pairs_of_run(run), Wording.from_record(run.wording), run.options)


def keep_replies(run: ModelRun, given: Mapping[str, Reply], questions: Sequence[Question]) -> None:
    """Keep replies to a run's questions that came from elsewhere, by key; others are passed over."""
    options = model_options(run.options)
    kept = replies_of(run.batch_id, options)
    requests = {request_key(options, one.request): one.request for one in questions}
    moment = kept.now()
    kept.keep([(key, requests[key], reply, moment) for key, reply in given.items() if key in requests])


def _questions(
    corpus: Corpus, pairs: Sequence[RatedPair], wording: Wording, options: dict[str, Any]
) -> Questions:
    return pair_questions(
        corpus,
        pairs,
        wording=wording,
        prompt=load_prompt(PROMPT),
        explain=options["explain"],
        both_orders=options["both_orders"],
        draws=options["draws"],
    )


def _price(options: dict[str, Any]) -> Price | None:
    prompt, completion = options.get("price_in"), options.get("price_out")
    return None if prompt is None or completion is None else Price(prompt, completion)


def ask_model(run: ModelRun) -> dict[str, Any]:
    """Ask about the pairs what is not answered yet, store the ratings; the columns of a finished run."""
    questions = questions_of(run)

    def rate(model: Model, answers: list[Answer]) -> ModelRatings:
        return rate_pairs(
            questions,
            model,
            answers,
            prompt=load_prompt(PROMPT),
            wording=Wording.from_record(run.wording),
            attempts=ATTEMPTS,
        )

    columns, found, _ = ask_questions(run, [question for _, question in questions], rate)
    _store(run, found)
    record = {**found.record, "warnings": run_warnings(found.record)}
    return {**columns, "record": record, "cancelled_at": None}


def ask_questions(
    run: ModelRun, questions: Sequence[Question], make: Callable[[Model, list[Answer]], T]
) -> tuple[dict[str, Any], T, Mapping[str, Reply]]:
    """Ask what is not answered yet: the counters of a run that is done, what `make` makes, the replies.

    Replies are kept as they come, so that a run that was killed, cancelled or stopped asks none of them
    again. Raises `MetaEvalError` where it cannot go on, `CancelledError` where somebody asked to end it.
    """
    _require_same_server(run)
    stop = Event()
    budget = Budget(Limits(tokens=settings.CONCORD_LLM_TOKENS_PER_RUN), used=_sent_before(run))
    done = 0

    def count(number: int, _total: int) -> None:
        nonlocal done
        done = number

    def so_far() -> dict[str, int]:
        return {"done": done, **asdict(budget.usage)}

    with closing(_open(run, stop)) as model:
        asking = Asking(
            questions,
            model,
            kept=replies_of(run.batch_id, model.options),
            attempts=ATTEMPTS,
            budget=budget,
            progress=count,
        )
        try:
            with watching(run, so_far, stop):
                found = make(model, list(asking))
        except LimitError as error:
            raise _limit_error(so_far()) from error
        except StoppedError as error:
            if stop.is_set():
                raise CancelledError from error
            raise
    return {**so_far(), "done": run.total}, found, asking.replies


def _sent_before(run: ModelRun) -> Usage:
    """What earlier tries sent: as stored, or as this process counted while the database took no note of it.

    Raises `ModelRun.DoesNotExist` where the run was deleted.
    """
    stored = ModelRun.objects.values_list(*COUNTERS).get(pk=run.pk)
    return Usage(*(max(one, getattr(run, name)) for name, one in zip(COUNTERS, stored, strict=True)))


def _limit_error(used: Mapping[str, int]) -> ConflictError:
    tokens = used["prompt_tokens"] + used["completion_tokens"]
    return ConflictError(
        f"This run has used {tokens:,} of the {settings.CONCORD_LLM_TOKENS_PER_RUN:,} tokens that this site "
        "allows a run, and what is left does not do for the other questions.",
        action="The operator of this site can raise CONCORD_LLM_TOKENS_PER_RUN; then try again. What was "
        "answered is kept, and it goes on from there.",
    )


def _require_same_server(run: ModelRun) -> None:
    """Texts go where the person who confirmed it was told, and the key to nobody else."""
    if run.options["kind"] == "http" and run.host != settings.CONCORD_LLM_URL:
        raise ConflictError(
            f"This was confirmed for {run.host}, and the site now has another server.",
            action="Let the model begin anew: that asks for a confirmation again.",
        )


def _open(run: ModelRun, stop: Event) -> Model:
    options = model_options(run.options, run.name)
    if options.kind != "http":
        return Stoppable(open_model(options), stop)
    from meta_eval.llm.http import HttpModel

    def pause(seconds: float) -> None:
        if stop.wait(seconds):
            raise StoppedError(CANCELLED)

    return Stoppable(HttpModel(options, sleep=pause), stop)


def _store(run: ModelRun, found: ModelRatings) -> None:
    """Fill the rows of the pairs, some at a time: nobody reads them before the run is done."""
    given = {(one.doc_id, one.system, one.reader_a, one.reader_b): one.rating for one in found.ratings}
    judged = {tuple(asdict(one.pair).values()): one for one in found.judged}
    answers: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in found.answer_records():
        pair = tuple(record.pop(name) for name in ("doc_id", "system", "reader_a", "reader_b"))
        record.pop("rater")
        answers.setdefault(pair, []).append(record)
    rows = list(run.ratings.order_by("pk"))
    for row in rows:
        pair = (row.document, row.system, row.reader_a, row.reader_b)
        one = judged[pair]
        row.rating, row.mean, row.mean_ab, row.mean_ba = given.get(pair), one.mean, one.first, one.second
        row.sd, row.answers = one.sd, answers[pair]
    filled = ["rating", "mean", "mean_ab", "mean_ba", "sd", "answers"]
    for first in range(0, len(rows), STORED_AT_ONCE):
        some = rows[first : first + STORED_AT_ONCE]
        ModelRating.objects.bulk_create(
            some, update_conflicts=True, unique_fields=["pk"], update_fields=filled
        )
