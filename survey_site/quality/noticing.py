"""Notices of batches that are complete and of raters whom a check flags, found without anybody's looking.

Workers look every so often (`reports.noticing`), at the batches of which more was submitted since: rating
itself takes no statement more for it.
"""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Max

from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_progress
from survey_site.batches.states import AssignmentState
from survey_site.notices.models import Look, NoticeKind
from survey_site.notices.services import notify
from survey_site.quality.checks import check_raters, raters_to_decide_on
from survey_site.survey.models import Assignment


def notice_batches(*, now: datetime) -> list[Batch]:
    """Look at each batch that has changed; returns these. A batch that fails is looked at the next time."""
    looked = list(_changed())
    for batch, state in looked:
        _look_at(batch, now)
        Look.objects.update_or_create(batch=batch, defaults={"state": state})
    return [batch for batch, _ in looked]


def _changed() -> Iterator[tuple[Batch, str]]:
    """Batches that are not frozen and were rated here, where more was submitted since the last look."""
    submitted = (
        Assignment.objects.filter(state=AssignmentState.SUBMITTED)
        .filter(questionnaire__batch__frozen_at=None, questionnaire__batch__upload=None)
        .order_by()
        .values("questionnaire__batch")
        .annotate(count=Count("pk"), last=Max("submitted_at"))
    )
    states = {row["questionnaire__batch"]: f"{row['count']} until {row['last']}" for row in submitted}
    seen = dict(Look.objects.filter(batch__in=states).values_list("batch", "state"))
    changed = [pk for pk, state in states.items() if seen.get(pk) != state]
    for batch in Batch.objects.filter(pk__in=changed).select_related("corpus").order_by("pk"):
        yield batch, states[batch.pk]


def _look_at(batch: Batch, now: datetime) -> None:
    progress = batch_progress(batch, now=now)
    if batch.is_live and progress.is_complete:
        places = str(progress.completions_wanted)  # an extended batch is complete once more
        notify(kind=NoticeKind.COMPLETE, batch=batch, key=places, now=now)
    for one in raters_to_decide_on(check_raters(batch)):
        code = one.rater.code
        notify(kind=NoticeKind.FLAGGED, batch=batch, key=code, subject=code, now=now)
