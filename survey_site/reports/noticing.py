"""Notices of reports that are ready or failed; and the thread of each worker that looks for all notices."""

import logging
import threading
import time
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.utils import timezone

from survey_site.common.locking import locked
from survey_site.notices.mails import send_due_mails
from survey_site.notices.models import Notice, NoticeKind
from survey_site.notices.services import notify
from survey_site.quality.noticing import notice_batches
from survey_site.reports.models import Report
from survey_site.scoring.models import JobStatus
from survey_site.webhooks.events import emit
from survey_site.webhooks.models import EventKind

KINDS = {JobStatus.DONE: NoticeKind.READY, JobStatus.FAILED: NoticeKind.FAILED}
EVENTS = {NoticeKind.READY: EventKind.READY, NoticeKind.FAILED: EventKind.FAILED}
LOOKED_BACK = timedelta(days=1)
"""How long after its end a report is still news, where the process that built it died before it said so."""
EVERY_SECONDS = 30.0
LARGEST_SHARE = 0.05
"""Of the time of a worker's process that may be spent on looking."""
log = logging.getLogger(__name__)


def notice_report(report: Report, *, now: datetime) -> None:
    """Note that a report has ended; its trouble with that is never the report's."""
    try:
        _notice(report, now)
    except Exception:
        log.exception("No notice of report %s yet; a worker tries again", report.pk)


def notice_reports(*, now: datetime) -> None:
    """Note the reports that have ended of late and were not noted."""
    ended = Report.objects.filter(status__in=KINDS, finished_at__gt=now - LOOKED_BACK)
    known = set(Notice.objects.filter(kind__in=KINDS.values()).values_list("kind", "key"))
    for report in ended.defer("result", "drawings").select_related("batch").order_by("finished_at"):
        if (KINDS[JobStatus(report.status)], _key(report)) not in known:
            notice_report(report, now=now)


def _notice(report: Report, now: datetime) -> None:
    kind = KINDS.get(JobStatus(report.status))
    if not kind:
        return
    with transaction.atomic():  # who deletes the report waits, or was quicker and there is nothing to tell
        if not locked(Report.objects.filter(pk=report.pk)).values_list("pk").first():
            return
        if notify(kind=kind, batch=report.batch, key=_key(report), subject=str(report.pk), now=now):
            emit(EVENTS[kind], report.batch, {"report": report.pk}, now=now)


def _key(report: Report) -> str:
    """One that is tried again ends again."""
    return f"{report.pk} of {report.waits_since.isoformat()}"


def look_around(*, now: datetime) -> int:
    """Find what is to be noted, note it, and mail what is due; returns how many mails were sent.

    What fails is logged and tried the next time; it holds up nothing else.
    """
    for find in (notice_reports, notice_batches):
        try:
            find(now=now)
        except Exception:
            log.exception("Not all notices were looked for")
    return send_due_mails(now=now)


def look_from_now_on(**_signal: object) -> None:
    """Look at once, and then every so often as long as this process lives."""
    threading.Thread(target=_look, name="notices", daemon=True).start()


def _look() -> None:
    pause = threading.Event()
    while True:
        start = time.monotonic()
        try:
            look_around(now=timezone.now())
        except Exception:
            log.exception("Notices were not looked for")
        finally:
            connection.close()
        pause.wait(max(EVERY_SECONDS, (time.monotonic() - start) / LARGEST_SHARE))
