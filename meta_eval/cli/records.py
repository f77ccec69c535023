"""Scores as `score` and `human` wrote them in JSON: one validator for every command that takes them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from meta_eval.distances.computing import Normalise
from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import read_json
from meta_eval.files.values import is_number, kind_of, name_problem
from meta_eval.measures import signature_line
from meta_eval.measures.signatures import read_signature, signature_problem
from meta_eval.ratings.rating import Scale
from meta_eval.scores.names import SCORE_KINDS
from meta_eval.scores.perseval import EdpReaders

Record = Mapping[str, Any]
Key = Literal["measure", "surrogate"]
"""What names the measure of a record: automatic scores have the one, human scores the other."""

_WRITERS: Mapping[Key, str] = {"measure": "score", "surrogate": "human"}
_ROUNDING = 1e-9


def read_records(path: Path, key: Key, *scores: str) -> list[Record]:
    """One record or more, each with a system, its measure (under `key`), and these `scores`.

    Whatever else of a record is used later has the form in which `score` and `human` write it; numbers are
    finite. Raises `InputError` with the first record that is not so, and for a system that stands twice.
    """
    records = _read_list(path)
    seen: set[tuple[str, str]] = set()
    for number, record in enumerate(records, start=1):
        if problem := _record_problem(record, ("system", key, *scores), _WRITERS[key]):
            raise InputError([Fault(str(path), None, f"record {number}: {problem}")])
        place = (record[key], record["system"])
        if place in seen:
            message = (
                f"record {number}: system {place[1]!r} stands twice under {key} {place[0]!r}; "
                "keep one set of options per measure"
            )
            raise InputError([Fault(str(path), None, message)])
        seen.add(place)
    return records


def with_judged(records: Sequence[Record], files: Sequence[Path] | None) -> list[Record]:
    """The records of `score`, and those of `judge summaries`.

    Raises `InputError` for a measure that stands in two files.
    """
    found = list(records)
    for path in files or ():
        judged = read_records(path, "measure", "accuracy")
        if both := {one["measure"] for one in found} & {one["measure"] for one in judged}:
            message = f"holds {', '.join(sorted(both))}, which another file holds, too; keep one of them"
            raise InputError([Fault(str(path), None, message)])
        found += judged
    return found


def with_signature_line(record: Record) -> dict[str, Any]:
    """The record with its measure's signature on one line, too."""
    return {**record, "signature_line": signature_line(read_signature(record["signature"]))}


def signature_lines(*sides: Sequence[Record]) -> list[str]:
    """The signatures of all records on one line each, each once."""
    signed = (record for side in sides for record in side if record.get("signature"))
    return list(dict.fromkeys(with_signature_line(record)["signature_line"] for record in signed))


def scores_by(records: Sequence[Record], key: Key, score: str) -> dict[str, dict[str, float | None]]:
    """Scores by measure (or surrogate) and system."""
    tables: dict[str, dict[str, float | None]] = {}
    for record in records:
        tables.setdefault(record[key], {})[record["system"]] = record[score]
    return tables


def _read_list(path: Path) -> list[Record]:
    records = read_json(path)
    if not isinstance(records, list) or not records:
        message = "must hold a JSON list of records, as `human` and `score` write them"
        raise InputError([Fault(str(path), None, message)])
    return records


def _record_problem(record: Any, needed: Sequence[str], writer: str) -> str | None:
    if not isinstance(record, dict):
        return f"must be an object, not {kind_of(record)}"
    if missing := [name for name in needed if name not in record]:
        return f"lacks {', '.join(missing)}; what is wanted is the result of `{writer}`"
    found = ((name, problem_of(record[name])) for name, problem_of in _FORMS.items() if name in record)
    return next((f"{name} {problem}" for name, problem in found if problem), None)


def _share_problem(value: Any) -> str | None:
    if value is None or (is_number(value) and -_ROUNDING <= value <= 1.0 + _ROUNDING):
        return None
    return "must be a number from 0 to 1, or null"


def _accuracy_problem(value: Any) -> str | None:
    return None if value is None or is_number(value) else "must be a finite number, or null"


def _number_problem(value: Any) -> str | None:
    return None if is_number(value) else "must be a finite number"


def _self_problem(value: Any) -> str | None:
    return None if isinstance(value, bool) or value == "softmax" else 'must be true, false or "softmax"'


def _count_problem(value: Any) -> str | None:
    return None if type(value) is int and value > 0 else "must be a whole number above 0"


def _whole_problem(value: Any) -> str | None:
    return None if type(value) is int else "must be a whole number"


def _choice(choices: Sequence[str]) -> Callable[[Any], str | None]:
    return lambda value: None if value in choices else f"must be one of {', '.join(choices)}"


_FORMS: Mapping[str, Callable[[Any], str | None]] = {
    "system": name_problem,
    "measure": name_problem,
    "surrogate": name_problem,
    "accuracy": _accuracy_problem,
    **{name: _share_problem for kind in SCORE_KINDS for name in (kind.automatic, kind.human)},
    **dict.fromkeys(("alpha", "beta", "gamma"), _number_problem),
    "include_self": _self_problem,
    "edp_readers": _choice(get_args(EdpReaders)),
    "normalise": _choice(get_args(Normalise)),
    "scale": _choice(get_args(Scale)),
    **dict.fromkeys(("lowest", "highest"), _whole_problem),
    "raters_per_pair": _count_problem,
    "min_raters": _count_problem,
    "signature": signature_problem,
}
"""What is wrong with a value of each field that a command uses; None if nothing is."""


NO_RATINGS = "files of scores have no ratings to shuffle; report does"
"""Why a command that reads scores alone has no p of raters."""


def note_no_null(records: Sequence[Record], why: str) -> None:
    """Says on stderr that coefficients stand without p of raters, why, and how many share an input."""
    both = sum(record.get("shared") is not None for record in records)
    shared = f"; {both} of {len(records)} coefficients share an input on both sides (shared)" if both else ""
    sys.stderr.write(f"note: there is no p_raters: {why}{shared}\n")
