"""Notices of batches that are complete and of raters whom a check flags, found without anybody's looking.

Workers look every so often (`reports.noticing`), at the batches of which more was submitted since: rating
itself takes no statement more for it.
"""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q

from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_progress
from survey_site.batches.states import AssignmentState
from survey_site.common.locking import lock_whole_rows, locked
from survey_site.notices.models import Look, Notice, NoticeKind
from survey_site.notices.services import notify
from survey_site.quality.decided import decide_on, to_decide_on
from survey_site.quality.kept import find_in_time
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.rating_rows import UNCOUNTED
from survey_site.webhooks.events import emit
from survey_site.webhooks.models import EventKind

LOOKED_BACK = timedelta(days=1)
"""How long after its end a batch is still news, if nobody looked at it before."""
log = logging.getLogger(__name__)


def notice_batches(*, now: datetime) -> list[Batch]:
    """Look at each batch that has changed; returns these.

    One that fails is logged and looked at the next time; it holds up no other. So is one of whose ratings
    nothing new is found out yet.
    """
    looked: list[Batch] = []
    for batch, state in _changed(now):
        try:
            done = _look_at(batch, now)
            if done:
                Look.objects.update_or_create(batch=batch, defaults={"state": state})
        except Exception:
            log.exception("No notices of batch %s yet; a worker tries again", batch.pk)
        else:
            looked += [batch] * done
    return looked


def _changed(now: datetime) -> Iterator[tuple[Batch, str]]:
    """Batches that are not frozen and were rated here, where more was submitted since the last look.

    Archived ones are nobody's concern any more; nor are those of which nothing was noted while they ran and
    that are closed for long, as all are that were closed before there were notices.
    """
    submitted = (
        Assignment.objects.filter(state__in=(AssignmentState.SUBMITTED, *UNCOUNTED))
        .filter(questionnaire__batch__frozen_at=None, questionnaire__batch__upload=None)
        .order_by()
        .values("questionnaire__batch")
        .annotate(count=Count("pk"), last=Max("submitted_at"))
    )
    states = {row["questionnaire__batch"]: f"{row['count']} until {row['last']}" for row in submitted}
    seen = dict(Look.objects.filter(batch__in=states).values_list("batch", "state"))
    changed = [pk for pk, state in states.items() if seen.get(pk) != state]
    old = Q(closed_at__lte=now - LOOKED_BACK) & ~Q(pk__in=seen)
    batches = Batch.objects.filter(pk__in=changed, archived_at=None).exclude(old)
    for batch in batches.select_related("corpus").order_by("pk"):
        yield batch, states[batch.pk]


def _look_at(batch: Batch, now: datetime) -> bool:
    """Write the notices down; whether all of them could be found."""
    progress = batch_progress(batch, now=now)
    if batch.is_live and progress.is_complete:
        places = str(progress.completions_wanted)  # an extended batch is complete once more
        with transaction.atomic():
            if notify(kind=NoticeKind.COMPLETE, batch=batch, key=places, now=now):
                emit(EventKind.COMPLETE, batch, {"completed": progress.completions_wanted}, now=now)
    findings = find_in_time(batch, now=now)
    if findings is None:
        return False
    for one in to_decide_on(decide_on(batch, findings)):
        with transaction.atomic():  # who withdraws waits, or was quicker and there is nothing to tell
            stays = locked(batch.people.filter(code=one.code, withdrawn_at=None))
            for code in stays.values_list("code", flat=True):
                if notify(kind=NoticeKind.FLAGGED, batch=batch, key=code, subject=code, now=now):
                    emit(EventKind.FLAGGED, batch, {"rater": code}, subject=code, now=now)
    return True


def forget_notices_of(rater: Rater, **_signal: Any) -> None:
    """Delete what staff were told of a rater who withdraws: the page that it leads to is gone."""
    told = Notice.objects.filter(kind=NoticeKind.FLAGGED, batch=rater.batch_id, subject=rater.code)
    lock_whole_rows(told)
    told.delete()
