"""What a run over tasks leaves: predictions, the quality of each summary, scores; written and read again.

Who reads and shows results loads nothing here that speaks to a model; who makes them takes `scoring`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import json_lines, read_json, read_json_lines
from meta_eval.files.reading import Faults
from meta_eval.files.values import is_number, text_problem
from meta_eval.files.writing import render_records
from meta_eval.studies.users.metrics import Quality

if TYPE_CHECKING:
    from meta_eval.studies.users.predicting import Prediction

PREDICTIONS, QUALITY, SCORES, RUN = "predictions.jsonl", "quality.jsonl", "scores.json", "run.json"
_FAULTS = 20
MOST_COUNTED = 10**9
"""Words or tasks of one summary: means of more lose their last digits."""
_NO_QUALITY = "is no summary's quality, as `users score` writes it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Scores of approaches, the quality of each summary under them, and what the run was."""

    scores: list[dict[str, Any]]
    qualities: list[Quality]
    run: Mapping[str, Any]

    @property
    def limit(self) -> int:
        """The most words of a summary."""
        return int(self.run["limit"])


def result_texts(results: Results, predictions: "Sequence[Prediction]") -> dict[str, str]:
    """The files of a run, by name."""
    return {
        PREDICTIONS: json_lines(one.as_record() for one in predictions),
        QUALITY: json_lines(one.as_record() for one in results.qualities),
        SCORES: render_records(results.scores, "json"),
        RUN: json.dumps(results.run, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
    }


def read_results(folder: Path) -> Results:
    """What `result_texts` gave, from its folder.

    Parameters
    ----------
    folder : Path
        That `users score` wrote.

    Returns
    -------
    Results

    Raises
    ------
    InputError
        With the file and line that are not as `users score` writes them.

    Examples
    --------
    >>> from meta_eval.errors import InputError
    >>> try:
    ...     read_results(Path("no such folder"))
    ... except InputError as error:
    ...     print("cannot be read" in str(error))
    True
    """
    run, scores = (read_json(folder / name) for name in (RUN, SCORES))
    if not isinstance(run, dict) or type(run.get("limit")) is not int:
        raise InputError([Fault(str(folder / RUN), None, "is no run of `users score`: it has no limit")])
    if not isinstance(scores, list) or not all(isinstance(one, dict) and "qm" in one for one in scores):
        raise InputError([Fault(str(folder / SCORES), None, "is no result of `users score`")])
    name, faults, qualities = str(folder / QUALITY), Faults(_FAULTS), []
    for number, record in read_json_lines(folder / QUALITY, name, faults, _NO_QUALITY):
        try:
            qualities.append(_quality(record))
        except (ValueError, TypeError, KeyError) as error:
            faults.add(name, number, f"{_NO_QUALITY}: {error}")
    faults.raise_if_any()
    if not qualities:
        raise InputError([Fault(name, None, "holds no summary")])
    return Results(scores=scores, qualities=qualities, run=run)


def _quality(record: Any) -> Quality:
    names = [item.name for item in fields(Quality)]
    if not isinstance(record, dict) or set(record) != set(names):
        raise ValueError(f"wanted are the fields {', '.join(names)}")
    for name, value in record.items():
        text, whole = name in ("user", "approach"), name in ("words", "tasks", "answered")
        fits = (
            text_problem(value) is None if text
            else type(value) is int and abs(value) <= MOST_COUNTED if whole
            else value is None or isinstance(value, bool) if name.startswith("good")
            else value is None or (is_number(value) and 0 <= value <= 1)
        )  # fmt: skip
        if not fits:
            raise ValueError(f"{name} is {repr(value)[:60]}")
    return Quality(**record)
