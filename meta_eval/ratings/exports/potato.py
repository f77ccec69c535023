"""Potato's output: what each person answered, item by item, in the files of both of its major versions.

Version 2 keeps a `user_state.json` for each person, and exports `annotations.jsonl`, CSV and TSV. Version 1
wrote `annotated_instances.jsonl` into a folder called as the person, or one CSV or TSV of all. None holds the
fields of an item, so that the file of items that Potato was given is read beside it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT
from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import read_json, read_json_lines
from meta_eval.files.kinds import cell_text
from meta_eval.files.names import plain_name
from meta_eval.files.reading import Faults
from meta_eval.files.tables import read_table
from meta_eval.ratings.exports.taking import ExportedRatings, Repeats, Taking, exported_ratings

STATE, INSTANCES = "user_state.json", "annotated_instances.jsonl"
_FIELDS = frozenset(("", "number", "select-one", "slider", "text_box"))
"""Labels of fields, lists and sliders, of which the value is the answer; of anything else the label is."""
_BAD_TEXT = "bad_text"
"""The label beside a likert scale that says that there is nothing to rate; its value is 0."""
_NOT_CHOSEN = frozenset(("", "none", "false"))
_SEPARATORS = (":::", ".")
"""Between the scheme and the answer in a column's name: of version 1, of version 2."""

_ORIGINS = ("origin", "_origin", "annotator_origin")
"""Where Potato says what a rater is: in its state, in exports, in tables. Without it a person answered."""
_PANELS = ("prolific_pid", "workerid", "participantid")
"""What links of panels call a person."""

Labels = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class _Answered:
    """What one person answered on one item: by scheme, by label, the value kept."""

    file: str
    line: int | None
    item: str
    rater: str
    labels: Labels
    is_machine: bool = False


def read_potato(
    source: Path,
    items: Path,
    taking: Taking | None = None,
    *,
    id_key: str = "id",
    fault_limit: int = DEFAULT_FAULT_LIMIT,
) -> ExportedRatings:
    """The ratings of Potato's output: a file, or the folder `annotation_output` with a folder a person.

    Pages that are no items, such as consent, and what a machine answered that Potato was told of are passed
    over and counted; an e-mail address by which somebody logged in is not taken. A folder
    `PID&STUDY&SESSION` is one of the person `PID`.

    Parameters
    ----------
    source : Path
        What Potato wrote.
    items : Path
        The file that Potato was given, JSON, JSON Lines, CSV or TSV, whose items have `id_key` and the fields
            of
        the ratings.
    taking : Taking, optional
        Which fields name the pair, and which question is the rating.
    id_key : str
        The field by which Potato knows an item.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    ExportedRatings

    Raises
    ------
    InputError
        With every answer that is no whole number, every item without its fields, every answer of which the
        file does not say who gave it, and every second answer of one person to one item; and where folders of
        persons lie in several folders, of which one may be an archive.

    References
    ----------
    https://github.com/davidjurgens/potato

    Examples
    --------
    >>> import json, tempfile
    >>> item = {"id": "p1", "doc_id": "d", "system": "A", "reader_a": "ann", "reader_b": "bob", "text": "..."}
    >>> answers = {"p1": [[{"schema": "alike", "name": "scale_4"}, "4"]]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     items, state = Path(folder) / "items.jsonl", Path(folder) / "user_state.json"
    ...     _ = items.write_text(json.dumps(item))
    ...     _ = state.write_text(json.dumps({"user_id": "p", "instance_id_to_label_to_value": answers}))
    ...     print(read_potato(state, items).csv())
    doc_id,system,reader_a,reader_b,rater,rating
    d,A,ann,bob,p,4
    <BLANKLINE>
    """
    taking, faults, passed_over = taking or Taking(), Faults(fault_limit), Counter[str]()
    known = _items(items, id_key, faults)
    answered = [one for file in _files(source) for one in _read(file, faults)]
    faults.raise_if_any()
    by_people = [one for one in answered if not one.is_machine]
    if machines := len(answered) - len(by_people):
        passed_over["of machines, as their origin says"] = machines
    of_items = [one for one in by_people if one.item in known]
    if left := len(by_people) - len(of_items):
        passed_over[f"of pages or items that {items.name} does not hold"] = left
    question = taking.asked({name for one in of_items for name in one.labels}, str(source))
    rows: list[Mapping[str, str]] = []
    repeats = Repeats()
    for one in of_items:
        for row in _rows(one, question, taking, item=known[one.item], faults=faults, passed_over=passed_over):
            if problem := repeats.problem(row, one.item):
                faults.add(one.file, one.line, f"item {one.item!r}: {problem}")
            rows.append(row)
    faults.raise_if_any()
    return exported_ratings(rows, question, passed_over)


def _items(path: Path, id_key: str, faults: Faults) -> dict[str, Mapping[str, Any]]:
    """The items by their id."""
    found: dict[str, Mapping[str, Any]] = {}
    for line, item in _records(path, faults):
        number = item.get(id_key) if isinstance(item, dict) else None
        if number in (None, ""):
            faults.add(str(path), line, f"has no field {id_key!r}, the id of an item")
        elif cell_text(number) in found:
            faults.add(str(path), line, f"item {cell_text(number)!r} stands here twice")
        else:
            found[cell_text(number)] = item
    faults.raise_if_any()
    return found


def _records(path: Path, faults: Faults) -> Iterator[tuple[int | None, Any]]:
    """The values of a table, of a list of JSON, or of JSON Lines; a line number where there is one."""
    if _is_table(path):
        yield from read_table(path, str(path), faults, lambda _header: None)
    elif _first_letter(path) == "[":
        held = read_json(path)
        yield from ((None, one) for one in (held if isinstance(held, list) else []))
    else:
        yield from read_json_lines(path, str(path), faults)


def _is_table(path: Path) -> bool:
    return path.suffix.lower() in {".csv", ".tsv"}


def _first_letter(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as stream:
            return stream.read(4096).lstrip()[:1]
    except OSError as error:
        raise InputError([Fault(str(path), None, f"cannot be read: {error.strerror}")]) from error


def _files(source: Path) -> list[Path]:
    """The files of answers: of each folder that of version 2 where there are both."""
    if not source.is_dir():
        return [source]
    folders = sorted({path.parent for name in (STATE, INSTANCES) for path in source.rglob(name)} - {source})
    if not folders:
        told = (
            f"holds no folder with {STATE} or {INSTANCES}: give Potato's folder annotation_output, or a file"
        )
        raise InputError([Fault(str(source), None, told)])
    if len(places := sorted({folder.parent for folder in folders})) > 1:
        named = ", ".join(map(str, places))
        told = f"holds answers in several folders: {named}; move away what does not count, such as an archive"
        raise InputError([Fault(str(source), None, told)])
    return [one / STATE if (one / STATE).exists() else one / INSTANCES for one in folders]


def _read(path: Path, faults: Faults) -> Iterator[_Answered]:
    if path.name == STATE or path.suffix.lower() == ".json":
        yield from _of_state(path)
        return
    table = _is_table(path)
    rater = path.parent.name if path.name == INSTANCES else ""
    for line, held in _records(path, faults):
        record = held if isinstance(held, dict) else {}
        item = cell_text(record.get("instance_id") or record.get("id"))
        who = str(record.get("user_id") or record.get("user") or rater)
        if not item or not who:
            faults.add(str(path), line, f"does not say {'who answered' if item else 'of which item it is'}")
            continue
        labels = _of_columns(record) if table else record.get("labels", record.get("label_annotations"))
        yield _Answered(str(path), line, item, _person(who), _labels(labels), _is_machine(record))


def _person(rater: str) -> str:
    """Who it is, of the name of a folder: a panel's link makes one of person, study and session.

    Examples
    --------
    >>> _person("5f1&s1&x1"), _person("STUDY_ID=s1&PROLIFIC_PID=5f1"), _person("R&D")
    ('5f1', '5f1', 'R&D')
    """
    parts = plain_name(rater).strip().split("&")
    said = {
        name.strip().lower(): value for name, equals, value in (one.partition("=") for one in parts) if equals
    }
    named = next((said[name] for name in _PANELS if said.get(name)), "")
    return (
        named or (parts[0] if len(parts) == len(("person", "study", "session")) else "&".join(parts))
    ).strip()


def _is_machine(held: Mapping[str, Any]) -> bool:
    """Whether Potato was told that a program answered: an origin that says anything but human."""
    origin = next((held[name] for name in _ORIGINS if held.get(name)), None)
    kind = origin.get("kind") if isinstance(origin, dict) else origin
    return origin is not None and str(kind).strip().lower() != "human"


def _of_state(path: Path) -> Iterator[_Answered]:
    state = read_json(path)
    answers = state.get("instance_id_to_label_to_value") if isinstance(state, dict) else None
    if not isinstance(answers, dict):
        told = "is no user_state.json of Potato: it has no `instance_id_to_label_to_value`"
        raise InputError([Fault(str(path), None, told)])
    rater = str(state.get("user_id") or path.parent.name)
    for item, labels in answers.items():
        yield _Answered(str(path), None, str(item), _person(rater), _labels(labels), _is_machine(state))


def _of_columns(row: Mapping[str, str]) -> Labels:
    """The cells of a row by scheme and answer, as the names of the columns say."""
    found: dict[str, dict[str, str]] = {}
    for column, cell in row.items():
        separator = next((one for one in _SEPARATORS if one in column), None)
        if separator and cell.strip() and not column.endswith(("._spans", "._room", "._room_id")):
            scheme, _, label = column.partition(separator)
            found.setdefault(scheme, {})[label] = cell.strip()
    return found


def _labels(held: Any) -> Labels:
    """By scheme, by label, the value: from an object, or from the pairs of version 2."""
    if isinstance(held, dict):
        return {
            str(scheme): given if isinstance(given, dict) else {"": given} for scheme, given in held.items()
        }
    found: dict[str, dict[str, Any]] = {}
    for pair in held if isinstance(held, list) else []:
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict):
            found.setdefault(str(pair[0].get("schema")), {})[str(pair[0].get("name"))] = pair[1]
    return found


def _rows(
    one: _Answered,
    question: str,
    taking: Taking,
    *,
    item: Mapping[str, Any],
    faults: Faults,
    passed_over: Counter[str],
) -> Iterator[dict[str, str]]:
    """The row of an answer, if the question is answered."""
    given = {
        name: value
        for name, value in one.labels.get(question, {}).items()
        if str(value).strip().lower() not in _NOT_CHOSEN
    }
    if not given or _BAD_TEXT in given:
        passed_over["marked as bad text" if given else f"without an answer to {question!r}"] += 1
        return
    columns, lacking = taking.item(item)
    problems = [f"the item has no field {name!r}" for name in lacking]
    rating = None
    if len(given) > 1:
        problems.append(f"{len(given)} answers to {question!r}")
    else:
        rating, said = _number(taking, *next(iter(given.items())))
        problems += [] if rating else [f"answer {said!r} is no whole number: say which number it stands for"]
    for problem in problems:
        faults.add(one.file, one.line, f"item {one.item!r} of rater {one.rater!r}: {problem}")
    if not problems:
        yield {**columns, "rater": one.rater, "rating": str(rating)}


def _number(taking: Taking, label: str, value: Any) -> tuple[str | None, str]:
    """The number of the answer, and the answer in words: its label, or the value of a field.

    A likert scale keeps `scale_4` with the value 4, a field, list or slider the answer as the value. The
    value of a choice is `true`, its words, or the key on the keyboard that stands for it, which is no rating.
    """
    said = value if label in _FIELDS else label
    return taking.number(said), str(said)
