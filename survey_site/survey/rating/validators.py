"""The one rule of an answer: a rating, or why there is none; for pages, scripts and services alike."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext

from survey_site.batches.models import Batch
from survey_site.common.errors import InvalidInputError
from survey_site.survey.models import MAX_REASON, MarkReason

LOWEST, HIGHEST = 1, 6
SCALE = range(LOWEST, HIGHEST + 1)
_BY_TEXT = {str(value): value for value in SCALE}


@dataclass(frozen=True)
class CannotJudge:
    """The answer of a rater who cannot judge a pair. words: theirs, of the reason "other" alone."""

    reason: str
    words: str = ""


@dataclass(frozen=True)
class Answers:
    """Checked answers to one page, by the code of their item."""

    ratings: Mapping[str, int]
    marks: Mapping[str, CannotJudge]


def validate_answers(batch: Batch, answers: Mapping[str, object]) -> Answers:
    """Ratings 1..6 and marks apart. Raises InvalidInputError for any that is neither."""
    marks = {code: answer for code, answer in answers.items() if isinstance(answer, CannotJudge)}
    ratings = {code: validate_rating(answer) for code, answer in answers.items() if code not in marks}
    return Answers(ratings, {code: validate_mark(batch, mark) for code, mark in marks.items()})


def validate_mark(batch: Batch, mark: CannotJudge) -> CannotJudge:
    """The mark with its words in bounds; refused where the batch has no marks, or not this reason."""
    if not batch.marks_allowed or mark.reason not in MarkReason.values:
        raise InvalidInputError(
            gettext("In this survey nobody can answer so."),
            action=gettext("Choose one of the six points of the scale."),
        )
    words = plain_lines(mark.words).strip()[:MAX_REASON] if mark.reason == MarkReason.OTHER else ""
    return CannotJudge(mark.reason, words)


def validate_rating(value: object) -> int:
    """The rating as an integer 1..6; accepts the digit as text, as forms send it, and nothing near it."""
    if isinstance(value, int) and not isinstance(value, bool) and value in SCALE:
        return value
    if isinstance(value, str) and value in _BY_TEXT:
        return _BY_TEXT[value]
    raise InvalidInputError(
        gettext("A rating must be a whole number from %(lowest)s to %(highest)s, not %(value)s.")
        % {"lowest": LOWEST, "highest": HIGHEST, "value": repr(str(value)[:20])},
        action=gettext("Choose one of the six points of the scale."),
    )


def plain_lines(text: str) -> str:
    """The text with single line feeds, as a script sends it.

    A form sends two characters for each, which would cut a remark that fits its field.
    """
    return text.replace("\r\n", "\n")
