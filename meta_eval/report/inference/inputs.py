"""What an inference is made from, and its tables of coefficients, which share the draws of raters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable, Normalise
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.report.inference.families import WithFamilies, look_into_families
from meta_eval.report.inference.primary import adjust_primary, why_no_primary
from meta_eval.report.inference.streams import stream, stream_seed
from meta_eval.report.inference.table import JointTable, add_sensitivity, strip_surrogates
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import CoefficientRow, CorrelationRow, LeftOutRow, LimitedRow
from meta_eval.scores.contributions import Contributions, score_contributions
from meta_eval.scores.human import HumanScores
from meta_eval.stats.table.schemes import RaterDraws
from meta_eval.stats.table.shuffled import RatingShuffles

if TYPE_CHECKING:
    from meta_eval.report.inference.judging import Judge
    from meta_eval.report.inference.stand_in import ModelInputs

Sensitive = tuple[tuple[CorrelationRow, ...], tuple[LeftOutRow, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class InferenceInputs:
    """`automatic` contributions over the whole corpus and `human` scores, by measure and surrogate.

    `matched` has each measure's distances over the rated documents `corpus`, restricted to rated pairs
    (`meta_eval.report.inference.table.restrict_to_rated`); `ratings` are all that were given; `words` the
    mean number of words of each system's summaries in the whole corpus (`mean_words`). `compared` has
    each measure's distances between all readers of these documents, empty where nobody asks about them;
    `models` gathers what language models rated, `judge` what a judge of single summaries said, None where
    nobody asked for them: each may fail, and then costs its own part alone.
    """

    automatic: Mapping[str, Contributions]
    matched: Mapping[str, DistanceTable]
    human: Mapping[str, HumanScores]
    corpus: Corpus
    ratings: Sequence[Rating]
    words: Mapping[str, float] = field(default_factory=dict)
    compared: Mapping[str, DistanceTable] = field(default_factory=dict)
    models: "Callable[[], ModelInputs] | None" = None
    judge: "Judge | None" = None

    @property
    def normalise(self) -> Normalise:
        """Whether human scores set their distances against those to the document."""
        return next((scores.surrogate.normalise for scores in self.human.values()), "document")


class Tables:
    """The tables of coefficients, which share the draws of raters; the first one serves several parts."""

    def __init__(self, inputs: InferenceInputs, options: InferenceOptions) -> None:
        self._inputs, self._options = inputs, options
        self._raters = RaterDraws(
            inputs.ratings,
            inputs.corpus,
            seed=stream_seed(options.seed, "raters"),
            resamples=options.resamples,
        )
        self._shuffles = RatingShuffles(
            inputs.ratings,
            inputs.corpus,
            seed=stream_seed(options.seed, "shuffles"),
            shuffles=options.shuffles,
        )
        self._first: JointTable | None = None

    @property
    def first(self) -> JointTable:
        """The table of the `cells`. Raises `InputError` where there is none."""
        if self._first is None:
            raise InputError("there are no coefficients to look into")
        return self._first

    def cells(self) -> Sensitive:
        self._first = self.resample("cells", self._inputs.automatic, self._inputs.human)
        rows, left_out = add_sensitivity(self._first)
        rng = stream(self._options.seed, "primary")
        return adjust_primary(rows, self._first, self._options.primary, rng=rng), left_out

    @property
    def primary_reason(self) -> str | None:
        return why_no_primary(self._options.primary, self._inputs.human)

    def matched(self) -> tuple[LimitedRow, ...]:
        options = next((scores.options for scores in self._inputs.human.values()), None)
        scores = {name: score_contributions(table, options) for name, table in self._inputs.matched.items()}
        return tuple(self.resample("matched", scores, self._inputs.human).rows(LimitedRow))

    def bare(self) -> tuple[CoefficientRow, ...]:
        """DEGRESS-HJ and EGISES-HJ of the ratings alone: without a surrogate there is no PerSEval-HJ."""
        if not self._inputs.human:
            raise InputError(ONE_SIDE)
        people = {"": strip_surrogates(next(iter(self._inputs.human.values())), self._inputs.corpus)}
        table = self.resample("bare", self._inputs.automatic, people)
        return tuple(table.rows(CoefficientRow, ("degress_hj", "egises_hj")))

    def families(self, cells: Sequence[CorrelationRow]) -> WithFamilies:
        return look_into_families(self.first, cells, self._inputs.corpus, self._options)

    def resample(
        self, part: str, automatic: Mapping[str, Contributions], human: Mapping[str, HumanScores]
    ) -> JointTable:
        """Both sides resampled in the stream of a part."""
        if not automatic or not human:
            raise InputError(ONE_SIDE)
        return JointTable.resample(
            automatic,
            human,
            rng=stream(self._options.seed, part),
            design=self._options.design,
            raters=self._raters,
            shuffles=self._shuffles,
            normalise=self._inputs.normalise,
        )


ONE_SIDE = "there are scores of one side only, so nothing can be compared"
