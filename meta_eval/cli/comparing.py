"""The command that asks which measure agrees best with people."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from meta_eval.cli.inputs import (
    open_store,
    parse_measures,
    progress_bar,
    read_corpus,
    read_rating_file,
    warn_of_empty,
)
from meta_eval.cli.options import (
    CorpusFile,
    Format,
    FormatOption,
    HumanFile,
    MeasureOption,
    Mode,
    ModeOption,
    Normalise,
    NormaliseOption,
    OutOption,
    PreprocessOption,
    Score,
    ScoreOption,
    SeedOption,
    StoreOption,
)
from meta_eval.cli.rebuilding import rebuild_human
from meta_eval.cli.records import read_records, scores_by
from meta_eval.cli.resampling import (
    AdjustmentName,
    AdjustOption,
    CoefficientName,
    RatedSides,
    RatingsOption,
    ResampledName,
)
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import InputError
from meta_eval.files.writing import render_records, write_text
from meta_eval.measures import Measure
from meta_eval.report.reliability import HUMAN, shared_settings
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.contributions import Contributions, ScoreOptions
from meta_eval.scores.names import SCORE_KINDS, ScoreKind
from meta_eval.stats.resampling.samples import DEFAULT_RESAMPLES
from meta_eval.stats.table.pairwise import (
    DEFAULT_TESTS,
    CompareOptions,
    PairedSamples,
    compare_measures,
)
from meta_eval.stats.table.schemes import resample_table


class SwapName(StrEnum):
    systems = "systems"
    both = "both"
    documents = "documents"
    cells = "cells"


class TestName(StrEnum):
    permutation = "permutation"
    williams = "williams"
    bootstrap = "bootstrap"


def compare(
    human_file: HumanFile,
    corpus_file: CorpusFile,
    measure: MeasureOption,
    score: ScoreOption = Score.perseval,
    coefficient: Annotated[
        CoefficientName, typer.Option(help="The coefficient compared.")
    ] = CoefficientName.kendall,
    test: Annotated[
        list[TestName] | None,
        typer.Option(help="Only this test; may be repeated. [default: permutation, williams]"),
    ] = None,
    swap: Annotated[
        SwapName, typer.Option(help="What the permutation test swaps between two metrics; both: PERM-BOTH.")
    ] = SwapName.systems,
    adjust: AdjustOption = AdjustmentName.holm,
    permutations: Annotated[
        int, typer.Option(min=99, help="Random swaps where not all are enumerated.")
    ] = 9_999,
    resampled: Annotated[
        ResampledName,
        typer.Option(help="What the bootstrap draws. All but systems need --ratings."),
    ] = ResampledName.systems,
    resamples: Annotated[int, typer.Option(min=40, help="Resamples of the bootstrap.")] = DEFAULT_RESAMPLES,
    ratings: RatingsOption = None,
    seed: SeedOption = 0,
    normalise: NormaliseOption = Normalise.document,
    mode: ModeOption = Mode.paper,
    preprocess: PreprocessOption = None,
    store: StoreOption = None,
    form: FormatOption = Format.json,
    out: OutOption = None,
) -> None:
    """Compare measures pair by pair: which agrees better with people, and is it more than chance?"""
    measures = parse_measures(measure, mode, preprocess)
    people = read_records(human_file, "surrogate", _kind(score).human)
    asked = {"normalise": normalise.value, **ScoreOptions().record}
    settings = shared_settings({HUMAN: people, "this command": [asked]})
    corpus, kept = read_corpus(corpus_file), open_store(store)
    options = CompareOptions(
        tests=tuple(name.value for name in test) if test else DEFAULT_TESTS,
        swap=swap.value,
        adjustment=adjust.value,
        permutations=permutations,
        resamples=resamples,
        seed=seed,
    )
    scores = {one.id: _score(corpus, one, normalise, kept) for one in measures}
    drawn = None
    if "bootstrap" in options.tests and resampled != ResampledName.systems:
        sides = _rated_sides(people, scores, corpus, ratings, kept)
        drawn = _draw(sides, score, resampled, options)
    found = compare_measures(
        scores,
        scores_by(people, "surrogate", _kind(score).human),
        score=score.value,
        coefficient=coefficient.value,
        options=options,
        samples=drawn,
    )
    records = [{"score": score.value, **one.as_dict(), **settings} for one in found]
    write_text(render_records(records, form.value), out)


def _rated_sides(
    people: Sequence[Mapping[str, Any]],
    automatic: Mapping[str, Contributions],
    corpus: Corpus,
    ratings_file: Path | None,
    store: DistanceStore | None,
) -> RatedSides:
    if ratings_file is None:
        raise InputError("HUMAN.json holds scores of systems alone: give --ratings, or --resampled systems")
    ratings = read_rating_file(ratings_file, corpus)
    return RatedSides(automatic, rebuild_human(people, corpus, ratings, store), corpus, ratings)


def _draw(
    sides: RatedSides, score: Score, resampled: ResampledName, options: CompareOptions
) -> PairedSamples:
    drawn = resample_table(
        sides.automatic,
        sides.human,
        resampled=resampled.value,
        raters=sides.raters(options.seed, options.resamples),
        rng=np.random.default_rng(options.seed),
        resamples=options.resamples,
    ).samples
    return PairedSamples(
        {name: drawn[f"{score.value} {name}"] for name in sides.automatic},
        {name: drawn[f"{_kind(score).human} {name}"] for name in sides.human},
        resampled.value,
    )


def _kind(score: Score) -> ScoreKind:
    return next(kind for kind in SCORE_KINDS if kind.automatic == score.value)


def _score(
    corpus: Corpus, measure: Measure, normalise: Normalise, store: DistanceStore | None
) -> Contributions:
    with progress_bar(f"Scoring with {measure.id}") as progress:
        found = score_systems(corpus, measure, normalise=normalise.value, progress=progress, store=store)
    warn_of_empty(f"measure {measure.id}", found.distances)
    return found.contributions
