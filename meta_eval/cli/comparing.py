"""The command that asks which measure agrees best with people."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from meta_eval.cli.inputs import (
    open_store,
    parse_measures,
    read_corpus,
    read_rating_file,
)
from meta_eval.cli.judged_runs import PerseOption, read_judged
from meta_eval.cli.options import (
    AdjustOption,
    CorpusFile,
    FormatOption,
    HumanFile,
    MeasureOption,
    ModeOption,
    NormaliseOption,
    OutOption,
    PreprocessOption,
    ScoreOption,
    SeedOption,
    StoreOption,
    TokeniserOption,
    choices,
    plain,
)
from meta_eval.cli.records import Record, read_records, scores_by
from meta_eval.cli.scores import score_measure, score_surrogate
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import Normalise
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import InputError
from meta_eval.files.writing import render_records, write_text
from meta_eval.measures import Measure, Signature, make_measure
from meta_eval.measures.base import default_options
from meta_eval.measures.lexical import WordMeasure
from meta_eval.measures.registry import measure_class
from meta_eval.measures.signatures import read_signature
from meta_eval.measures.words.tokenisers import options_named
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import Ends, Rating
from meta_eval.report.limits import difference_limits
from meta_eval.report.reliability import HUMAN, shared_settings
from meta_eval.scores.contributions import Contributions, ScoreOptions
from meta_eval.scores.human import HumanScores
from meta_eval.scores.names import SCORES, ScoreName
from meta_eval.scores.perseval import EDP_READERS_BEFORE
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.resampling.samples import DEFAULT_RESAMPLES
from meta_eval.stats.significance.comparison import Swap
from meta_eval.stats.table.joint import over_common
from meta_eval.stats.table.pairwise import (
    DEFAULT_TESTS,
    CompareOptions,
    PairComparison,
    PairedSamples,
    Test,
    compare_measures,
)
from meta_eval.stats.table.resampled import Resampled
from meta_eval.stats.table.schemes import RaterDraws, resample_table

if TYPE_CHECKING:
    OneTest = Test
else:
    OneTest = choices(Test)

_ORIGIN = ("scale", "raters_per_pair", "min_raters", "signature")
"""What a human score was made with, to make it again of each document."""
_AGREE = 1e-6


def compare(
    human_file: HumanFile,
    corpus_file: CorpusFile,
    measure: MeasureOption,
    score: ScoreOption = "perseval",
    coefficient: Annotated[Coefficient, typer.Option(help="The coefficient compared.")] = "kendall",
    test: Annotated[
        list[OneTest] | None,
        typer.Option(help="Only this test; may be repeated. [default: permutation, williams]"),
    ] = None,
    swap: Annotated[
        Swap, typer.Option(help="What the permutation test swaps between two metrics; both: PERM-BOTH.")
    ] = "systems",
    adjust: AdjustOption = "holm",
    permutations: Annotated[
        int, typer.Option(min=99, help="Random swaps where not all are enumerated.")
    ] = 9_999,
    resampled: Annotated[
        Resampled, typer.Option(help="What the bootstrap draws. All but systems need --ratings.")
    ] = "systems",
    resamples: Annotated[int, typer.Option(min=40, help="Resamples of the bootstrap.")] = DEFAULT_RESAMPLES,
    ratings: Annotated[
        Path | None,
        typer.Option(metavar="RATINGS.csv", help="Ratings that HUMAN.json was made from, to resample them."),
    ] = None,
    seed: SeedOption = 0,
    perse: PerseOption = None,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Compare measures pair by pair: which agrees better with people, and is it more than chance?

    With --perse the judge's accuracy is compared, in the place of the score.
    """
    measures = parse_measures(measure, mode, preprocess, tokeniser)
    kind = SCORES[score]
    tests = plain(test or DEFAULT_TESTS)
    needs_ratings = "bootstrap" in tests and resampled != "systems"
    people = read_records(human_file, "surrogate", kind.human, *(_ORIGIN if needs_ratings else ()))
    asked = {"normalise": normalise, **ScoreOptions().record}
    settings = shared_settings({HUMAN: people, "this command": [asked]})
    if needs_ratings and ratings is None:
        raise InputError("HUMAN.json holds scores of systems alone: give --ratings, or --resampled systems")
    corpus, kept = read_corpus(corpus_file), open_store(store)
    options = CompareOptions(
        tests=tests,
        swap=swap,
        adjustment=adjust,
        permutations=permutations,
        resamples=resamples,
        seed=seed,
    )
    judged = read_judged(perse, corpus, taken=[one.id for one in measures])
    scores = {
        one.id: score_measure(corpus, one, normalise=normalise, store=kept).contributions for one in measures
    }
    if judged:
        scores = over_common({**scores, **judged}, score)
        sys.stderr.write(f"note: {_over(scores, score)}\n")
    samples = None
    if needs_ratings and ratings is not None:
        rated = read_rating_file(ratings, corpus, Ends.from_record(people[0]))
        human = _score_again(people, corpus, rated, normalise, kept)
        samples = _draw(scores, human, corpus, rated, score, resampled, options)
    found = compare_measures(
        scores,
        scores_by(people, "surrogate", kind.human),
        score=score,
        coefficient=coefficient,
        options=options,
        samples=samples,
    )
    records = [{"score": score, **one.as_dict(), "ci_limits": _limits_of(one), **settings} for one in found]
    sys.stderr.writelines(f"note: {limit}\n" for limit in dict.fromkeys(map(_limits_of, found)) if limit)
    write_text(render_records(records, form), out)


def _over(scores: Mapping[str, Contributions], score: ScoreName) -> str:
    """Over how many summaries measures and judge are compared; all have the same."""
    there = np.isfinite(next(iter(scores.values())).matrix(score))  # (S, D)
    documents, systems = there.any(axis=0), there.any(axis=1)
    return (
        f"measures and judge are compared over the {documents.sum():,} of {documents.size:,} documents "
        f"and the {systems.sum():,} systems that each of them has a score of"
    )


def _limits_of(row: PairComparison) -> str | None:
    """What the interval and the p of resamples do not hold; the other tests have none."""
    interval = row.found.interval
    if row.ci_over is None or interval is None or interval.low is None:
        return None
    return " ".join(difference_limits(interval.method, row.found.coefficient, row.ci_over)) or None


def _draw(
    automatic: Mapping[str, Contributions],
    human: Mapping[str, HumanScores],
    corpus: Corpus,
    ratings: Sequence[Rating],
    score: ScoreName,
    resampled: Resampled,
    options: CompareOptions,
) -> PairedSamples:
    rated = next(iter(human.values())).divergences.select_rated(corpus)
    drawn = resample_table(
        automatic,
        human,
        resampled=resampled,
        raters=RaterDraws(ratings, rated, seed=(options.seed, 1), resamples=options.resamples),
        rng=np.random.default_rng(options.seed),
        resamples=options.resamples,
    ).samples
    return PairedSamples(
        {name: drawn[ScoreId(score, name)] for name in automatic},
        {name: drawn[ScoreId(SCORES[score].human, name)] for name in human},
        resampled,
    )


def _score_again(
    people: Sequence[Record],
    corpus: Corpus,
    ratings: Sequence[Rating],
    normalise: Normalise,
    store: DistanceStore | None,
) -> dict[str, HumanScores]:
    """Human scores by surrogate, with those of each document.

    Raises `InputError` where they are not those of the records.
    """
    tables: dict[str, dict[str, Record]] = {}
    for record in people:
        tables.setdefault(record["surrogate"], {})[record["system"]] = record
    human: dict[str, HumanScores] = {}
    for given in tables.values():
        head = next(iter(given.values()))
        divergences = human_divergences(
            ratings,
            scale=head["scale"],
            full=head["raters_per_pair"],
            min_raters=head["min_raters"],
            ends=Ends.from_record(head),
        )
        surrogate = _measure_of(head["signature"])
        options = ScoreOptions(edp_readers=head.get("edp_readers", EDP_READERS_BEFORE))
        scores = score_surrogate(
            corpus, divergences, surrogate, normalise=normalise, options=options, store=store
        )
        _require_same_signature(scores.surrogate.signature, read_signature(head["signature"]))
        _require_same_scores(scores.records(), given)
        human[surrogate.id] = scores
    return human


def _measure_of(signature: Record) -> Measure:
    """The measure that a signature names, before it counts anything over a corpus."""
    name, mode = signature["measure"], signature.get("mode", "paper")
    options = dict(signature.get("options") or {})
    if "idf" in options:  # the hash of the frequencies, once they are counted
        options["idf"] = bool(options["idf"])
    if options.get("baseline") is not None:  # the number, wherever it was read
        options["baseline"] = repr(options["baseline"])
    options |= {key: signature[key] for key in ("model", "revision", "max_length") if key in signature}
    if Path(options.get("model", "")).expanduser().is_dir():
        options.pop("revision", None)  # of a folder it is the hash of its files
    known = default_options(found := measure_class(name, mode))
    if issubclass(found, WordMeasure):
        words = options_named(signature.get("tokenizer") or "")
        options = {**found.silent_defaults, **{one: words[one] for one in found.named_elsewhere}, **options}
    given = {key: value for key, value in options.items() if key in known}
    return make_measure(name, mode=mode, preprocess=signature.get("preprocess"), **given)


def _require_same_signature(made: Signature, given: Signature) -> None:
    """Library versions may differ: whether they change anything, the scores will tell."""
    names = [field.name for field in fields(Signature) if field.name != "versions"]
    if differing := [name for name in names if getattr(made, name) != getattr(given, name)]:
        raise InputError(
            f"{made.measure} is not here what it was when the file was made; it differs in "
            f"{', '.join(differing)}: give the models and files that it was made with, "
            "or make the scores again"
        )


def _require_same_scores(made: Sequence[Record], given: Mapping[str, Record]) -> None:
    """`given` by system."""
    for row in made:
        for score in ("perseval_hj", "degress_hj"):
            here, known = row[score], given.get(row["system"], {}).get(score)
            if here is None or known is None:
                same = here is known
            else:
                same = isclose(here, known, rel_tol=_AGREE, abs_tol=_AGREE)
            if not same:
                raise InputError(
                    f"{score} of {row['system']} by {row['surrogate']} is {known} in the file and {here} of "
                    "this corpus and these ratings: give those that the file was made from"
                )
