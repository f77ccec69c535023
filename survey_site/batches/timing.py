"""When questionnaires of a batch were completed, and how long people took."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count, F

from survey_site.batches.models import Batch
from survey_site.batches.states import AssignmentState


@dataclass(frozen=True)
class Completion:
    """One completed questionnaire: when, how many answers, and how long it took from claim to submit, pauses
    included. `took` is None of simulated raters, whose times say nothing."""

    at: datetime
    answers: int
    took: timedelta | None


def completions_of(batch: Batch) -> list[Completion]:
    """Completed questionnaires that hold a place, from the first to the last; one query."""
    rows = (
        batch.questionnaires.filter(assignments__state=AssignmentState.SUBMITTED)
        .values("assignments__pk", at=F("assignments__submitted_at"), claimed=F("assignments__claimed_at"))
        .annotate(simulated=F("assignments__rater__simulated"), answers=Count("assignments__placements"))
        .order_by("at", "assignments__pk")
    )
    return [
        Completion(row["at"], row["answers"], None if row["simulated"] else row["at"] - row["claimed"])
        for row in rows
    ]


def median_time(completions: Sequence[Completion]) -> str:
    """What the middle one of the people took, such as "2 min 50 s"; empty where no person completed any."""
    times = [one.took.total_seconds() for one in completions if one.took is not None]
    if not times:
        return ""
    minutes, seconds = divmod(round(median(times)), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
