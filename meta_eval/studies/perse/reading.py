"""Reviews and comparisons from JSONL, in our form or as they were released; every fault with its line."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT
from meta_eval.errors import InputError
from meta_eval.files.headers import lacking_columns
from meta_eval.files.json_files import read_json_lines
from meta_eval.files.reading import Faults
from meta_eval.files.tables import read_table
from meta_eval.files.values import is_number, kind_of, name_problem, text_problem
from meta_eval.studies.perse.cases import (
    Comparison,
    ComparisonCase,
    Review,
    ReviewCase,
    comparison_cases,
    review_cases,
)
from meta_eval.studies.perse.released import (
    ReleasedError,
    is_released_comparison,
    is_released_review,
    read_doc_case,
    read_mpst_case,
)
from meta_eval.studies.perse.texts import clean_review, comparison_id, is_too_long, to_last_stop

LOWEST, HIGHEST = 1.0, 10.0
"""The scale of the prompt, on which every score is shown and given."""


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """The cases of a file, every review of it that no case asks about (`known`), and what was left out."""

    cases: list[ReviewCase]
    known: list[Review]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ComparisonFile:
    """The cases of files, and what was left out."""

    cases: list[ComparisonCase]
    left_out: Mapping[str, int]


def read_reviews(
    path: Path, *, lowest: float = LOWEST, highest: float = HIGHEST, size: int = 3, seed: int = 0
) -> ReviewFile:
    """Reviews from JSONL: `reviewer`, `item`, `text`, `review`, `score` a line, or Per-MPST as released.

    Parameters
    ----------
    path : Path
    lowest, highest : float
        The ends of the scale on which people gave their scores.
    size, seed : int
        Of profiles, as `review_cases` takes them; the released form has profiles of its own.

    Returns
    -------
    ReviewFile
        Texts end at their last full stop, reviews are cut as the paper does. `left_out` counts reviews of
        texts with more than 2,500 words (`long_texts`) and persons with too few reviews for a profile and a
        query (`persons_with_few_reviews`).

    Raises
    ------
    InputError
        With every fault, and where no case is left.

    Examples
    --------
    >>> import json, tempfile
    >>> given = {"reviewer": "ann", "text": "A storm comes.", "review": "Good.", "score": 7}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reviews.jsonl"
    ...     _ = path.write_text("\\n".join(json.dumps({**given, "item": name}) for name in ("x", "y", "z")))
    ...     len(read_reviews(path, size=2).cases)
    1
    """
    if not lowest < highest:
        raise InputError(f"the scale goes from {lowest:g} to {highest:g}: --lowest must be below --highest")
    released: list[ReviewCase] = []
    own: list[Review] = []
    faults, name = Faults(DEFAULT_FAULT_LIMIT), str(path)
    for number, record in _records(path, name, faults):
        try:
            if is_released_review(record):
                released.append(read_mpst_case(record))
            else:
                own.append(_review(record, lowest, highest))
        except ReleasedError as error:
            faults.add(name, number, str(error))
    _require_one_form(name, faults, own, released)
    _require_once(name, faults, [(one.reviewer, one.item) for one in own], "reviews")
    faults.raise_if_any()
    short = [one for one in own if not is_too_long(one.text)]
    cases = review_cases(short, size=size, seed=seed) if own else _short_cases(released)
    asked = {(case.person, case.subject) for case in cases}
    every = short or [one for case in cases for one in case.profile]
    known = {(one.reviewer, one.item): one for one in every if (one.reviewer, one.item) not in asked}
    left_out = {
        "long_texts": len(own) - len(short) + len(released) - (len(cases) if released else 0),
        "persons_with_few_reviews": len({one.reviewer for one in short} - {case.person for case in cases}),
    }
    _require_cases(name, cases, f"nobody has more than {size} reviews, so nothing is left to foretell")
    return ReviewFile(cases, list(known.values()), left_out)


def read_comparisons(
    paths: Sequence[Path], *, aspects: Sequence[str], size: int = 1, seed: int = 0
) -> ComparisonFile:
    """Comparisons from JSONL: `person`, `premise`, `a`, `b`, `choices` a line, or Per-DOC as released.

    Parameters
    ----------
    paths : sequence of Path
        Of the released form one an aspect, whose letter is in the file's name. Texts name a comparison: the
        same premise and texts in another line or file are the same comparison.
    aspects : sequence of str
        Those that may occur.
    size, seed : int
        Of profiles, as `comparison_cases` takes them; the released form has profiles of its own.

    Returns
    -------
    ComparisonFile
        `left_out` counts choices of both or neither (`undecided`), of texts that are too long (`long_texts`),
        and persons and aspects with too few choices (`persons_with_few_choices`).

    Raises
    ------
    InputError
        With every fault, and where no case is left.

    Examples
    --------
    >>> import json, tempfile
    >>> given = {"person": "ann", "a": "A storm.", "b": "A lull.", "choices": {"interest": "a"}}
    >>> lines = [json.dumps({**given, "premise": name}) for name in ("Rain.", "Sun.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "comparisons.jsonl"
    ...     _ = path.write_text("\\n".join(lines))
    ...     len(read_comparisons([path], aspects=["interest"]).cases)
    1
    """
    faults = Faults(DEFAULT_FAULT_LIMIT)
    released: list[ComparisonCase] = []
    own: list[Comparison] = []
    undecided = 0
    for path in paths:
        for number, record in _records(path, str(path), faults):
            try:
                if is_released_comparison(record):
                    released.append(read_doc_case(record, path.name, aspects))
                    continue
                found, without = _comparisons(record, aspects)
                own += found
                undecided += without
            except ReleasedError as error:
                faults.add(str(path), number, str(error))
    name = ", ".join(map(str, paths))
    _require_one_form(name, faults, own, released)
    _require_once(name, faults, [(one.person, one.id, one.aspect) for one in own], "compares")
    faults.raise_if_any()
    short = [one for one in own if not (is_too_long(one.a) or is_too_long(one.b))]
    cases = comparison_cases(short, size=size, seed=seed) if own else list(released)
    _require_cases(name, cases, f"nobody has more than {size} choices in an aspect: nothing to foretell")
    few = {(one.person, one.aspect) for one in short} - {(one.person, one.query.aspect) for one in cases}
    left_out = {
        "undecided": undecided,
        "long_texts": len(own) - len(short),
        "persons_with_few_choices": len(few) if own else 0,
    }
    return ComparisonFile(cases, left_out)


def read_aspects(path: Path) -> dict[str, str]:
    """Aspects and their questions from a CSV table with the columns `name` and `question`.

    Raises `InputError` for a table without these, and for a name that stands twice.
    """
    faults, found = Faults(DEFAULT_FAULT_LIMIT), dict[str, str]()
    rows = read_table(path, str(path), faults, lambda header: lacking_columns(header, ("name", "question")))
    for line, row in rows:
        name, question = row["name"].strip(), row["question"].strip()
        if not name or not question:
            faults.add(str(path), line, "an aspect has a name and a question")
        elif name in found:
            faults.add(str(path), line, f"the aspect {name!r} stands twice")
        found[name] = question
    if not found:
        faults.add(str(path), None, "holds no aspects")
    faults.raise_if_any()
    return found


def _records(path: Path, name: str, faults: Faults) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, record in read_json_lines(path, name, faults):
        if isinstance(record, dict):
            yield number, record
        else:
            faults.add(name, number, f"must be a JSON object, not {kind_of(record)}")


def _field(record: Mapping[str, Any], key: str, problem_of: Callable[[Any], str | None]) -> Any:
    if key not in record:
        raise ReleasedError(f"field {key!r} is missing")
    if problem := problem_of(record[key]):
        raise ReleasedError(f"field {key!r} {problem}")
    return record[key]


def _review(record: Mapping[str, Any], lowest: float, highest: float) -> Review:
    score = record.get("score")
    if not is_number(score) or not lowest <= score <= highest:  # type: ignore[operator]  # it is a number
        raise ReleasedError(f"field 'score' is {score!r}, not a number from {lowest:g} to {highest:g}")
    shown = LOWEST + (HIGHEST - LOWEST) * (score - lowest) / (highest - lowest)  # type: ignore[operator]
    return Review(
        reviewer=_field(record, "reviewer", name_problem),
        item=_field(record, "item", name_problem),
        text=to_last_stop(_field(record, "text", text_problem)),
        review=clean_review(_field(record, "review", text_problem)),
        score=shown,
    )


def _comparisons(record: Mapping[str, Any], aspects: Sequence[str]) -> tuple[list[Comparison], int]:
    """The choices of one line that name a text, and how many name both or neither."""
    person = _field(record, "person", name_problem)
    premise, a, b = (_field(record, key, text_problem) for key in ("premise", "a", "b"))
    choices = record.get("choices")
    if not isinstance(choices, dict):
        raise ReleasedError("field 'choices' must be an object from aspects to a, b, both or neither")
    found, undecided, name = [], 0, comparison_id(premise, a, b)
    for aspect, choice in choices.items():
        if aspect not in aspects:
            raise ReleasedError(f"there is no aspect {aspect!r}; there are {', '.join(aspects)}")
        if choice in ("a", "b"):
            letter = "A" if choice == "a" else "B"
            found.append(Comparison(name, person, premise, a, b, aspect, letter))  # type: ignore[arg-type]
        elif choice in ("both", "neither"):
            undecided += 1
        else:
            raise ReleasedError(f"the choice of {aspect!r} is {choice!r}, not a, b, both or neither")
    return found, undecided


def _short_cases(released: Sequence[ReviewCase]) -> list[ReviewCase]:
    return [
        case for case in released if not any(is_too_long(one.text) for one in (case.query, *case.profile))
    ]


def _require_one_form(name: str, faults: Faults, own: Sequence[Any], released: Sequence[Any]) -> None:
    if own and released:
        faults.add(name, None, "holds lines of two forms, ours and the released one: give one form at a time")


def _require_once(name: str, faults: Faults, keys: Sequence[tuple[str, ...]], verb: str) -> None:
    seen: set[tuple[str, ...]] = set()
    for key in keys:
        if key in seen:
            faults.add(name, None, f"{key[0]!r} {verb} {key[1]!r} twice; keep one of both")
        seen.add(key)


def _require_cases(name: str, cases: Sequence[Any], why: str) -> None:
    if not cases:
        raise InputError(f"{name}: {why}")
