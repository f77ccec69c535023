"""What raters post. A questionnaire has no Django form: its fields are the codes of its items."""

import re
from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext

from survey_site.survey.models import MarkReason
from survey_site.survey.people.background import NOT_SAID, Question, translated_choice
from survey_site.survey.rating.turns import Turn
from survey_site.survey.rating.validators import CannotJudge

PREFIX = "rating-"
WORDS = "words-"
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


def posted_turn(post: QueryDict) -> Turn | None:
    """When the page's script says that the answer was given; None without a script."""
    tab, number = str(post.get("tab", "")), str(post.get("turn", ""))
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
