"""The optional questions about a person, and the totals that staff see of the answers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from survey_site.batches.models import Batch
from survey_site.common.errors import InvalidInputError
from survey_site.survey.models import MAX_CHOICE, BackgroundAnswer, Participation
from survey_site.survey.people.ages import DEFAULT_BANDS, listed_bands, translated_band

SMALL = 5
"""Counts below this are not shown: few people could be recognised by them."""

NOT_SAID = _("Prefer not to say")
FIELDS_OF_STUDY = (
    _("Humanities"),
    _("Social sciences"),
    _("Economics and business"),
    _("Law"),
    _("Natural sciences"),
    _("Computer science and mathematics"),
    _("Engineering"),
    _("Medicine and health"),
    _("Another field"),
    _("I have not studied"),
)


@dataclass(frozen=True)
class Question:
    """A question with fixed choices; the empty choice, not to say, is always one more.

    All in English, as answers are stored; whoever shows them translates.
    """

    name: str
    label: str
    choices: tuple[str, ...]


QUESTIONS = {
    "field": Question("field", _("What is your field of study?"), FIELDS_OF_STUDY),
    "gender": Question(
        "gender", _("What is your gender?"), (_("Woman"), _("Man"), _("Non-binary or another gender"))
    ),
    "age": Question("age", _("How old are you?"), DEFAULT_BANDS),
}


@dataclass(frozen=True)
class Total:
    """How many chose this, as may be shown: a number, "<5", or "hidden"."""

    label: str
    shown: str


@dataclass(frozen=True)
class QuestionTotals:
    """The answers to one question. No totals: so few answered that none may be shown."""

    question: Question
    answered: int
    totals: tuple[Total, ...]


def asked_questions(participation: Participation) -> tuple[Question, ...]:
    """The questions of a batch, with its own fields of study and bands of age where it has some."""
    own = {
        "field": listed_fields(participation.fields_of_study) or FIELDS_OF_STUDY,
        "age": listed_bands(participation.age_bands),
    }
    asked = [QUESTIONS[name] for name in QUESTIONS if name in participation.questions]
    return tuple(Question(one.name, one.label, own.get(one.name, one.choices)) for one in asked)


def translated_choice(question: Question, choice: str) -> str:
    """An answer in the language of the page."""
    return translated_band(choice) if question.name == "age" else gettext(choice)


def listed_fields(text: str) -> tuple[str, ...]:
    """The fields of study that an admin lists, one a line."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def require_short_fields(text: str) -> None:
    """Raise InvalidInputError where a field is too long to be stored as somebody's answer."""
    for field in listed_fields(text):
        if len(field) > MAX_CHOICE:
            raise InvalidInputError(
                f"A field of study has at most {MAX_CHOICE} characters; “{field[:50]}…” has {len(field)}.",
                action="Shorten it.",
            )


def background_totals(batch: Batch, participation: Participation) -> list[QuestionTotals]:
    """Totals of every question asked, small cells suppressed."""
    answers = BackgroundAnswer.objects.filter(rater__batch=batch).values_list("question", "choice")
    counts = Counter(answers)
    return [_question_totals(one, counts) for one in asked_questions(participation)]


def describe_participants(batch: Batch, participation: Participation) -> list[dict[str, Any]]:
    """The totals as a report holds them, of the same people and by the same rule as staff see them.

    They are of everybody who answered, not only of those whose ratings count: two totals over nearly the same
    people would tell of the few in which they differ.
    """
    return [
        {
            "question": one.question.name,
            "answered": one.answered if one.totals else None,
            "totals": [{"choice": total.label, "people": total.shown} for total in one.totals],
        }
        for one in background_totals(batch, participation)
    ]


def _question_totals(question: Question, counts: Mapping[tuple[str, str], int]) -> QuestionTotals:
    choices = (*question.choices, "")
    numbers = [counts.get((question.name, choice), 0) for choice in choices]
    shown = suppress_small_cells(numbers)
    if not shown:
        return QuestionTotals(question, 0, ())
    totals = tuple(Total(choice or NOT_SAID, text) for choice, text in zip(choices, shown, strict=True))
    return QuestionTotals(question, sum(numbers), totals)


def suppress_small_cells(counts: Sequence[int]) -> list[str]:
    """The counts as text, none below SMALL told, not even to somebody who knows their sum.

    A small cell, zero too, is "<5". Larger cells become "hidden", from the last, until with the sum and
    all cells shown each small cell may still be anything from 0 to 4. Empty where that cannot be reached.
    """
    hidden: set[int] = set()
    small = {index for index, count in enumerate(counts) if count < SMALL}
    large = [index for index in range(len(counts)) if index not in small]
    while small and not _is_ambiguous(counts, small, hidden):
        if not large:
            return []
        hidden.add(large.pop())
    return [
        f"<{SMALL}" if index in small else "hidden" if index in hidden else str(count)
        for index, count in enumerate(counts)
    ]


def _is_ambiguous(counts: Sequence[int], small: set[int], hidden: set[int]) -> bool:
    """Whether the sum of what is not shown leaves each small cell open from 0 to SMALL - 1."""
    unknown = sum(counts[index] for index in small | hidden)
    room = SMALL - 1
    can_be_zero = bool(hidden) or unknown <= room * (len(small) - 1)
    return can_be_zero and unknown - SMALL * len(hidden) >= room
