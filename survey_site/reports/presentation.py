"""What of a report its reader looks at, and the plot and signatures that go with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from survey_site.reports.charts import Point
from survey_site.reports.tables import COEFFICIENTS, Result

KINDS = {"perseval": "PerSEval", "degress": "DEGRESS", "egises": "EGISES"}


@dataclass(frozen=True)
class View:
    """What a reader of the page looks at: a score, a measure, a surrogate, and the column that sorts."""

    kind: str
    measure: str
    surrogate: str
    sort: str

    @property
    def title(self) -> str:
        return KINDS[self.kind]

    @property
    def human(self) -> str:
        return f"{self.kind}_hj"


def choose_view(result: Result, query: Mapping[str, str]) -> View:
    """What the query asks for; anything it leaves out or gets wrong is the first there is."""
    measures, surrogates = measures_of(result, "automatic"), measures_of(result, "human")
    ranking = result["answer"]["ranking"]
    best = ranking[0]["measure"] if ranking else next(iter(measures), "")
    return View(
        kind=_one_of(query.get("score"), KINDS, "perseval"),
        measure=_one_of(query.get("measure"), measures, best),
        surrogate=_one_of(query.get("surrogate"), surrogates, next(iter(surrogates), "")),
        sort=query.get("sort", ""),
    )


def measures_of(result: Result, side: str) -> list[str]:
    """Ids of the measures (or surrogates) that have scores, in the order in which they were asked for."""
    return list(dict.fromkeys(row["measure"] for row in result["leaderboard"] if row["side"] == side))


def scatter_points(result: Result, view: View) -> list[Point]:
    """The systems that have both scores."""
    human = _values(result, "human", view.surrogate, view.human)
    automatic = _values(result, "automatic", view.measure, view.kind)
    return [Point(system, human[system], automatic[system]) for system in human if system in automatic]


def _values(result: Result, side: str, measure: str, score: str) -> dict[str, float]:
    return {
        row["system"]: row["value"]
        for row in result["leaderboard"]
        if (row["side"], row["measure"], row["score"]) == (side, measure, score) and row["value"] is not None
    }


def coefficients_of(result: Result, view: View) -> list[tuple[str, Mapping[str, Any]]]:
    """The three coefficients of the plotted pair of scores, by title."""
    place = (view.kind, view.measure, view.surrogate)
    found = {
        row["coefficient"]: row
        for row in result["correlations"]
        if (row["automatic"], row["measure"], row["surrogate"]) == place
    }
    return [(title, found[name]) for name, title in COEFFICIENTS.items() if name in found]


@dataclass(frozen=True)
class SignatureEntry:
    """One signature, and whether it is that of a measure, a surrogate or both."""

    measure: str
    digest: str
    sides: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]


def list_signatures(result: Result) -> list[SignatureEntry]:
    """Each signature once."""
    by_digest: dict[str, list[Mapping[str, Any]]] = {}
    for entry in result["signatures"]:
        by_digest.setdefault(entry["digest"], []).append(entry)
    return [
        SignatureEntry(
            entries[0]["measure"],
            digest,
            tuple(entry["side"] for entry in entries),
            tuple((name, _readable(value)) for name, value in entries[0]["signature"].items()),
        )
        for digest, entries in by_digest.items()
    ]


def _readable(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {inner}" for name, inner in value.items())
    return str(value)


def _one_of(value: str | None, known: Mapping[str, Any] | Sequence[str], default: str) -> str:
    return value if value is not None and value in known else default
