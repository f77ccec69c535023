"""A model as a judge in readers' places (PerSE): what it is asked about a batch's documents, and the asking.

It is imported where it is used, so that a site without a model loads nothing that speaks to one.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import islice
from typing import Any

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.files.json_files import json_lines
from meta_eval.files.writing import render_records
from meta_eval.llm.asking import Answer
from meta_eval.llm.files import read_replies, reply_lines
from meta_eval.llm.models import Model
from meta_eval.llm.prompts import load_prompt
from meta_eval.llm.questions import Question
from meta_eval.llm.runs import count_answers, run_warnings
from meta_eval.studies.perse.measuring import summarise_summaries
from meta_eval.studies.perse.runs import PROMPT, PerseRun
from meta_eval.studies.perse.summaries import SummaryPlan, summary_questions
from survey_site.batches.models import Batch
from survey_site.common.errors import ConflictError
from survey_site.corpus.queries import load_corpus
from survey_site.model_raters.asking import (
    ATTEMPTS,
    PreparedRun,
    ask_questions,
    expected_of,
    model_options,
)
from survey_site.model_raters.choices import JudgeChoice
from survey_site.model_raters.models import ModelRun, RunReplies
from survey_site.model_raters.queries import pairs_of

MOST_QUESTIONS = 50_000
"""Of one run. Each holds an article, and a page makes them all to say what they cost."""


def prepare_judge(batch: Batch, choice: JudgeChoice) -> PreparedRun:
    """What the judge would be asked of the documents that people rate, and of the batch's systems alone.

    Nothing is sent. Raises `MetaEvalError` where nothing can be asked, or more than `MOST_QUESTIONS`.
    """
    documents = tuple(dict.fromkeys(pair.doc_id for pair in pairs_of(batch)))
    if not documents:
        raise ConflictError("This batch asks about no pair of texts.", action="Choose another batch.")
    plan = SummaryPlan(
        size=choice.profile_size,
        only=documents,
        systems=tuple(batch.systems.order_by("position").values_list("name", flat=True)),
        own=choice.own,
        draws=choice.draws,
    )
    options = {
        "batch": batch.pk,
        **choice.as_options(),
        "plan": plan.as_record(),
        "shuffled": choice.shuffled,
    }
    corpus = load_corpus(batch.corpus)
    _require_few(corpus, plan, choice)
    questions = _questions(corpus, options)
    return PreparedRun(
        choice=choice, options=options, questions=questions, expected=expected_of(questions, options)
    )


def _require_few(corpus: Corpus, plan: SummaryPlan, choice: JudgeChoice) -> None:
    """Counted before any is made, since all together are what fills the memory."""
    documents, systems = set(plan.only or ()), plan.systems or corpus.systems
    readers = [len(one.references) for one in corpus.documents if one.id in documents]
    asked = sum(count * (count if plan.own else 1) for count in readers) * len(systems) * plan.draws
    if (most := asked * (2 if choice.shuffled else 1)) > MOST_QUESTIONS:
        raise InputError(
            f"This would be up to {most:,} questions; a judge of this site is asked {MOST_QUESTIONS:,} at "
            "most. Leave out the other readers' profiles or the control, or ask for fewer draws; the command "
            "judge summaries has no such limit."
        )


def judge_questions(run: ModelRun) -> list[Question]:
    """The questions of a run, made from what it keeps: the same in every process."""
    return _questions(load_corpus(run.batch.corpus), run.options)


def ask_judge(run: ModelRun) -> dict[str, Any]:
    """Ask what is not answered yet and keep every reply; returns the columns of a finished run.

    Raises as `ask_questions` does.
    """
    corpus = load_corpus(run.batch.corpus)

    def as_answered(_model: Model, answers: list[Answer]) -> list[Answer]:
        """The scores are made below, from the replies alone, as every report makes them."""
        return answers

    columns, answers, replies = ask_questions(run, _questions(corpus, run.options), as_answered)
    lines = "".join(reply_lines(replies))
    RunReplies.objects.update_or_create(run=run, defaults={"packed": zlib.compress(lines.encode())})
    judged = _perse_run(run, corpus, lines.encode(), load_prompt(PROMPT).digest)
    first, *control = _with_reasons(summarise_summaries(judged.judged), answers)
    record = {**first, "control": control, "warnings": run_warnings(first)}
    return {**columns, "record": record, "cancelled_at": None}


def _with_reasons(summaries: Iterable[dict[str, Any]], answers: Sequence[Answer]) -> Iterator[dict[str, Any]]:
    """What is said of each plan, with why answers are missing, which replies alone do not say."""
    rest = iter(answers)
    for one in summaries:
        own = list(islice(rest, one["questions"]))
        yield {**one, "left_out": count_answers(own)["left_out"]}


def perse_run(run: ModelRun, corpus: Corpus) -> PerseRun:
    """What a judge that is done was asked about this corpus, and its replies, for a report and its bundle.

    Raises ConflictError where its judgments cannot be made again, since the prompt is another one by now.
    """
    lines = zlib.decompress(RunReplies.objects.get(run=run).packed)
    made = _perse_run(run, corpus, lines, run.record["prompt_digest"])
    if made.outdated:
        raise ConflictError(
            f"{run.name} cannot be read again: {made.outdated}.",
            action="Begin a judge with the same choices again: it is asked with the prompt of this version.",
        )
    return made


def judge_file(run: ModelRun, file: str) -> str:
    """One file of the folder that `judge summaries` writes, made from the replies."""
    made = perse_run(run, load_corpus(run.batch.corpus))
    if file == "replies.jsonl":
        return "".join(made.reply_lines())
    if file == "run.json":
        return render_records(summarise_summaries(made.judged), "json")
    if file == "scores.json":
        return render_records(made.judged[0].records(), "json")
    return json_lines(record for one in made.judged for record in one.answer_records())


def _perse_run(run: ModelRun, corpus: Corpus, lines: bytes, prompt_digest: str) -> PerseRun:
    return PerseRun(
        corpus=corpus,
        plans=_plans(run.options),
        options=replace(model_options(run.options, run.name), kind="replay"),
        attempts=ATTEMPTS,
        prompt_digest=prompt_digest,
        replies=read_replies(BytesIO(lines), name=str(run)),
    )


def _plans(options: dict[str, Any]) -> tuple[SummaryPlan, ...]:
    plan = SummaryPlan.from_record(options["plan"])
    return (plan, replace(plan, shuffled=True)) if options["shuffled"] else (plan,)


def _questions(corpus: Corpus, options: dict[str, Any]) -> list[Question]:
    prompt = load_prompt(PROMPT)
    plans = _plans(options)
    return [one for plan in plans for _, one in summary_questions(corpus, plan, prompt).questions]
