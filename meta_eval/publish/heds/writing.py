"""The datasheet as Markdown to read, and as the JSON file that its web form loads."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from meta_eval.publish.heds.answers import Entry
from meta_eval.publish.heds.form import CRITERIA_FIELD, SECTIONS, SOURCE

TO_ANSWER = "To be answered by you."
CRITERION = "Similarity"
"""The name of the one quality criterion in the form."""


def datasheet_markdown(entries: Sequence[Entry]) -> str:
    """Every question, with its answer or the mark that it is the researcher's.

    Parameters
    ----------
    entries : sequence of Entry

    Returns
    -------
    str

    Examples
    --------
    >>> datasheet_markdown([]).splitlines()[0]
    '# Human Evaluation Datasheet (HEDS 3.0)'
    """
    return "\n".join(_lines(entries)) + "\n"


def _lines(entries: Sequence[Entry]) -> Iterator[str]:
    yield "# Human Evaluation Datasheet (HEDS 3.0)"
    yield f"\n{summary(entries)}\n\n{SOURCE}."
    section = ""
    for entry in entries:
        if entry.question.section != section:
            section = entry.question.section
            yield f"\n## {section} {SECTIONS[section]}"
        yield f"\n**{entry.question.number} {entry.question.label}**"
        yield from (f"\n> {line}" for line in answer_lines(entry))


def summary(entries: Sequence[Entry]) -> str:
    """How much of the sheet is filled in."""
    answered = sum(entry.is_answered for entry in entries)
    return (
        f"{answered} of {len(entries)} questions are answered from the report; check them. "
        f"The other {len(entries) - answered} are marked: {TO_ANSWER}"
    )


def answer_lines(entry: Entry) -> Iterator[str]:
    """The answer in lines: the options, the words, and what is left to do."""
    answer = entry.answer
    if answer is None:
        yield TO_ANSWER
        return
    if not answer.complete:
        yield f"{TO_ANSWER} Known: {_one_line(answer.text)}"
        return
    yield from answer.options.values()
    if answer.text:
        yield _one_line(answer.text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def datasheet_json(entries: Sequence[Entry]) -> str:
    """A file for "Upload from file" of the form at nlp-heds.github.io.

    It holds the answered fields alone: the form counts the others as blank. Options of a question are fields
    of their own, marked true.

    Parameters
    ----------
    entries : sequence of Entry

    Returns
    -------
    str

    Examples
    --------
    >>> list(json.loads(datasheet_json([]))) == [CRITERIA_FIELD]
    True
    """
    fields: dict[str, Any] = {CRITERIA_FIELD: {"data": {}, "control": {CRITERION: True}, "text": {}}}
    for entry in entries:
        if entry.is_answered:
            fields |= _fields(entry)
    return json.dumps(fields, indent=4, ensure_ascii=False) + "\n"


def _fields(entry: Entry) -> Iterator[tuple[str, Any]]:
    question, answer = entry.question, entry.answer
    assert answer is not None  # noqa: S101 - an answered entry has one
    place = CRITERION if question.section == "4" else ""
    for position, words in answer.options.items():
        option = {"data": {place: True}, "control": {}, "text": {place: words}, "number": question.number}
        yield f"{question.field}-{position}", option
    if answer.text:
        name = f"{question.field}-other_text" if question.choice else question.field
        number = None if question.choice else question.number
        yield name, {"data": {place: answer.text}, "control": {}, "number": number}
