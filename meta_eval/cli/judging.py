"""Commands in which language models judge: `judge pairs`, and `judge stand-in` of what came of it."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from meta_eval.cli.inputs import progress_bar, read_corpus, read_rating_file, require_order
from meta_eval.cli.llm_options import (
    AttemptsOption,
    BatchOption,
    CostOption,
    DryRunOption,
    ModelOption,
    PaceOption,
    PriceInOption,
    PriceOutOption,
    RepliesOption,
    RepliesStoreOption,
    RequestsOption,
    TokensOption,
    announce,
    expect,
    given_replies,
    kept_replies,
    kept_when_ended,
    make_limits,
    opened_models,
    render_prompts,
)
from meta_eval.cli.options import (
    INCOMPLETE,
    CorpusFile,
    FormatOption,
    HighestOption,
    LowestOption,
    OutOption,
    RatingsFile,
    SeedOption,
    SystemOption,
    folder_place,
)
from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.files.cells import csv_text
from meta_eval.files.writing import render_records, write_text
from meta_eval.llm.asking import Asking
from meta_eval.llm.limits import Limits, Price, StoppedError
from meta_eval.llm.models import Model, Reply
from meta_eval.llm.prompts import Prompt, load_prompt
from meta_eval.llm.questions import Question
from meta_eval.ratings.rating import HIGHEST, LOWEST, Ends, RatedPair, Scale, pool_ratings
from meta_eval.ratings.rows import RATING_COLUMNS, rating_row, sort_ratings
from meta_eval.stats.raters.alternative import Alignment
from meta_eval.studies.judging.pairs import Asked, corpus_pairs, pair_questions
from meta_eval.studies.judging.rating import run_warnings
from meta_eval.studies.judging.running import ModelRatings, rate_pairs
from meta_eval.studies.judging.stand_in import compare_with_people
from meta_eval.studies.judging.wording import Wording, reworded

judge = typer.Typer(help="Language models as raters, asked what people are asked.", no_args_is_help=True)

FILES = ("ratings.csv", "means.csv", "answers.jsonl", "run.json")
PROMPTS, BATCH = "prompts.jsonl", "batch.jsonl"


@judge.command("pairs")
def judge_pairs(
    corpus_file: CorpusFile,
    model: ModelOption,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FOLDER", help="Where the files go.", callback=folder_place),
    ],
    ratings: Annotated[
        Path | None,
        typer.Option("--ratings", metavar="RATINGS", help="Rate the pairs that people rated in this file."),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option("--study", metavar="study.json", help="Ask in a survey's own words, from its bundle."),
    ] = None,
    scale: Annotated[
        Scale | None, typer.Option(help="What a high rating means, unless --study says it.")
    ] = None,
    question: Annotated[str | None, typer.Option(help="The question, in place of the usual one.")] = None,
    instructions: Annotated[
        str | None, typer.Option(help="What stands above, in place of the usual.")
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="N=WORDS", help="The words at a point of the scale. May be repeated."),
    ] = None,
    lowest: Annotated[
        int | None, typer.Option(help="The lowest rating, unless --study says it. [default: 1]")
    ] = None,
    highest: Annotated[
        int | None, typer.Option(help="The highest rating, unless --study says it. [default: 6]")
    ] = None,
    show_document: Annotated[
        bool, typer.Option("--show-document", help="Show the article, as some surveys do.")
    ] = False,
    system: SystemOption = None,
    documents: Annotated[
        int | None, typer.Option(min=1, help="Only so many documents, drawn by --seed.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Ask for a reason before the rating.")] = False,
    one_order: Annotated[
        bool, typer.Option("--one-order", help="Ask each pair once, not in both orders.")
    ] = False,
    draws: Annotated[int, typer.Option(min=1, max=100, help="How often each question is asked.")] = 1,
    store: RepliesStoreOption = None,
    replies: RepliesOption = None,
    dry_run: DryRunOption = False,
    batch: BatchOption = False,
    attempts: AttemptsOption = 2,
    max_requests: RequestsOption = None,
    max_tokens_total: TokensOption = None,
    max_cost: CostOption = None,
    per_minute: PaceOption = None,
    price_in: PriceInOption = 0.0,
    price_out: PriceOutOption = 0.0,
    seed: SeedOption = 0,
) -> None:
    """Let models rate pairs of texts as people do: both orders, blind, in files of their own."""
    ends = (
        None
        if lowest is highest is None
        else Ends(LOWEST if lowest is None else lowest, HIGHEST if highest is None else highest)
    )
    price = Price(price_in, price_out)
    limits = make_limits(max_requests, max_tokens_total, max_cost, per_minute, price)
    wording = reworded(
        study, scale, ends, question=question, instructions=instructions, labels=label or (),
        document_shown=show_document,
    )  # fmt: skip
    given = given_replies(replies)
    with opened_models(model) as models:
        _require_draws(models, draws)
        corpus = read_corpus(corpus_file)
        pairs = _chosen_pairs(corpus_file, corpus, ratings, wording.ends, system, documents, seed)
        prompt = load_prompt("judge-pairs")
        questions = pair_questions(
            corpus, pairs, wording=wording, prompt=prompt, explain=explain,
            both_orders=not one_order, draws=draws,
        )  # fmt: skip
        if dry_run or batch:
            _write_prompts(questions, models, store, given, price, out, batch=batch)
            return
        run = _Run(questions, prompt, wording, store, given, attempts, limits, price)
        with kept_when_ended():
            _write(run.all(models), out)


@judge.command("stand-in")
def stand_in(
    corpus_file: CorpusFile,
    people_file: RatingsFile,
    models_file: Annotated[
        Path, typer.Argument(metavar="MODELS.csv", help="Ratings of models, as `judge pairs` wrote them.")
    ],
    epsilon: Annotated[
        float,
        typer.Option(min=0, max=1, help="What a rater's cost is worth: 0.1 crowd, 0.15 skilled, 0.2 expert."),
    ] = 0.1,
    alignment: Annotated[
        Alignment, typer.Option(help="Closeness by squared differences, or by equal ratings.")
    ] = "rmse",
    lowest: LowestOption = LOWEST,
    highest: HighestOption = HIGHEST,
    seed: SeedOption = 0,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Say whether a model may stand in for raters: its agreement beside theirs, and the test."""
    ends = Ends(lowest, highest)
    corpus = read_corpus(corpus_file)
    require_order("judge stand-in", corpus_file, people_file)
    people, models = (read_rating_file(file, corpus, ends) for file in (people_file, models_file))
    records = compare_with_people(people, models, ends=ends, epsilon=epsilon, alignment=alignment, seed=seed)
    for record in records:
        test = record["alternative_annotator_test"]
        if test["reason"]:
            sys.stderr.write(f"note: {record['rater']}: {test['reason']}\n")
    write_text(render_records(records, form), out)


def _require_draws(models: Sequence[Model], draws: int) -> None:
    greedy = [model.options.title for model in models if model.options.temperature == 0]
    if draws > 1 and greedy:
        raise InputError(
            f"--draws {draws} needs a temperature above 0 to differ: set it for {', '.join(greedy)} "
            "(...,temperature=0.7), or leave --draws out"
        )


def _chosen_pairs(
    corpus_file: Path,
    corpus: Corpus,
    ratings: Path | None,
    ends: Ends,
    systems: list[str] | None,
    documents: int | None,
    seed: int,
) -> list[RatedPair]:
    """Pairs that people rated, in a fixed order; without a file of ratings all pairs of the corpus."""
    every = corpus_pairs(corpus, systems=systems, documents=None if ratings else documents, seed=seed)
    if ratings is None:
        return every
    if documents is not None:
        raise InputError("--documents draws from the whole corpus: leave it out beside --ratings")
    require_order("judge pairs", corpus_file, ratings)
    rated = pool_ratings(read_rating_file(ratings, corpus, ends))
    return [pair for pair in every if pair in rated]


class _Run:
    """The questions, and how each model is asked them."""

    def __init__(
        self,
        questions: Sequence[tuple[Asked, Question]],
        prompt: Prompt,
        wording: Wording,
        store: str | None,
        given: dict[str, Reply],
        attempts: int,
        limits: Limits,
        price: Price,
    ) -> None:
        self._questions = questions
        self._prompt, self._wording, self._attempts = prompt, wording, attempts
        self._store, self._given = store, given
        self._limits, self._price = limits, price

    def all(self, models: Sequence[Model]) -> list[ModelRatings]:
        """Each model's ratings; at a limit, or where a server is gone, the command ends with status 1."""
        try:
            return [self._one(model) for model in models]
        except StoppedError as error:
            sys.stderr.write(f"Stopped: {error}\n")
            raise typer.Exit(INCOMPLETE) from error

    def _one(self, model: Model) -> ModelRatings:
        kept = kept_replies(model, self._store, self._given)
        asked = [question for _, question in self._questions]
        announce(model, expect(asked, model, kept, self._price))
        with progress_bar(model.options.title, "questions") as progress:
            run = Asking(
                asked,
                model,
                kept=kept,
                attempts=self._attempts,
                limits=self._limits,
                price=self._price,
                progress=progress,
            )
            found = rate_pairs(
                self._questions,
                model,
                lambda _: run,
                prompt=self._prompt,
                wording=self._wording,
                attempts=self._attempts,
            )
        self._report(model, run, found)
        return found

    def _report(self, model: Model, run: Asking, found: ModelRatings) -> None:
        used, priced = run.usage, self._price != Price()
        cost = self._price.of(used.prompt_tokens, used.completion_tokens)
        sys.stderr.write(
            f"{model.options.title}: {used.requests:,} requests sent, {used.prompt_tokens:,} prompt tokens, "
            f"{used.completion_tokens:,} of replies{f', {cost:,.2f} in cost' if priced else ''}\n"
        )
        for warning in run_warnings(found.record):
            sys.stderr.write(f"warning: {model.options.title}: {warning}\n")


def _write_prompts(
    questions: Sequence[tuple[Asked, Question]],
    models: Sequence[Model],
    store: str | None,
    given: dict[str, Reply],
    price: Price,
    out: Path,
    *,
    batch: bool,
) -> None:
    if len(models) > 1 and batch:
        raise InputError("a batch file is for one model: name one --model")
    asked = [question for _, question in questions]
    for model in models:
        announce(model, expect(asked, model, kept_replies(model, store, given), price))
    write_text(render_prompts(asked, models[0], batch=batch), out / (BATCH if batch else PROMPTS))


def _write(found: Sequence[ModelRatings], out: Path) -> None:
    """Ratings, unrounded means, every answer, and what each run was."""
    rows = [rating_row(rating) for one in found for rating in sort_ratings(one.ratings)]
    answers = [record for one in found for record in one.answer_records()]
    means = [record for one in found for record in one.mean_records()]
    texts: dict[str, str] = dict(
        zip(
            FILES,
            (
                csv_text([RATING_COLUMNS, *rows]),
                render_records(means, "csv"),
                "".join(map(_line, answers)),
                render_records([one.record for one in found], "json"),
            ),
            strict=True,
        )
    )
    for name, text in texts.items():
        write_text(text, out / name)


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"
