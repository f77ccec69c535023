"""Where the scores of a report come from: computed now, or read from where they are kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from meta_eval.arrays import Progress
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.ratings.of_models import ModelTable
from meta_eval.ratings.rating import Rating
from meta_eval.ratings.survey import Survey
from meta_eval.report.options import ReportOptions
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores, score_humans

if TYPE_CHECKING:
    from meta_eval.report.inference.judging import Judge

_Behind = TypeVar("_Behind")


@dataclass(frozen=True, slots=True)
class PartScores(Generic[_Behind]):
    """The scores of one part: a record a system, and `load`, which gives what they are made of.

    What they are made of is needed for the statistics alone, so it is loaded where these begin.
    """

    records: Sequence[dict[str, Any]]
    load: Callable[[], _Behind]


class ScoreSource(Protocol):
    """Where the scores of a report come from: computed now, or read from where they are kept.

    `corpus` and `ratings` are those that the scores rest on; distances are kept in `store` if there is one.
    `models` is what language models rated, beside people and in no score, `judge` gives what a judge of
    single summaries said: nothing unless it was asked for.
    A score that cannot be had raises what its measure raises.
    """

    @property
    def corpus(self) -> Corpus: ...

    @property
    def ratings(self) -> Sequence[Rating]: ...

    @property
    def store(self) -> DistanceStore | None: ...

    @property
    def models(self) -> Sequence[ModelTable]: ...

    @property
    def judge(self) -> "Judge | None": ...

    def automatic(self, spec: str, progress: Progress | None) -> PartScores[Contributions]: ...

    def human(self, spec: str, progress: Progress | None) -> PartScores[HumanScores]: ...


@dataclass(frozen=True, slots=True)
class ComputedScores:
    """Scores computed from a corpus and a survey; of `systems` alone where they are named."""

    corpus: Corpus
    survey: Survey
    options: ReportOptions
    systems: Sequence[str] | None = None
    store: DistanceStore | None = None
    models: Sequence[ModelTable] = ()
    judge: "Judge | None" = None

    @property
    def ratings(self) -> Sequence[Rating]:
        return self.survey.ratings

    def automatic(self, spec: str, progress: Progress | None) -> PartScores[Contributions]:
        scores = score_systems(
            self.corpus,
            self.options.measure(spec),
            systems=self.systems,
            normalise=self.options.normalise,
            options=self.options.score_options,
            progress=progress,
            store=self.store,
        )
        return PartScores(scores.records(), lambda: scores.contributions)

    def human(self, spec: str, progress: Progress | None) -> PartScores[HumanScores]:
        scores = score_humans(
            self.corpus,
            self.survey.divergences(self.options.min_raters),
            self.options.measure(spec),
            normalise=self.options.normalise,
            options=self.options.score_options,
            progress=progress,
            store=self.store,
        )
        return PartScores(scores.records(), lambda: scores)
