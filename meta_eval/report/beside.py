"""Ours beside published numbers, laid out as papers print them: systems down, measures across."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from meta_eval.report.answer import measure_title
from meta_eval.report.cells import Row
from meta_eval.report.certainty import score_text
from meta_eval.report.view import COEFFICIENTS, KINDS
from meta_eval.stats.coefficients.ties import TIE

SCORES = {**KINDS, "accuracy": "Accuracy", "p_acc": "P-Acc", "p_rouge": "P-ROUGE"}
SPREADS = {"bias": "Bias", "variance": "Variance"}
"""Columns of small numbers, which show digits that count in place of decimals."""

_LEAST = 0.0005


@dataclass(frozen=True)
class BesideLine:
    """What the line is of, and a row of the published table for each column, None where there is none."""

    names: tuple[str, ...]
    cells: tuple[Row | None, ...]


@dataclass(frozen=True)
class Beside:
    """One table. naming: headings of the names. ranks: how alike ours and theirs rank, a line a coefficient.

    remarks: the same in words where it is of the whole table. only: what stands on one side alone.
    """

    title: str
    file: str
    naming: tuple[str, ...]
    columns: tuple[str, ...]
    lines: tuple[BesideLine, ...]
    ranks: tuple[BesideLine, ...]
    remarks: tuple[str, ...]
    only: tuple[str, ...]


def lay_out(table: Row) -> list[Beside]:
    """A published table of a report (`meta_eval.report.published.compare_published`) in lines and columns.

    One that has our numbers by each measure beside a single published one is a table for each measure.
    """
    if table["kind"] != "stability":
        return [_lay_out(table)]
    measures = list(dict.fromkeys(row["measure"] for row in table["rows"])) or [""]
    return [
        _lay_out(
            {
                **table,
                "title": f"{table['title']}{f', by {measure_title(measure)}' if measure else ''}",
                "rows": [row for row in table["rows"] if row["measure"] == measure],
                "agreement": [row for row in table["agreement"] if row["measure"] == measure],
                "unmatched": table["unmatched"] if measure == measures[-1] else [],
            }
        )
        for measure in measures
    ]


def _lay_out(table: Row) -> Beside:
    form = _form(table)
    keys = list(dict.fromkeys(map(form.column, table["rows"])))
    per_column = any(row["system"] is not None for row in table["rows"])
    return Beside(
        table["title"],
        table["name"],
        form.naming,
        tuple(map(form.title, keys)),
        tuple(_lines(table["rows"], form.names, form.column, keys)),
        tuple(_lines(table["agreement"], form.ranked, form.column, keys)) if per_column else (),
        () if per_column else tuple(_remarks(table["agreement"])),
        tuple(_only(table["unmatched"])),
    )


class _Scores:
    """Systems down, measures across; each with its score where the table has several."""

    naming: tuple[str, ...] = ("System",)

    def __init__(self, several: bool) -> None:
        self._several = several

    def names(self, row: Row) -> tuple[str, ...]:
        return (_system(row),)

    def ranked(self, row: Row) -> tuple[str, ...]:
        return (_ranks(row),)

    def column(self, row: Row) -> tuple[str, ...]:
        return row["score"], row["measure"]

    def title(self, key: tuple[str, ...]) -> str:
        score, measure = key
        title = measure_title(measure)
        return f"{SCORES.get(score, score)} by {title}" if self._several else title


class _Stability(_Scores):
    """Systems down; shares of the documents, bias and variance across."""

    def column(self, row: Row) -> tuple[str, ...]:
        return (row["score"],)

    def title(self, key: tuple[str, ...]) -> str:
        return SPREADS.get(key[0], f"{key[0]} %")


class _Coefficients(_Scores):
    """Coefficients, with the surrogate of each if there are any, down; measures across."""

    def __init__(self, surrogates: bool) -> None:
        super().__init__(several=False)
        self.naming = ("Coefficient", "Surrogate") if surrogates else ("Coefficient",)

    def names(self, row: Row) -> tuple[str, ...]:
        coefficient: str = row["score"]
        names = (COEFFICIENTS.get(coefficient, coefficient), measure_title(row["surrogate"] or ""))
        return names[: len(self.naming)]

    def column(self, row: Row) -> tuple[str, ...]:
        return "", row["measure"]


def _form(table: Row) -> _Scores:
    if table["kind"] == "stability":
        return _Stability(several=False)
    if table["kind"] in ("correlations", "paradox"):
        return _Coefficients(surrogates=table["kind"] == "correlations")
    return _Scores(several=len({row["score"] for row in table["rows"]}) > 1)


def _lines(
    rows: Iterable[Row],
    names: Callable[[Row], tuple[str, ...]],
    column: Callable[[Row], tuple[str, ...]],
    keys: Sequence[tuple[str, ...]],
) -> Iterator[BesideLine]:
    """Lines of the same first name stand together."""
    found: dict[tuple[str, ...], dict[tuple[str, ...], Row]] = {}
    for row in rows:
        found.setdefault(names(row), {})[column(row)] = row
    groups = list(dict.fromkeys(line[0] for line in found)) if found else []
    for line in sorted(found, key=lambda line: groups.index(line[0])):
        yield BesideLine(line, tuple(found[line].get(key) for key in keys))


def _system(row: Row) -> str:
    """Ours, and in brackets what the table calls it where that differs."""
    ours: str = row["system"]
    theirs = row["published_system"]
    return ours if ours == theirs else f"{ours} ({theirs})"


def _ranks(row: Row) -> str:
    return f"Ranks: {COEFFICIENTS[row['coefficient']]}"


def _remarks(agreement: Iterable[Row]) -> Iterator[str]:
    """One sentence for all numbers of a coefficient."""
    groups: dict[str, list[Row]] = {}
    for row in agreement:
        groups.setdefault(row["score"], []).append(row)
    for score, rows in groups.items():
        title, n = COEFFICIENTS.get(score, score), rows[0]["n"]
        found = "; ".join(f"{COEFFICIENTS[row['coefficient']]} {_estimate(row)}" for row in rows)
        yield f"Ranks of ours with theirs over the {n} numbers of {title}: {found}."


def _estimate(row: Row) -> str:
    if row["estimate"] is None:
        return f"none ({row['reason']})"
    return f"{row['estimate']:.2f}".replace("-", "−")


def _only(unmatched: Iterable[Row]) -> Iterator[str]:
    """What is ours alone, then what is theirs alone."""
    for where, words in (("ours", "Only in ours"), ("published", "Only in the published table")):
        found: dict[str, list[str]] = {}
        for row in unmatched:
            if row["where"] == where:
                name = row["name"] if row["what"] == "system" else measure_title(row["name"])
                found.setdefault(row["what"], []).append(name)
        if found:
            named = "; ".join(f"{what} {', '.join(names)}" for what, names in found.items())
            yield f"{words}: {named}."


def number_text(row: Row, value: float | None) -> str:
    """A number of the table: three decimals; two digits that count for a spread; a dash for none."""
    if value is None:
        return "–"
    if row["score"] in SPREADS:
        return "0" if value < TIE else f"{value:.2g}"
    return score_text(value)


def difference_text(row: Row) -> str:
    """Ours less theirs with its sign; one that three decimals would hide keeps a digit that counts."""
    value = row["difference"]
    if value is None:
        return "–"
    small = row["score"] in SPREADS or TIE < abs(value) < _LEAST
    return f"{value:+.2g}" if small else f"{value:+.3f}"


def rank_text(row: Row) -> str:
    """A rank correlation, and of how many numbers."""
    return f"– (n {row['n']})" if row["estimate"] is None else f"{row['estimate']:.2f} (n {row['n']})"
