"""Label Studio's JSON export: tasks with their `data`, and the `annotations` that people made of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT
from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import read_json
from meta_eval.files.kinds import cell_text
from meta_eval.files.names import plain_name
from meta_eval.files.reading import Faults
from meta_eval.ratings.exports.taking import ExportedRatings, Repeats, Taking, exported_ratings

_ANSWERS = {"rating": "rating", "choices": "choices", "number": "number"}
"""By the type of a result the key of its value: <Rating>, <Choices> and <Number>."""


@dataclass(frozen=True, slots=True)
class _Annotation:
    """What one person made of one task; `place` names both."""

    place: str
    task: str
    rater: Any
    answers: Mapping[str, Sequence[Any]]
    item: Mapping[str, Any]


def read_label_studio(
    path: Path, taking: Taking | None = None, *, fault_limit: int = DEFAULT_FAULT_LIMIT
) -> ExportedRatings:
    """The ratings of an export as JSON, a rater for each number in `completed_by`.

    An item's fields are those of the task's `data`, then of its `meta`. The answer is that of a `<Rating>`,
    `<Number>` or `<Choices>`. Skipped annotations, those without an answer to the question, and those that
    the export holds twice are passed over and counted; predictions of models are never read. E-mail addresses
    of annotators are not taken.

    Parameters
    ----------
    path : Path
        The export.
    taking : Taking, optional
        Which fields name the pair, and which question is the rating.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    ExportedRatings

    Raises
    ------
    InputError
        With every task that lacks a field, every answer that is no whole number, and every second answer of
        one person to one task, by task and annotation.

    References
    ----------
    https://labelstud.io/guide/task_format

    Examples
    --------
    >>> import json, tempfile
    >>> result = {"from_name": "alike", "to_name": "a", "type": "rating", "value": {"rating": 5}}
    >>> data = {"doc_id": "d", "system": "A", "reader_a": "ann", "reader_b": "bob"}
    >>> task = {"id": 1, "data": data, "annotations": [{"id": 9, "completed_by": 3, "result": [result]}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "export.json"
    ...     _ = path.write_text(json.dumps([task]))
    ...     print(read_label_studio(path).csv())
    doc_id,system,reader_a,reader_b,rater,rating
    d,A,ann,bob,3,5
    <BLANKLINE>
    """
    taking, name = taking or Taking(), str(path)
    faults, passed_over = Faults(fault_limit), Counter[str]()
    made = list(_annotations(_tasks(path), name, faults, passed_over))
    faults.raise_if_any()
    question = taking.asked({asked for one in made for asked in one.answers}, name)
    rows: list[Mapping[str, str]] = []
    repeats = Repeats()
    for one in made:
        for row in _rows(one, question, taking, lambda words: faults.add(name, None, words), passed_over):
            if problem := repeats.problem(row, one.task):
                faults.add(name, None, f"{one.place}: {problem}")
            rows.append(row)
    faults.raise_if_any()
    return exported_ratings(rows, question, passed_over)


def _tasks(path: Path) -> list[Mapping[str, Any]]:
    held = read_json(path)
    tasks = [held] if isinstance(held, dict) else held
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise InputError([Fault(str(path), None, "is no export of Label Studio: wanted is a list of tasks")])
    if tasks and not any("annotations" in task for task in tasks):
        told = "its tasks have no `annotations`: export as JSON, not as JSON-MIN"
        raise InputError([Fault(str(path), None, told)])
    return tasks


def _annotations(
    tasks: Sequence[Mapping[str, Any]], name: str, faults: Faults, passed_over: Counter[str]
) -> Iterator[_Annotation]:
    seen: dict[Any, Any] = {}
    for number, task in enumerate(tasks, 1):
        place = f"task {task.get('id', number)}"
        item = {**_object(task.get("meta")), **_object(task.get("data"))}
        given = task.get("annotations") or []
        if not isinstance(given, list):
            faults.add(name, None, f"{place}: `annotations` is no list")
            continue
        for made in given:
            if not isinstance(made, dict) or not isinstance(made.get("result", []), list):
                faults.add(name, None, f"{place}: an annotation is no object with a list `result`")
            elif (again := made.get("id")) is not None and seen.setdefault(str(again), made) is not made:
                if seen[str(again)] == made:
                    passed_over["annotations that the export holds twice"] += 1
                else:
                    faults.add(name, None, f"annotation {again} of {place} stands twice, with two answers")
            elif made.get("was_cancelled"):
                passed_over["skipped by the annotator"] += 1
            else:
                here = f"annotation {made.get('id', '?')} of {place}"
                yield _Annotation(
                    here, place, made.get("completed_by"), _answers(made.get("result", [])), item
                )


def _answers(results: Sequence[Any]) -> dict[str, list[Any]]:
    """What was answered, by the name of the control."""
    found: dict[str, list[Any]] = {}
    for result in map(_object, results):
        key = _ANSWERS.get(str(result.get("type")))
        if key:
            value = _object(result.get("value")).get(key)
            given = value if isinstance(value, list) else [value]
            found.setdefault(str(result.get("from_name", "")), []).extend(given)
    return found


def _rows(
    made: _Annotation, question: str, taking: Taking, fault: Any, passed_over: Counter[str]
) -> Iterator[dict[str, str]]:
    """The row of an annotation, if it answers the question."""
    given = made.answers.get(question, [])
    if not given:
        passed_over[f"without an answer to {question!r}"] += 1
        return
    columns, lacking = taking.item(made.item)
    rater = made.rater.get("id") if isinstance(made.rater, dict) else made.rater
    rating = taking.number(given[0])
    problems = [f"the task has no field {one!r}" for one in lacking]
    if rater in (None, ""):
        problems.append("`completed_by` does not say who answered")
    if len(given) > 1:
        problems.append(f"{len(given)} answers to {question!r}")
    elif rating is None:
        problems.append(f"answer {given[0]!r} is no whole number: say which number it stands for")
    for problem in problems:
        fault(f"{made.place}: {problem}")
    if not problems:
        yield {**columns, "rater": plain_name(cell_text(rater)).strip(), "rating": str(rating)}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
