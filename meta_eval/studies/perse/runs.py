"""A run of `judge summaries` read back: what was asked, and the replies, which give its scores again.

A report takes a run, never its scores: these are made again from the replies, without a connection, when the
report is made and whenever its bundle is verified.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import Fault, InputError, MetaEvalError
from meta_eval.files.values import parse_json
from meta_eval.llm.asking import Asking
from meta_eval.llm.files import read_replies, reply_lines
from meta_eval.llm.models import ModelError, ModelOptions, ReplayModel, Reply
from meta_eval.llm.prompts import load_prompt
from meta_eval.llm.replies import KeptReplies
from meta_eval.report.inference.judging import Judging
from meta_eval.report.schema import JudgedControl
from meta_eval.scores.judged import JUDGMENT_COLUMNS, JudgedScores
from meta_eval.studies.perse.asked_records import require_records
from meta_eval.studies.perse.measuring import JudgedSummaries, judge_summaries, summarise_summaries
from meta_eval.studies.perse.summaries import Histories, SummaryPlan, summary_questions

RUN_FILE, REPLIES_FILE = "run.json", "replies.jsonl"
PROMPT = "judge-summaries"


@dataclass(frozen=True, kw_only=True)
class PerseRun:
    """What was asked about a corpus, and every reply.

    `plans` is the run under readers' own profiles, then the control if there is one; `options` are those of
    the model, wherever it was; `prompt_digest` is of the prompt that was used.
    """

    corpus: Corpus
    plans: tuple[SummaryPlan, ...]
    options: ModelOptions
    attempts: int
    prompt_digest: str
    replies: Mapping[str, Reply]
    histories: Histories = field(default_factory=dict)

    @classmethod
    def from_records(
        cls, records: Sequence[Mapping[str, Any]], replies: Mapping[str, Reply], corpus: Corpus
    ) -> "PerseRun":
        """Of the records that `as_records` gives, or those of a run's `run.json`.

        Raises KeyError, TypeError, ValueError or `MetaEvalError` for what is none, a value of another kind
        included: see `require_records`.
        """
        first = require_records(records)[0]
        asking = first["asking"]
        return cls(
            corpus=corpus,
            plans=tuple(SummaryPlan.from_record(one["plan"]) for one in records),
            options=ModelOptions(kind="replay", **asking["options"]),
            attempts=int(asking["attempts"]),
            prompt_digest=str(first["prompt_digest"]),
            replies=dict(replies),
            histories={str(name): tuple(titles) for name, titles in asking["histories"].items()},
        )

    def as_records(self) -> list[dict[str, Any]]:
        """What was asked, as JSON holds it: the replies apart."""
        return [
            {"plan": one.plan.as_record(), "asking": dict(one.asking), "prompt_digest": self.prompt_digest}
            for one in self.judged
        ]

    def reply_lines(self) -> list[str]:
        """The replies that the judgments rest on, and no others, a line each."""
        return list(reply_lines(self._replayed[1]))

    @property
    def outdated(self) -> str | None:
        """Why the judgments cannot be made again here: the prompt is another one; None if they can."""
        prompt = load_prompt(PROMPT)
        if prompt.digest == self.prompt_digest:
            return None
        return (
            f"the judge was asked with another prompt ({self.prompt_digest[:16]}) than version "
            f"{prompt.version} here ({prompt.digest[:16]}); the version that made the judgments can check "
            "them"
        )

    @property
    def judged(self) -> list[JudgedSummaries]:
        """The judgments under each plan, made again from the replies alone.

        Raises `InputError` where the prompt is another one by now, and where the corpus lacks what was asked.
        """
        return self._replayed[0]

    @cached_property
    def _replayed(self) -> tuple[list[JudgedSummaries], dict[str, Reply]]:
        """The judgments, and the replies that they rest on."""
        if self.outdated:
            raise InputError(self.outdated)
        used: dict[str, Reply] = {}
        return [self._replay(plan, used) for plan in self.plans], used

    def _replay(self, plan: SummaryPlan, used: dict[str, Reply]) -> JudgedSummaries:
        prompt = load_prompt(PROMPT)
        asked = summary_questions(self.corpus, plan, prompt, self.histories)
        run = Asking(
            [question for _, question in asked.questions],
            ReplayModel(self.options),
            kept=KeptReplies(given=self.replies),
            attempts=self.attempts,
        )
        answers = list(run)
        used.update(run.replies)
        return judge_summaries(
            asked, plan, answers, options=self.options, prompt=prompt, attempts=self.attempts
        )

    def judgments(self) -> list[dict[str, Any]]:
        """One record a summary and profile, with `JUDGMENT_COLUMNS`."""
        return [
            {name: row[name] for name in JUDGMENT_COLUMNS}
            for one in self.judged
            for row in one.answer_records()
        ]

    def judging(self) -> Judging:
        """What a report takes: the scores by document, how many answers there are, and the control."""
        first, *_ = self.judged
        summary = summarise_summaries(self.judged)[0]
        return Judging(
            judge=self.options.title,
            scores=_scores(first),
            questions=summary["questions"],
            answered=summary["answered"],
            left_out=dict(first.left_out),
            control=_control(summary),
        )


def _scores(judged: JudgedSummaries) -> list[JudgedScores]:
    documents = tuple(dict.fromkeys(document for document, *_ in judged.said))
    found = []
    for name in dict.fromkeys(one.measure for one in judged.scores):
        own = [one for one in judged.scores if one.measure == name]
        found.append(
            JudgedScores(
                measure=name,
                systems=tuple(one.system for one in own),
                documents=documents,
                accuracy=np.array([[one.by_document.get(doc, nan) for doc in documents] for one in own]),
                signature=judged.signature_of(name),
            )
        )
    return found


def _control(summary: Mapping[str, Any]) -> JudgedControl | None:
    gain = summary.get("gain_over_shuffled")
    if gain is None:
        return None
    return JudgedControl(
        estimate=gain["estimate"],
        ci_low=gain["ci_low"],
        ci_high=gain["ci_high"],
        documents=gain["n"],
        personal=summary["personal"],
        verdict=summary["verdict"],
        note=summary["note"],
    )


def read_run(folder: Path, corpus: Corpus) -> PerseRun:
    """The run that `judge summaries --out FOLDER` wrote, about this corpus.

    Parameters
    ----------
    folder : Path
    corpus : Corpus

    Returns
    -------
    PerseRun

    Raises
    ------
    InputError
        For a folder that holds none, and where its replies do not give its scores again, as they do not for
        another corpus.

    Examples
    --------
    >>> try:
    ...     read_run(Path("no such folder"), Corpus(()))
    ... except InputError as error:
    ...     print(str(error).partition(";")[0])
    no such folder: No such file or directory: name the folder that judge summaries wrote with --out
    """
    file = folder / RUN_FILE
    try:
        records = parse_json(file.read_text(encoding="utf-8"))
        scores = dict(records[0]["scores"])
        run = PerseRun.from_records(records, read_replies(folder / REPLIES_FILE), corpus)
    except OSError as error:
        raise InputError(
            f"{folder}: {error.strerror or error}: name the folder that judge summaries wrote with --out"
        ) from error
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ModelError) as error:
        problem = f"is not what judge summaries writes: {type(error).__name__}: {error}"
        raise InputError([Fault(str(file), None, problem)]) from error
    try:
        again = {f"{one.measure} {one.system}": one.accuracy for one in run.judged[0].scores}
    except MetaEvalError as error:
        raise InputError([Fault(str(file), None, str(error))]) from error
    if different := sorted(name for name in {*scores, *again} if scores.get(name) != again.get(name)):
        raise InputError(
            f"{folder}: the replies give other scores than its {RUN_FILE} says (first: {different[0]}): "
            f"{again.get(different[0])}, not {scores.get(different[0])}. Is it about this corpus?"
        )
    return run
