"""Commands in which language models judge: `judge pairs`, and `judge stand-in` of what came of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.anonymising import anonymise_reviews
from meta_eval.cli.asking import ask_parts, stopping, write_prompts
from meta_eval.cli.inputs import read_corpus, read_rating_file, require_order
from meta_eval.cli.judging_persons import comparisons, reviews
from meta_eval.cli.judging_summaries import summaries
from meta_eval.cli.llm_options import AskOptions, ModelOption, asks_models, opened_models, require_draws
from meta_eval.cli.options import (
    CorpusFile,
    SeedOption,
    SystemOption,
    folder_place,
)
from meta_eval.cli.stand_in import stand_in
from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.files.cells import csv_text
from meta_eval.files.json_files import json_lines
from meta_eval.files.writing import render_records, write_text
from meta_eval.llm.prompts import load_prompt
from meta_eval.ratings.rating import HIGHEST, LOWEST, Ends, RatedPair, Scale, pool_ratings
from meta_eval.ratings.rows import RATING_COLUMNS, rating_row, sort_ratings
from meta_eval.studies.judging.pairs import corpus_pairs, pair_questions
from meta_eval.studies.judging.running import ModelRatings, rate_pairs
from meta_eval.studies.judging.wording import reworded

judge = typer.Typer(help="Language models as judges, asked what people are asked.", no_args_is_help=True)

FILES = ("ratings.csv", "means.csv", "answers.jsonl", "run.json")


@judge.command("pairs")
@asks_models
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
    *,
    how: AskOptions,
    seed: SeedOption = 0,
) -> None:
    """Let models rate pairs of texts as people do: both orders, blind, in files of their own."""
    ends = (
        None
        if lowest is highest is None
        else Ends(LOWEST if lowest is None else lowest, HIGHEST if highest is None else highest)
    )
    wording = reworded(
        study, scale, ends, question=question, instructions=instructions, labels=label or (),
        document_shown=show_document,
    )  # fmt: skip
    with opened_models(model) as models:
        require_draws([one.options for one in models], draws)
        corpus = read_corpus(corpus_file)
        pairs = _chosen_pairs(corpus_file, corpus, ratings, wording.ends, system, documents, seed)
        prompt = load_prompt("judge-pairs")
        questions = pair_questions(
            corpus, pairs, wording=wording, prompt=prompt, explain=explain,
            both_orders=not one_order, draws=draws,
        )  # fmt: skip
        asked = [one for _, one in questions]
        if not how.sends:
            write_prompts(models, asked, how, out)
            return
        with stopping():
            found = [
                rate_pairs(
                    questions,
                    one,
                    *ask_parts(one, how, [asked]),
                    prompt=prompt,
                    wording=wording,
                    attempts=how.attempts,
                )
                for one in models
            ]
            _write(found, out)


judge.command("stand-in")(stand_in)


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
                json_lines(answers),
                render_records([one.record for one in found], "json"),
            ),
            strict=True,
        )
    )
    for name, text in texts.items():
        write_text(text, out / name)


judge.command("reviews")(reviews)
judge.command("comparisons")(comparisons)
judge.command("summaries")(summaries)
judge.command("anonymise")(anonymise_reviews)
