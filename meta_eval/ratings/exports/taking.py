"""What is taken from an export: which fields say of what a rating is, which number an answer stands for.

Who answered is taken by the tool's own name, but for an e-mail address: in its place comes a number.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from meta_eval.errors import Fault, InputError
from meta_eval.files.cells import csv_text
from meta_eval.ratings.rows import RATING_COLUMNS

ITEM_COLUMNS = ("doc_id", "system", "reader_a", "reader_b")
"""What the item says; who answered and what is the tool's own."""
_WHOLE = re.compile(r"[+-]?\d{1,9}")
_ADDRESS = re.compile(r"[^\s@]@[^\s@]")
_NUMBER = re.compile(r"(?:scale_)?([+-]?\d{1,9}(?:\.0{1,20})?)")
"""No scale needs more digits, and Python refuses to read some thousands."""


@dataclass(frozen=True, kw_only=True)
class Taking:
    """What of an export becomes the columns of ratings.

    fields: by column of `ITEM_COLUMNS` the field of an item that holds it; a column that is not named is the
    field of its own name. question: the name of the control or scheme that was answered; None where the
    export has one alone. numbers: by answer in words the number that it stands for.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    question: str | None = None
    numbers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.fields) - set(ITEM_COLUMNS)):
            wanted = ", ".join(ITEM_COLUMNS)
            raise InputError(f"there is no column {', '.join(unknown)} to take; there are {wanted}")
        for answer, number in self.numbers.items():
            if not _WHOLE.fullmatch(number.strip()):
                raise InputError(f"answer {answer!r} cannot stand for {number!r}: wanted is a whole number")

    def named(self) -> dict[str, str]:
        """By column the field of an item that holds it."""
        return {column: self.fields.get(column, column) for column in ITEM_COLUMNS}

    def item(self, held: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
        """The columns that say of what the rating is, and the fields that the item lacks."""
        named = self.named()
        found = {column: held.get(name) for column, name in named.items()}
        lacking = [named[column] for column, value in found.items() if value in (None, "")]
        return {column: str(value) for column, value in found.items()}, lacking

    def number(self, answer: Any) -> str | None:
        """The number of an answer as it is written in a table; None where it is none.

        Examples
        --------
        >>> taking = Taking(numbers={"very similar": "6"})
        >>> [taking.number(answer) for answer in (4, "4", "scale_4", "very similar", "so-so", True)]
        ['4', '4', '4', '6', None, None]
        """
        text = str(answer).strip()
        if text in self.numbers:
            return str(int(self.numbers[text]))
        found = None if isinstance(answer, bool) else _NUMBER.fullmatch(text)
        return str(int(float(found[1]))) if found else None

    def asked(self, questions: Collection[str], name: str) -> str:
        """The question that counts. Raises InputError where the export does not have it, or has several."""
        there = ", ".join(sorted(questions))
        if not questions:
            raise InputError([Fault(name, None, "holds no answer on a scale, of a rating, choice or number")])
        if self.question is None and len(questions) > 1:
            told = f"holds answers to several questions ({there}): name the one that counts"
            raise InputError([Fault(name, None, told)])
        if self.question is not None and self.question not in questions:
            told = f"holds no answer to {self.question!r}; there is {there}"
            raise InputError([Fault(name, None, told)])
        return self.question or next(iter(questions))


@dataclass(frozen=True, slots=True)
class ExportedRatings:
    """The rows, a rating each, in the columns of `RATING_COLUMNS`; and what was passed over, by reason.

    renamed: how many raters have a number in place of an e-mail address.
    """

    rows: Sequence[Mapping[str, str]]
    question: str
    passed_over: Counter[str]
    renamed: int = 0

    def csv(self) -> str:
        """The table that `human`, `report` and the site's upload take."""
        return csv_text([RATING_COLUMNS, *([row[name] for name in RATING_COLUMNS] for row in self.rows)])


def exported_ratings(
    rows: Sequence[Mapping[str, str]], question: str, passed_over: Counter[str]
) -> ExportedRatings:
    """The rows without e-mail addresses: `rater-1`, `rater-2`, ... in the order in which they first answered.

    Examples
    --------
    >>> rows = [{"rater": "ada@example.org"}, {"rater": "rater-1"}, {"rater": "ada@example.org"}]
    >>> exported_ratings(rows, "alike", Counter()).rows
    [{'rater': 'rater-2'}, {'rater': 'rater-1'}, {'rater': 'rater-2'}]
    """
    raters = dict.fromkeys(row["rater"] for row in rows)
    free = (name for number in count(1) if (name := f"rater-{number}") not in raters)
    named = {rater: next(free) for rater in raters if _ADDRESS.search(rater)}
    known = [{**row, "rater": named.get(row["rater"], row["rater"])} for row in rows]
    return ExportedRatings(known, question, passed_over, renamed=len(named))
