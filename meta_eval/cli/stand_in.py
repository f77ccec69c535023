"""The command `judge stand-in`: what is known of models beside people, without the rest of a report."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.inputs import open_store, read_corpus, read_rating_file, require_order
from meta_eval.cli.options import (
    CorpusFile,
    FormatOption,
    HighestOption,
    LowestOption,
    MixedOption,
    OutOption,
    RatingsFile,
    ScaleOption,
    SeedOption,
    StoreOption,
)
from meta_eval.files.writing import render_records, write_text
from meta_eval.measures import parse_measure
from meta_eval.ratings.of_models import read_model_tables
from meta_eval.ratings.rating import HIGHEST, LOWEST, Ends
from meta_eval.report.inference.stand_in import StandInOptions
from meta_eval.report.options import (
    REPORT_RESAMPLES,
    RESAMPLES,
    InferenceOptions,
    choose_measures,
    measure_id,
)
from meta_eval.report.schema import row_record
from meta_eval.report.tables.stand_in_verdict import BY_CHANCE
from meta_eval.stats.raters.alternative import EPSILON, Alignment
from meta_eval.studies.judging.stand_in import compare_with_people


def stand_in(
    corpus_file: CorpusFile,
    people_file: RatingsFile,
    models_file: Annotated[
        Path,
        typer.Argument(
            metavar="MODELS", help="The answers.jsonl or ratings.csv of models, as `judge pairs` wrote them."
        ),
    ],
    scale: ScaleOption,
    surrogate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="M",
            help="Scores of systems too, with the distances that nobody rates from this measure. May be "
            "repeated.",
        ),
    ] = None,
    epsilon: Annotated[
        float,
        typer.Option(min=0, max=1, help="What a rater's cost is worth: 0.1 crowd, 0.15 skilled, 0.2 expert."),
    ] = EPSILON,
    alignment: Annotated[
        Alignment, typer.Option(help="Closeness by squared differences, or by equal ratings.")
    ] = "rmse",
    expert: Annotated[
        str | None,
        typer.Option(metavar="RATER", help="The single-expert variant: this rater's ratings count as right."),
    ] = None,
    mixed: MixedOption = False,
    lowest: LowestOption = LOWEST,
    highest: HighestOption = HIGHEST,
    resamples: Annotated[
        int, typer.Option(min=RESAMPLES[0], max=RESAMPLES[1], help="Resamples of each interval.")
    ] = REPORT_RESAMPLES,
    seed: SeedOption = 0,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Say whether a model may stand in for raters: agreement, the test, scores, leanings, mixed surveys."""
    require_order("judge stand-in", corpus_file, people_file)
    ends = Ends(lowest, highest)
    corpus = read_corpus(corpus_file)
    chosen = choose_measures(surrogate) if surrogate else ()
    people = read_rating_file(people_file, corpus, ends)
    found = compare_with_people(
        people,
        read_model_tables(models_file, corpus, name=str(models_file), ends=ends),
        corpus,
        scale=scale,
        surrogates={measure_id(spec): parse_measure(spec) for spec in chosen},
        ends=ends,
        stand_in=StandInOptions(epsilon=epsilon, alignment=alignment, expert=expert, named=True, mixed=mixed),
        inference=InferenceOptions(seed=seed, resamples=resamples),
        store=open_store(store),
    )
    for one in found:
        notes = [one.alternative_annotator_test.reason, *(part.reason for part in one.unanswered)]
        if one.agreement_of_people.may_be_chance:
            notes.append(f"{BY_CHANCE}, so nothing is decided by their ratings")
        for note in dict.fromkeys(filter(None, notes)):
            sys.stderr.write(f"note: {one.rater}: {note}\n")
    write_text(render_records([row_record(one) for one in found], form), out)
