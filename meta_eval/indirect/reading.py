"""Rated summaries: JSONL, one document a line, with what each annotator gave each policy's summary."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from meta_eval.corpus import DEFAULT_FAULT_LIMIT, GOLD
from meta_eval.sources import Faults, Source, read_lines, source_name


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
    """JSONL with `doc_id`, `doc_text`, `systems` {policy: summary}, `ratings` [{annotator, system, ...}].

    `rating` is the field of a rating that counts, from `lowest` to `highest`; null is no rating. `question`
    or `doc_summ`, if there is one, is the title. Raises `InputError` with every fault.
    """
    name = source_name(source, name)
    faults = Faults(fault_limit)
    reader = _Reader(name, faults, rating, lowest, highest)
    documents = [found for line in read_lines(source, name, faults) for found in reader.read(*line)]
    if not documents:
        faults.add(name, None, "holds no documents")
    faults.raise_if_any()
    return documents


class _Reader:
    """Turns lines into documents; remembers which ids it has seen."""

    def __init__(self, name: str, faults: Faults, rating: str, lowest: float, highest: float) -> None:
        self._name, self._faults = name, faults
        self._rating, self._lowest, self._highest = rating, lowest, highest
        self._seen: set[str] = set()

    def read(self, number: int, text: str) -> Iterator[RatedDocument]:
        if not text.strip():
            return
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            self._faults.add(self._name, number, f"not JSON: {error}")
            return
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
        if not isinstance(record, dict):
            yield "a document must be a JSON object"
            return
        kinds = {"doc_id": str | int, "doc_text": str, "systems": dict, "ratings": list}
        wrong = [key for key, kind in kinds.items() if not isinstance(record.get(key), kind)]
        yield from (f"field {key!r} is missing or of another form" for key in wrong)
        if wrong:
            return
        if str(record["doc_id"]) in self._seen:
            yield f"doc_id {record['doc_id']!r} was already used"
        if not all(isinstance(text, str) for text in record["systems"].values()):
            yield "every summary under 'systems' must be a text"
        if GOLD in record["systems"]:
            yield f"a policy cannot be called {GOLD!r}, which names gold references"
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
        if row["system"] not in systems:
            return f"there is no summary of system {row['system']!r}"
        if self._rating not in row:
            return f"has no field {self._rating!r}; name the field to take (it has {', '.join(row)})"
        place = (str(row["annotator"]), row["system"])
        if place in rated:
            return f"annotator {place[0]!r} rated the summary of {place[1]!r} before"
        rated.add(place)
        value = row[self._rating]
        if value is not None and not self._is_rating(value):
            return f"{self._rating} is {value!r}, not a number from {self._lowest:g} to {self._highest:g}"
        return None

    def _is_rating(self, value: Any) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return is_number and self._lowest <= value <= self._highest
