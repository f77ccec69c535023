"""What a batch needs so that a panel can send people, and the address that the panel is given.

Prolific puts a person's id into the study's address in place of `{{%PROLIFIC_PID%}}` and takes codes that a
researcher makes up; CloudResearch Connect adds `participantId` by itself and gives out its own code.
"""

import re
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import QuerySet

from survey_site.batches.models import Batch
from survey_site.notices.models import NoticeKind
from survey_site.notices.services import notify
from survey_site.survey.models import Entry, Participation, Rater

MADE_UP = ("completed_code", "no_place_code", "partial_code")
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that is taken for another one


@dataclass(frozen=True)
class Panel:
    """`parameter` carries the person's id; `query` is the end of the address that the panel is given.

    settings: what else is filled in; makes_up_codes: whether the panel takes codes of ours; hint: what is
    left to be done on the panel.
    """

    name: str
    parameter: str
    query: str
    hint: str
    settings: Mapping[str, object] = field(default_factory=dict)
    makes_up_codes: bool = False


PANELS = {
    "prolific": Panel(
        name="Prolific",
        parameter="PROLIFIC_PID",
        query="PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        hint="In Prolific, paste the study's address, choose that ids come as parameters of the address, and "
        "enter each code below with what it does.",
        settings={"return_address": "https://app.prolific.com/submissions/complete?cc={code}", "limit": 1},
        makes_up_codes=True,
    ),
    "cloudresearch": Panel(
        name="CloudResearch Connect",
        parameter="participantId",
        query="",
        hint="Connect adds the person's id to the address by itself. Copy the completion code that it shows "
        "into the code for completed below.",
        settings={"return_address": "", "limit": 1},
    ),
    "plain": Panel(
        name="a plain link with an id",
        parameter="id",
        query="id=",
        hint="Put each person's id behind the address. No code is needed.",
        settings={"return_address": ""},
    ),
}


def filled_in(panel: Panel, stored: Participation) -> dict[str, object]:
    """The settings for this panel; what staff have entered already in codes and limit stays."""
    filled: dict[str, object] = {
        "entry": Entry.PANEL,
        "panel_parameter": panel.parameter,
        **panel.settings,
    }
    if stored.limit:
        filled["limit"] = stored.limit
    if panel.makes_up_codes:
        filled |= {name: getattr(stored, name) or make_panel_code() for name in MADE_UP}
    return filled


def make_panel_code() -> str:
    """Eight letters and digits, as panels use them."""
    return "".join(secrets.choice(_LETTERS) for _ in range(8))


def study_address(link: str, participation: Participation) -> str:
    """The whole address to give to whoever sends people: of a panel with the place of a person's id."""
    if participation.entry != Entry.PANEL:
        return link
    parameter = participation.panel_parameter
    known = next((one for one in PANELS.values() if one.parameter == parameter), None)
    query = known.query if known else f"{parameter}="
    return f"{link}?{query}" if query else link


MOST_BROWSERS = 3
"""As many as one person may need for their id: a computer, a phone, a tablet. The monitor warns once they are
used up, and nobody is let in by a further one, where somebody else's answers and code would wait for them."""

_MARKS = frozenset("{}[]<>%$\ufffd")
"""Of placeholders; U+FFFD stands for bytes that are no UTF-8. No panel's id has any of them."""
_WORDS = (
    "prolific|mturk|connect|participant|respondent|worker|subject|person|panel|panellist|panelist|member|user|"
    "assignment|external|session|study|response|id|pid|uid|rid|uuid|guid|number|code|name|email|key|token|"
    "your|insert|enter|replace|here|placeholder|value|variable|example|x{3,}|not|available|"
    "undefined|null|none|nan|nil|unknown|missing|empty|unset|false|true"
)
_PLACEHOLDER = re.compile(f"(?:{_WORDS})+|na")


def names_nobody(person: str, parameter: str) -> bool:
    """Whether what a panel's link has for a person's id is none: a placeholder that was not filled in.

    Everybody who comes by such a link would be one and the same person. A placeholder has braces, brackets or
    the like, is the parameter's name once more, is made of words for an id alone, or says that there is none.
    """
    plain = unicodedata.normalize("NFKC", person)
    letters, name = ("".join(filter(str.isalnum, text.casefold())) for text in (plain, parameter))
    return bool(_MARKS & set(plain) or letters in {"", name} or _PLACEHOLDER.fullmatch(letters))


def note_unfilled_link(batch: Batch, *, now: datetime) -> None:
    """Tell staff once that people come to the batch by a link that names nobody."""
    kind = NoticeKind.UNFILLED
    if not batch.notices.filter(kind=kind).exists():
        notify(kind=kind, batch=batch, key="", now=now)


def many_browsers(batch: Batch) -> "QuerySet[Rater]":
    """People whose panel's link was opened in as many browsers as one person may need, or in more."""
    return batch.people.filter(browsers__gte=MOST_BROWSERS).order_by("-browsers", "code")
