"""Rows into values of meta_eval and back: the only place where scoring knows both."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self

from meta_eval.distances.computing import Normalise
from meta_eval.measures import Measure, parse_measure
from meta_eval.measures.base import Mode, Preprocess
from meta_eval.measures.words.tokenisers import Tokeniser
from meta_eval.ratings.divergences import HumanDivergences, human_divergences
from meta_eval.ratings.rating import Rating, check_scale
from meta_eval.ratings.rows import rating_of_row, sort_ratings
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.penalties import AccuracyPenalty
from meta_eval.scores.perseval import EDP_READERS_BEFORE, PenaltyOptions
from meta_eval.version import __version__
from survey_site.batches.models import Batch
from survey_site.common.digest import digest
from survey_site.common.errors import ConflictError
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import corpus_languages
from survey_site.scoring.models import RatingSet, RunKind, ScoreRun
from survey_site.survey.rating_rows import rating_rows


@dataclass(frozen=True, kw_only=True)
class MeasureChoice:
    """A measure as asked for: `spec` as on a command line, `preprocess` None for the default of the mode.

    `tokeniser` None: words are found as the corpus's language asks.
    """

    spec: str
    mode: Mode = "paper"
    preprocess: Preprocess | None = None
    tokeniser: Tokeniser | None = None

    @classmethod
    def of(cls, spec: str, options: Mapping[str, Any]) -> Self:
        """The measure as the stored options of a run or a report ask for it."""
        return cls(
            spec=spec,
            mode=options["mode"],
            preprocess=options["preprocess"],
            tokeniser=options.get("tokeniser"),
        )

    def make(self, corpus: Corpus) -> Measure:
        """For texts of this corpus. Raises MeasureError where there is no such measure, option or mode."""
        made = parse_measure(self.spec, mode=self.mode, preprocess=self.preprocess, tokeniser=self.tokeniser)
        return made.in_languages(corpus_languages(corpus))


def measure_of(run: ScoreRun) -> Measure:
    return MeasureChoice.of(run.measure, run.options).make(run.corpus)


def options_as_json(options: ScoreOptions) -> dict[str, Any]:
    return asdict(options)


def score_options_of(run: ScoreRun) -> ScoreOptions:
    stored = run.options["score"]
    return ScoreOptions(
        penalty=PenaltyOptions(**stored["penalty"]),
        include_self=stored["include_self"],
        edp_readers=stored.get("edp_readers", EDP_READERS_BEFORE),
        p_acc=AccuracyPenalty(**stored.get("p_acc", {})),
    )


def normalise_of(run: ScoreRun) -> Normalise:
    normalise: Normalise = run.options["normalise"]
    return normalise


RECORDS = 7
"""Raised when records of scores hold more or other numbers than before, so that what an older site kept is
computed again."""


def run_key(
    *,
    kind: RunKind,
    content_hash: str,
    measure: Measure,
    normalise: str,
    score: Mapping[str, Any],
    human: Mapping[str, Any] | None = None,
    copy: int | None = None,
) -> str:
    """SHA-256 of everything the scores depend on, the library's own version included.

    copy: tells corpora of the same content apart; the first of them has none.
    """
    return digest(
        {
            "kind": kind,
            "meta_eval": __version__,
            "records": RECORDS,
            "corpus": content_hash,
            "measure": measure.signature.digest,
            "normalise": normalise,
            "score": score,
            "human": human,
            **({} if copy is None else {"copy": copy}),
        }
    )


def human_key(run: ScoreRun, measure: Measure, **of: Any) -> str:
    """The key of a run of human scores, which need not be stored yet; `of` says of which ratings."""
    options = run.options
    human = {name: options[name] for name in ("scale", "raters", "min_raters")}
    return run_key(
        kind=RunKind.HUMAN,
        content_hash=run.corpus.content_hash,
        measure=measure,
        normalise=options["normalise"],
        score=options["score"],
        human={**human, "batch": run.batch_id, **of},
    )


def computing_versions() -> dict[str, str]:
    """Installed versions of everything that may compute a score, found without importing it."""
    versions = {"meta_eval": __version__}
    for name in ("numpy", "scipy", "rapidfuzz", "nltk", "torch", "transformers"):
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def ratings_of_batch(batch: Batch) -> list[Rating]:
    """The ratings of submitted questionnaires that hold a place, in an order that depends on them alone."""
    return sort_ratings(map(rating_of_row, rating_rows(batch)))


def ratings_of(rating_set: RatingSet) -> list[Rating]:
    """Raises ConflictError where people withdrew some: what is left is not what the hash names."""
    if rating_set.withdrawn:
        raise ConflictError(
            f"{rating_set.withdrawn} of these ratings were withdrawn by the people who gave them.",
            action="Make a new report on the batch: it rests on the ratings that are held.",
        )
    return [Rating(*row) for row in rating_set.ratings]


def divergences_of(run: ScoreRun) -> HumanDivergences:
    """Human divergences from the ratings that the run was asked for."""
    if run.rating_set is None:
        raise ValueError(f"run {run.pk} has no ratings: none were read for it")
    return human_divergences(
        ratings_of(run.rating_set),
        scale=check_scale(run.options["scale"]),
        full=run.options["raters"],
        min_raters=run.options["min_raters"],
    )
