"""What raters post. A questionnaire has no Django form: its fields are the codes of its items."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from django import forms
from django.http import QueryDict
from django.utils.translation import gettext

from survey_site.common.errors import InvalidInputError, TooLargeError
from survey_site.survey.models import MarkReason
from survey_site.survey.people.background import NOT_SAID, Question, translated_choice
from survey_site.survey.rating.bunches import Given
from survey_site.survey.rating.turns import Turn
from survey_site.survey.rating.validators import CannotJudge

PREFIX = "rating-"
WORDS = "words-"
MOST_AT_ONCE = 20  # as the page's script has it
_REASONS = frozenset(MarkReason.values)


def posted_answers(post: QueryDict) -> dict[str, str | CannotJudge]:
    """Item code -> answer as posted. The services check both."""
    words = _by_code(post, WORDS)
    reasons = {code: str(MarkReason.OTHER) for code, text in words.items() if text.strip()}
    answers = reasons | _by_code(post, PREFIX)  # who wrote why, and chose nothing, has that reason
    return {code: as_answer(value, words.get(code, "")) for code, value in answers.items()}


def _by_code(post: QueryDict, prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): str(value) for name, value in post.items() if name.startswith(prefix)}


def as_answer(value: str, words: str = "") -> str | CannotJudge:
    """A mark where the value is one of its reasons, else the value as it came."""
    return CannotJudge(value, words) if value in _REASONS else value


def posted_bunch(post: QueryDict) -> list[Given]:
    """Several answers that a page's script sends together, in the order in which they were given.

    Raises InvalidInputError for what the script does not send.
    """
    try:
        sent = msgspec.json.decode(post.get("answers", ""), type=list[_Sent])
    except msgspec.DecodeError:
        sent = None
    if sent is None or any("\0" in text for one in sent for text in (one.item, one.value, one.words)):
        raise InvalidInputError(
            gettext("These answers cannot be read, so nothing was saved."),
            action=gettext("Reload the page and answer again."),
        )
    if len(sent) > MOST_AT_ONCE:
        raise TooLargeError(
            gettext("These are too many answers at once, so nothing was saved."),
            action=gettext("Reload the page and answer again."),
        )
    tab = str(post.get("tab", ""))
    return [Given(one.item, as_answer(one.value, one.words), _turn(tab, str(one.turn))) for one in sent]


class _Sent(msgspec.Struct, forbid_unknown_fields=True):
    item: str
    value: str
    turn: int
    words: str = ""


def posted_turn(post: QueryDict) -> Turn | None:
    """When the page's script says that the answer was given; None without a script."""
    return _turn(str(post.get("tab", "")), str(post.get("turn", "")))


def _turn(tab: str, number: str) -> Turn | None:
    if not re.fullmatch(r"[0-9a-z]{1,32}", tab) or not re.fullmatch(r"[0-9]{1,15}", number):
        return None
    return Turn(tab, int(number))


class BackgroundForm(forms.Form):
    """The optional questions, each with "prefer not to say" chosen beforehand."""

    def __init__(self, *args: Any, questions: Iterable[Question], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for one in questions:
            self.fields[one.name] = forms.ChoiceField(
                label=gettext(one.label),
                choices=[
                    *((choice, translated_choice(one, choice)) for choice in one.choices),
                    ("", gettext(NOT_SAID)),
                ],
                widget=forms.RadioSelect,
                required=False,
                initial="",
            )
