"""Rated summaries: JSONL, one document a line, with what each annotator gave each policy's summary."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, GOLD
from meta_eval.corpus.records import id_problem
from meta_eval.files.json_files import read_json_lines
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.values import is_number, kind_of, name_problem, text_problem


@dataclass(frozen=True, slots=True)
class RatedDocument:
    """`summaries` by policy; `ratings` by annotator and policy, as given; what nobody rated is absent."""

    id: str
    title: str
    body: str
    summaries: Mapping[str, str]
    ratings: Mapping[str, Mapping[str, float]]


def read_rated_summaries(
    source: Source,
    *,
    rating: str = "overall",
    lowest: float = 1.0,
    highest: float = 7.0,
    name: str | None = None,
    fault_limit: int = DEFAULT_FAULT_LIMIT,
) -> list[RatedDocument]:
    """Read JSONL with `doc_id`, `doc_text`, `systems` {policy: summary}, `ratings`.

    A rating is {annotator, system, ...}, and none where it is null. `question` or `doc_summ`, if there is
    one, is the title.

    Parameters
    ----------
    source : path or binary stream
    rating : str
        The field of a rating that counts.
    lowest, highest : float
        The ends of its scale.
    name : str, optional
        What to call it in messages.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    list of RatedDocument

    Raises
    ------
    InputError
        With every fault.

    Examples
    --------
    >>> import json
    >>> from io import BytesIO
    >>> scores = {("ann", "A"): 7, ("ann", "B"): 4, ("bob", "A"): 7, ("bob", "B"): 2}
    >>> ratings = [{"annotator": who, "system": name, "overall": one} for (who, name), one in scores.items()]
    >>> texts = {"A": "Rain in the north.", "B": "Sun."}
    >>> line = {"doc_id": "d", "doc_text": "Rain and sun.", "systems": texts, "ratings": ratings}
    >>> source = BytesIO(json.dumps(line).encode())
    >>> read_rated_summaries(source)[0].id
    'd'
    """
    name = source_name(source, name)
    faults = Faults(fault_limit)
    reader = _Reader(name, faults, rating, lowest, highest)
    documents = [found for line in read_json_lines(source, name, faults) for found in reader.read(*line)]
    if not documents:
        faults.add_empty(name, "holds no documents")
    faults.raise_if_any()
    return documents


class _Reader:
    """Turns lines into documents; remembers which ids it has seen."""

    def __init__(self, name: str, faults: Faults, rating: str, lowest: float, highest: float) -> None:
        self._name, self._faults = name, faults
        self._rating, self._lowest, self._highest = rating, lowest, highest
        self._seen: set[str] = set()

    def read(self, number: int, record: Any) -> Iterator[RatedDocument]:
        problems = list(self._problems(record))
        for problem in problems:
            self._faults.add(self._name, number, problem)
        if not problems:
            self._seen.add(str(record["doc_id"]))
            yield self._document(record)

    def _document(self, record: Mapping[str, Any]) -> RatedDocument:
        ratings: dict[str, dict[str, float]] = {}
        for row in record["ratings"]:
            if row[self._rating] is not None:
                ratings.setdefault(str(row["annotator"]), {})[row["system"]] = float(row[self._rating])
        title = record.get("question") or record.get("doc_summ") or ""
        return RatedDocument(str(record["doc_id"]), title, record["doc_text"], record["systems"], ratings)

    def _problems(self, record: Any) -> Iterator[str]:
        wrong = list(_form_problems(record))
        yield from wrong
        if wrong:
            return
        if str(record["doc_id"]) in self._seen:
            yield f"doc_id {record['doc_id']!r} was already used"
        rated: set[tuple[str, str]] = set()
        for position, row in enumerate(record["ratings"], start=1):
            problem = self._rating_problem(row, record["systems"], rated)
            if problem:
                yield f"rating {position}: {problem}"

    def _rating_problem(
        self, row: Any, systems: Mapping[str, str], rated: set[tuple[str, str]]
    ) -> str | None:
        if not isinstance(row, dict) or not {"annotator", "system"} <= set(row):
            return "must be an object with annotator and system"
        if problem := id_problem(row["annotator"]):
            return f"annotator {problem}"
        if not isinstance(row["system"], str) or row["system"] not in systems:
            return f"there is no summary of system {row['system']!r}"
        place = (str(row["annotator"]), row["system"])
        if place in rated:
            return f"annotator {place[0]!r} rated the summary of {place[1]!r} before"
        rated.add(place)
        return self._value_problem(row)

    def _value_problem(self, row: Mapping[str, Any]) -> str | None:
        if self._rating not in row:
            return f"has no field {self._rating!r}; name the field to take (it has {', '.join(row)})"
        value = row[self._rating]
        if value is not None and not (is_number(value) and self._lowest <= value <= self._highest):
            return f"{self._rating} is {value!r}, not a number from {self._lowest:g} to {self._highest:g}"
        return None


def _form_problems(record: Any) -> Iterator[str]:
    """What of a document has another form than the one that is read."""
    if not isinstance(record, dict):
        yield f"a document must be a JSON object, not {kind_of(record)}"
        return
    for key, problem_of in _FORMS.items():
        if key not in record:
            yield f"field {key!r} is missing"
        elif problem := problem_of(record[key]):
            yield f"field {key!r} {problem}"
    for key in ("question", "doc_summ"):
        if record.get(key) is not None and (problem := text_problem(record[key])):
            yield f"field {key!r} {problem}"


def _systems_problem(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"must be an object, not {kind_of(value)}"
    for name, text in value.items():
        if problem := name_problem(name):
            return f"names a policy {name!r}: the name {problem}"
        if name == GOLD:
            return f"names a policy {GOLD!r}, which names gold references"
        if problem := text_problem(text):
            return f"has a summary by {name!r} that {problem}"
    return None


def _ratings_problem(value: Any) -> str | None:
    return None if isinstance(value, list) else f"must be a list, not {kind_of(value)}"


_FORMS: Mapping[str, Callable[[Any], str | None]] = {
    "doc_id": id_problem,
    "doc_text": text_problem,
    "systems": _systems_problem,
    "ratings": _ratings_problem,
}
"""What is wrong with the value of each field; None if nothing is."""
