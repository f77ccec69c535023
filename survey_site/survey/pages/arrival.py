"""How a survey receives somebody who opens its link: with its first page, or a word on why there is none."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils.translation import get_language

from survey_site.common.moments import in_words
from survey_site.survey.models import Entry, Participation, Rater
from survey_site.survey.pages.access import Visit
from survey_site.survey.people.consent import Wording, consent_wording
from survey_site.survey.people.participation import may_enter
from survey_site.survey.queries import (
    RaterProgress,
    has_consented,
    has_free_slots,
    open_assignment,
    rater_progress,
)
from survey_site.survey.rating.ending import Ending, code_after, panel_ending


class Way(StrEnum):
    """Where somebody who arrives goes on; but for DONE, the name of the page that receives them."""

    FIRST_PAGE = "join"
    LINK_NEEDED = "link_needed"
    TOO_LATE = "late"
    DONE = "done"


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """What the page that receives somebody depends on.

    over: nothing is handed out any more; late: there is no slot for a newcomer; opens: when, where that lies
    ahead; ending: the panel's code for who comes too late; consent: what is still to be agreed to, None where
    nothing is; own_link: whether the link knows the person; limit, code_after: as the batch's settings say.
    """

    way: Way = Way.FIRST_PAGE
    over: bool = False
    late: bool = False
    opens: str = ""
    progress: RaterProgress | None = None
    ending: Ending | None = None
    consent: Wording | None = None
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
    if rater and (progress is None or progress.finished):
        return Arrival(way=Way.DONE)
    over = batch.is_over(now)
    late = not rater and (over or not has_free_slots(batch, now=now))
    if late and (ending := panel_ending(entry, participation, None)):
        return Arrival(way=Way.TOO_LATE, over=over, ending=ending)
    has_agreed = rater is not None and has_consented(rater)
    return Arrival(
        over=over,
        late=late,
        opens=in_words(batch.opens_at) if batch.opens_at and batch.is_early(now) else "",
        progress=progress,
        consent=None if has_agreed else consent_wording(batch, participation, get_language()),
        own_link=entry != Entry.OPEN,
        limit=participation.limit,
        code_after=code_after(entry, participation),
    )


def has_ended(rater: Rater, now: datetime) -> bool:
    """Whether only the last page is left: withdrawn, or it is over and nothing of theirs is open."""
    return bool(rater.withdrawn_at) or (rater.batch.is_over(now) and open_assignment(rater) is None)
