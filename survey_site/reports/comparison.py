"""Two reports side by side: what was asked differently, and which numbers may be held against each other."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from math import hypot
from typing import Any

from meta_eval.publish.long_form import without_paths
from meta_eval.report.answer import measure_title
from meta_eval.report.limits import limits_of_report
from meta_eval.report.primary import Primary
from meta_eval.report.published.comparing import name_tables
from meta_eval.report.schema import CoefficientRow, RankedMeasure, Report
from meta_eval.report.view import COEFFICIENTS, KINDS
from survey_site.common.moments import in_words

Interval = tuple[float, float]

_HASH = re.compile("[0-9a-f]{64}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*")
_WORDS: Mapping[str, str] = {
    "min_raters": "ratings that a pair needs",
    "edp_readers": "readers that the penalty compares",
    "p_acc_alpha": "alpha of P-Acc",
    "p_acc_beta": "beta of P-Acc",
    "normalise": "what distances are weighed by",
    "preprocess": "how texts are prepared",
    "resampled": "what is resampled",
    "adjustment": "how p is adjusted",
    "level": "level of the intervals",
    "stability_replacement": "whether stability draws documents with replacement",
    "seed": "seed of the draws",
    "document_shown": "document shown to raters",
    "equal_pairs_once": "pairs of the same two texts shown once",
    "one_typography": "texts shown in one typography",
    "model_runs": "models that rated, by the start of their hash",
    "epsilon": "epsilon of the alternative annotator test",
    "mixed": "a mixed survey of people and models asked about",
    "judge": "judge in readers’ places, by the start of its hash",
    "in_words": "scale",
    "raters_flagged": "raters flagged and undecided",
    "raters_per_questionnaire": "raters planned for each questionnaire",
    "completions_wanted": "questionnaires to be completed",
    "completions": "questionnaires completed",
    "corpus_hash": "hash of the corpus",
    "corpus_documents": "documents in the corpus",
    "frozen_at": "when it was frozen",
    "snapshot_hash": "hash of the frozen batch",
    "snapshot_ratings": "ratings in the frozen batch",
    "snapshot_withdrawn": "ratings withdrawn since it was frozen",
}
"""What a part of a report is called that its own name does not say."""
_TITLES = {"human": "Raters", "automatic": "Automatic", **KINDS, **COEFFICIENTS}
_SECTIONS = {"subject": "What was rated", "options": "What was asked", "versions": "Software"}
"""Where a difference lies, but for sections whose own name says it."""


@dataclass(frozen=True)
class Difference:
    """One thing that the reports do not share; None where a report does not have it."""

    section: str
    name: str
    a: Any
    b: Any

    @property
    def where(self) -> str:
        """The section in words."""
        return _SECTIONS.get(self.section) or self.section.capitalize()


@dataclass(frozen=True)
class Pair:
    """One number in both reports, with its intervals where there are any.

    `why` says why the two cannot be compared, None where they can.
    """

    labels: tuple[str, ...]
    a: float | None
    b: float | None
    why: str | None
    a_interval: Interval | None = None
    b_interval: Interval | None = None

    @property
    def titles(self) -> list[str]:
        """The labels in words."""
        return [_TITLES.get(label) or measure_title(label) for label in self.labels]

    @property
    def difference(self) -> float | None:
        """b less a; None where either is missing or they are not comparable."""
        if self.a is None or self.b is None or self.why:
            return None
        return self.b - self.a

    @property
    def difference_interval(self) -> Interval | None:
        """From both intervals, as if the reports were independent (Zou 2007, Psychological Methods 12)."""
        if self.difference is None or self.a_interval is None or self.b_interval is None:
            return None
        assert self.a is not None  # noqa: S101 - there is a difference
        assert self.b is not None  # noqa: S101
        (a_low, a_high), (b_low, b_high) = self.a_interval, self.b_interval
        below, above = hypot(self.b - b_low, a_high - self.a), hypot(b_high - self.b, self.a - a_low)
        return self.difference - below, self.difference + above


@dataclass(frozen=True)
class Alone:
    """What only one of the reports has: `of` is a or b."""

    what: str
    of: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class ReportComparison:
    """What differs between two reports, and every number of one kind that both have.

    `ranking` holds the mean agreement of each measure with the raters, whatever the kind; `limits` says what
    the numbers of either report do not hold.
    """

    differences: tuple[Difference, ...]
    alone: tuple[Alone, ...]
    ranking: tuple[Pair, ...]
    scores: tuple[Pair, ...]
    coefficients: tuple[Pair, ...]
    limits: tuple[str, ...]

    @property
    def moved(self) -> list[Pair]:
        """The scores that are not the same number in both reports."""
        return [pair for pair in self.scores if pair.why or pair.difference]

    @property
    def unmoved(self) -> int:
        """How many scores of both reports are the same number."""
        return len(self.scores) - len(self.moved)

    @property
    def incomparable(self) -> int:
        """How many pairs of numbers stand beside each other only."""
        return sum(pair.why is not None for pair in (*self.ranking, *self.scores, *self.coefficients))


def compare_reports(a: Report, b: Report, kind: str) -> ReportComparison:
    """Two finished reports; `kind` is perseval, degress or egises."""
    return ReportComparison(
        tuple(_differences(a, b)),
        tuple(_alone(a, b)),
        tuple(_ranking(a, b)),
        tuple(_scores(a, b, kind)),
        tuple(_coefficients(a, b, kind)),
        tuple(dict.fromkeys([*limits_of_report(a), *limits_of_report(b)])),
    )


def _differences(a: Report, b: Report) -> Iterator[Difference]:
    others = _asked(b)
    for section, values in _asked(a).items():
        for name in dict.fromkeys([*values, *others[section]]):
            first, second = values.get(name), others[section].get(name)
            if first != second:
                yield Difference(section, _in_words(name), _readable(first), _readable(second))
    yield from _left_out(a, b)
    for note in dict.fromkeys([*a.notes, *b.notes]):
        if (note in a.notes) != (note in b.notes):
            yield Difference("notes", note, *("yes" if note in report.notes else "no" for report in (a, b)))


def _asked(report: Report) -> dict[str, Mapping[str, Any]]:
    """What was asked for and what there was to answer it, by section."""
    return {
        "subject": _subject(report),
        "scale": asdict(report.scale),
        "options": _options(report),
        "plan": report.plan,
        "ratings": report.ratings,
        "versions": report.versions,
    }


def _subject(report: Report) -> dict[str, Any]:
    """What was rated; of each generated system the line that says how."""
    subject = dict(without_paths(report).subject)
    if generated := subject.pop("generated", None):
        subject["generated systems"] = [f"{one['system']}: {one['signature_line']}" for one in generated]
    return subject


def _options(report: Report) -> dict[str, Any]:
    """What was chosen; the primary coefficient in words, with its time and what it replaced."""
    options = dict(name_tables(without_paths(report).options))
    primary = options.pop("primary", None)
    for name in ("measures", "surrogates"):
        options[name] = [measure_title(one) for one in options[name]]
    options["primary coefficient"] = report.answer.declared if primary else "none declared"
    return dict(sorted(options.items()))  # databases keep the names in orders of their own


def _in_words(name: str) -> str:
    return _WORDS.get(name) or name.replace("_", " ")


def _readable(value: Any) -> Any:
    """Lists as one text, yes or no, the start of a hash for the whole, a time as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(_readable(one)) for one in value)
    if isinstance(value, str) and _TIME.fullmatch(value):
        return in_words(datetime.fromisoformat(value))
    if isinstance(value, str) and _HASH.fullmatch(value):
        return f"{value[:12]} …"
    return value


def _left_out(a: Report, b: Report) -> Iterator[Difference]:
    """Counts that differ, each named by what it counts."""
    counts, others = ({(row.what, row.measure): row.count for row in report.left_out} for report in (a, b))
    words = {row.what: row.why.partition(";")[0] for report in (a, b) for row in report.left_out}
    for what, measure in dict.fromkeys([*counts, *others]):
        first, second = counts.get((what, measure)), others.get((what, measure))
        if first != second:
            name = words[what] + (f", {measure_title(measure)}" if measure else "")
            yield Difference("left out", name, first, second)


def _alone(a: Report, b: Report) -> Iterator[Alone]:
    for what, names_of in (("measures", _measures), ("surrogates", _surrogates), ("systems", _systems)):
        first, second = names_of(a), names_of(b)
        for of, mine, other in (("a", first, second), ("b", second, first)):
            if names := tuple(name for name in mine if name not in other):
                yield Alone(what, of, names)


def _measures(report: Report) -> list[str]:
    return _titles(report, "automatic")


def _surrogates(report: Report) -> list[str]:
    return _titles(report, "human")


def _titles(report: Report, side: str) -> list[str]:
    measures = dict.fromkeys(row.measure for row in report.leaderboard if row.side == side)
    return [measure_title(name) for name in measures]


def _systems(report: Report) -> list[str]:
    return list(dict.fromkeys(row.system for row in report.leaderboard))


def _ranking(a: Report, b: Report) -> Iterator[Pair]:
    """Means over surrogates; comparable where both rest on the same surrogates, made alike."""
    rows, others = (
        {(row.score, row.measure): row for row in report.inference.ranking} if report.inference else {}
        for report in (a, b)
    )
    surrogates, other_surrogates = (
        [(row.side, row.measure) for row in report.signatures if row.side == "human"] for report in (a, b)
    )
    same = sorted(surrogates) == sorted(other_surrogates)
    primaries = [report.inference.primary if report.inference else None for report in (a, b)]
    alike = _same_primary(*primaries)
    for key, row in rows.items():
        if other := others.get(key):
            parts = [("automatic", row.measure), *surrogates]
            why = _why_not(a, b, row.score, parts) if same else "other surrogates"
            why = why if alike else "by another primary coefficient"
            yield Pair(key, row.estimate, other.estimate, why, _interval(row), _interval(other))


def _same_primary(a: Primary | None, b: Primary | None) -> bool:
    """Whether both rankings go by one coefficient and its surrogate, or both by none that was declared."""
    return a is b if a is None or b is None else a.same_as(b)


def _scores(a: Report, b: Report, kind: str) -> Iterator[Pair]:
    names = {kind, f"{kind}_hj"}
    values, others = (
        {(row.side, row.measure, row.system): row.value for row in report.leaderboard if row.score in names}
        for report in (a, b)
    )
    for key in (key for key in values if key in others):
        yield Pair(key, values[key], others[key], _why_not(a, b, kind, [key[:2]]))


def _coefficients(a: Report, b: Report, kind: str) -> Iterator[Pair]:
    rows, others = (
        {row.key: row for row in report.correlations if row.automatic == kind} for report in (a, b)
    )
    for key, row in rows.items():
        if other := others.get(key):
            surrogate = row.surrogate or ""
            why = _why_not(a, b, kind, [("automatic", row.measure), ("human", surrogate)])
            labels = row.coefficient, row.measure, surrogate
            yield Pair(labels, row.estimate, other.estimate, why, _interval(row), _interval(other))


def _interval(row: CoefficientRow | RankedMeasure) -> Interval | None:
    return None if row.ci_low is None or row.ci_high is None else (row.ci_low, row.ci_high)


def _why_not(a: Report, b: Report, kind: str, parts: Sequence[tuple[str, str]]) -> str | None:
    """Numbers of other distances, weighing or penalty are other numbers under the same name."""
    for part in parts:
        if _digest(a, part) != _digest(b, part):
            return f"the signatures of {part[1]} differ"
    if a.options["normalise"] != b.options["normalise"]:
        return "distances are weighed differently"
    for shape in ("alpha", "beta", "gamma") if kind == "perseval" else ():
        if a.options.get(shape) != b.options.get(shape):
            return f"{shape} differs"
    human = any(side == "human" for side, _ in parts)
    if kind == "perseval" and human and a.options["edp_readers"] != b.options["edp_readers"]:
        return "the penalty compares other readers"
    return None


def _digest(report: Report, part: tuple[str, str]) -> str | None:
    return next((row.digest for row in report.signatures if (row.side, row.measure) == part), None)
