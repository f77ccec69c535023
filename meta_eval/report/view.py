"""What of a report its reader looks at: a score, a measure and a surrogate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.report.answer import measure_title
from meta_eval.report.schema import Report
from meta_eval.scores import names
from meta_eval.scores.names import SCORES
from meta_eval.stats.coefficients import registry

KINDS: Mapping[str, str] = {name: SCORES[name].title for name in names.AS_SHOWN}
"""Titles of the scores that raters have, too."""

COEFFICIENTS: Mapping[str, str] = {name: registry.REGISTRY[name].title for name in registry.AS_SHOWN}
"""Titles of the coefficients, in the order in which they are shown."""


@dataclass(frozen=True)
class View:
    """What a reader looks at: a score, a measure, a surrogate, and the column that sorts."""

    kind: str
    measure: str
    surrogate: str
    sort: str = ""

    @property
    def title(self) -> str:
        return KINDS[self.kind]

    @property
    def human(self) -> str:
        return f"{self.kind}_hj"

    @property
    def measure_title(self) -> str:
        return measure_title(self.measure)

    @property
    def surrogate_title(self) -> str:
        return measure_title(self.surrogate)


def choose_view(report: Report, query: Mapping[str, str]) -> View:
    """What the query asks for; anything it leaves out or gets wrong is the first there is.

    Left out: DEGRESS, which the answer is about, the measure that agrees best with the raters, and the
    surrogate of the declared primary coefficient or else the first.

    Parameters
    ----------
    report : Report
    query : mapping
        `score`, `measure`, `surrogate` and `sort`, each by its id.

    Returns
    -------
    View

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from meta_eval import InferenceOptions, make_report, read_ratings
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "rain"}}
    >>> corpus = Corpus((Document("d", "", "Rain, then sun.", own, systems),))
    >>> rows = [("d", name, "ann", "bob", "p", value) for name, value in [("user", 2), ("A", 2), ("B", 6)]]
    >>> columns = ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    >>> ratings = read_ratings(DataFrame(rows, columns=columns), corpus)
    >>> quick = InferenceOptions(resamples=20, shuffles=20, splits=5, simulations=5)
    >>> asked = {"measures": ["jsd"], "surrogates": ["jsd"], "scale": "similarity", "inference": quick}
    >>> report = make_report(corpus, ratings, **asked).report
    >>> choose_view(report, {"score": "egises"}).title
    'EGISES'
    """
    measures, surrogates = measures_of(report, "automatic"), measures_of(report, "human")
    ranking = report.answer.ranking
    primary = report.inference.primary if report.inference else None
    best = ranking[0].measure if ranking else next(iter(measures), "")
    return View(
        kind=_one_of(query.get("score"), KINDS, "degress"),
        measure=_one_of(query.get("measure"), measures, best),
        surrogate=_one_of(
            query.get("surrogate"), surrogates, primary.surrogate if primary else next(iter(surrogates), "")
        ),
        sort=query.get("sort", ""),
    )


def measures_of(report: Report, side: str) -> list[str]:
    """Ids of the measures (or surrogates) that have scores, in the order in which they were asked for."""
    return list(dict.fromkeys(row.measure for row in report.leaderboard if row.side == side))


def _one_of(value: str | None, known: Mapping[str, Any] | Sequence[str], default: str) -> str:
    return value if value is not None and value in known else default
