"""How a survey receives somebody who opens its link: with its first page, or a word on why there is none."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils.translation import get_language

from survey_site.common.moments import in_words
from survey_site.survey.models import Entry, Participation, Rater
from survey_site.survey.pages.access import Visit
from survey_site.survey.people.consent import ConsentWording, consent_wording
from survey_site.survey.people.participation import may_enter
from survey_site.survey.queries import (
    RaterProgress,
    has_consented,
    has_free_slots,
    next_expiry,
    open_assignment,
    rater_progress,
)
from survey_site.survey.rating.ending import CodeToCome, Ending, code_after, code_to_come, panel_ending


class Way(StrEnum):
    """Where somebody who arrives goes on; but for DONE, the name of the page that receives them."""

    FIRST_PAGE = "join"
    LINK_NEEDED = "link_needed"
    TOO_LATE = "late"
    DONE = "done"


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """What the page that receives somebody depends on.

    over: nothing is handed out any more; opens: when, where that lies ahead; paused: nothing is handed out
    just now, and nothing of theirs is open; waiting: when a place may become free for a newcomer who finds
    none; ending: the panel's code for who finds nothing or has done enough; due: what a panel member does who
    has begun; returned: whether one who finds nothing is to return their submission on the panel; consent:
    what is still to be agreed to, None where nothing is; own_link: whether the link knows the person; limit,
    code_after: as the batch's settings say.
    """

    way: Way = Way.FIRST_PAGE
    over: bool = False
    opens: str = ""
    paused: bool = False
    waiting: datetime | None = None
    progress: RaterProgress | None = None
    ending: Ending | None = None
    due: CodeToCome | None = None
    returned: bool = False
    consent: ConsentWording | None = None
    own_link: bool = False
    limit: int | None = None
    code_after: int | None = None

    @property
    def status(self) -> int:
        """Of the answer; a first page after the end is gone for newcomers."""
        if self.way == Way.LINK_NEEDED:
            return 403
        return 410 if self.way == Way.FIRST_PAGE and self.over and not self.progress else 200


def arrive(visit: Visit, participation: Participation, *, now: datetime) -> Arrival:
    """Receive a visitor at this moment, by how people take part in the batch."""
    batch, rater, entry = visit.batch, visit.rater, visit.entry
    if not rater and batch.is_live and not may_enter(participation, entry):
        return Arrival(way=Way.LINK_NEEDED)
    progress = None if rater is None or has_ended(rater, now) else rater_progress(rater, now=now)
    shut = not batch.hands_out(now) and not (progress and progress.open)
    if rater and (progress is None or progress.finished or not (shut or progress.total)):
        return Arrival(way=Way.DONE)
    late = not rater and (shut or not has_free_slots(batch, now=now, any_free=visit.sees_free_slot))
    idle = progress is None or not (progress.done or progress.open)
    finds_nothing = late or (shut and idle)
    ending = (
        panel_ending(entry, participation, None if finds_nothing else progress, rater)
        if shut or late
        else None
    )
    full = late and not shut
    has_agreed = rater is not None and has_consented(rater)
    return Arrival(
        way=Way.TOO_LATE if full or (ending and finds_nothing) else Way.FIRST_PAGE,
        over=batch.is_over(now),
        opens=in_words(batch.opens_at) if batch.opens_at and batch.is_early(now) else "",
        paused=shut and batch.is_paused,
        waiting=next_expiry(batch, now=now) if full else None,
        progress=progress,
        ending=ending,
        due=code_to_come(entry, participation, progress) if shut and progress and not ending else None,
        returned=finds_nothing and entry == Entry.PANEL,
        consent=None if has_agreed else consent_wording(batch, participation, get_language()),
        own_link=entry != Entry.OPEN,
        limit=participation.limit,
        code_after=code_after(entry, participation),
    )


def is_shut_out(visit: Visit, now: datetime) -> bool:
    """Whether nothing is handed out at this moment to a visitor of whom nothing is open."""
    return not visit.batch.hands_out(now) and (visit.rater is None or open_assignment(visit.rater) is None)


def has_ended(rater: Rater, now: datetime) -> bool:
    """Whether only the last page is left: withdrawn, or it is over and nothing of theirs is open."""
    return bool(rater.withdrawn_at) or (rater.batch.is_over(now) and open_assignment(rater) is None)
