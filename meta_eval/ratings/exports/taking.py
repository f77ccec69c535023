"""What is taken from an export: which fields say of what a rating is, which number an answer stands for.

Who answered is taken by the tool's own name, but for an e-mail address or the id of a panel (Prolific,
Mechanical Turk): in its place comes a number.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import Fault, InputError
from meta_eval.files.cells import csv_text
from meta_eval.files.kinds import cell_text
from meta_eval.files.names import plain_name
from meta_eval.files.values import count_of
from meta_eval.ratings.rating import order_readers
from meta_eval.ratings.rows import RATING_COLUMNS

ITEM_COLUMNS = ("doc_id", "system", "reader_a", "reader_b")
"""What the item says; who answered and what is the tool's own."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_PERSONAL = re.compile(
    r".*[^\s@]@[^\s@].*|[0-9a-f]{24}|[0-9a-f]{32}|A[0-9A-Z]{11,20}"
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    re.DOTALL | re.IGNORECASE,
)
"""An e-mail address; an id of Prolific, CloudResearch, Mechanical Turk; a UUID, as other panels have them."""
_NUMBER = re.compile(r"(?:scale_)?([+-]?[0-9]{1,9}(?:\.0{1,20})?)")
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
        found = {column: plain_name(cell_text(held.get(name))).strip() for column, name in named.items()}
        return found, [named[column] for column, value in found.items() if not value]

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


class Repeats:
    """Finds what one person answered twice: one item, or one pair of a system's texts in two items."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, ...]] = set()

    def problem(self, row: Mapping[str, str], item: str) -> str | None:
        """What is wrong with one more row; None where its rater answered neither before."""
        readers = order_readers(row["reader_a"], row["reader_b"])
        keys: set[tuple[str, ...]] = {(row["rater"], item)}
        if row["system"] != GOLD:  # a gold pair stands in both questionnaires of a document
            keys.add((row["rater"], row["doc_id"], row["system"], *readers))
        if keys & self._seen:
            return f"rater {row['rater']!r} rated it before: keep the answer that counts"
        self._seen |= keys
        return None


@dataclass(frozen=True, slots=True)
class ExportedRatings:
    """The rows, a rating each, in the columns of `RATING_COLUMNS`; and what was passed over, by reason.

    renamed: how many raters have a number in place of an e-mail address or the id of a panel.
    """

    rows: Sequence[Mapping[str, str]]
    question: str
    passed_over: Counter[str]
    renamed: int = 0

    @property
    def taken(self) -> str:
        """How many answers were taken and how many were left, in one line."""
        left, raters = self.passed_over.total(), len({row["rater"] for row in self.rows})
        return (
            f"{count_of(len(self.rows) + left, 'answer')}: {count_of(len(self.rows), 'rating')} by "
            f"{count_of(raters, 'rater')} taken, {left:,} left out"
        )

    def csv(self) -> str:
        """The table that `human`, `report` and the site's upload take."""
        return csv_text([RATING_COLUMNS, *([row[name] for name in RATING_COLUMNS] for row in self.rows)])


def exported_ratings(
    rows: Sequence[Mapping[str, str]], question: str, passed_over: Counter[str]
) -> ExportedRatings:
    """The rows without addresses and ids of panels: `rater-1`, `rater-2`, ... by who answered first.

    Examples
    --------
    >>> rows = [{"rater": "ada@example.org"}, {"rater": "rater-1"}, {"rater": "ada@example.org"}]
    >>> exported_ratings(rows, "alike", Counter()).rows
    [{'rater': 'rater-2'}, {'rater': 'rater-1'}, {'rater': 'rater-2'}]
    """
    raters = dict.fromkeys(row["rater"] for row in rows)
    free = (name for number in count(1) if (name := f"rater-{number}") not in raters)
    named = {rater: next(free) for rater in raters if _PERSONAL.fullmatch(rater)}
    known = [{**row, "rater": named.get(row["rater"], row["rater"])} for row in rows]
    return ExportedRatings(known, question, passed_over, renamed=len(named))
