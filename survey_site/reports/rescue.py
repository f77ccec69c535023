"""Work that was lost, handed to the workers again: by every worker every few seconds, and by `requeue_stale`.

What is lost: a job whose process was killed, and a message that no broker took. A thread, because the worker
itself may be busy for an hour with the only job it takes at a time.
"""

import logging
import threading
from datetime import datetime

from django.db import Error, connection, transaction
from django.utils import timezone

from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.services import requeue_stale_model_runs
from survey_site.model_raters.tasks import enqueue_model_run
from survey_site.reports.models import Report
from survey_site.reports.services import requeue_stale_reports
from survey_site.reports.tasks import enqueue_report
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.services import requeue_stale_runs
from survey_site.scoring.tasks import enqueue_run

EVERY_SECONDS = 5.0
log = logging.getLogger(__name__)


def hand_over_lost_work(*, now: datetime) -> tuple[list[Report], list[ScoreRun], list[ModelRun]]:
    """What was handed to the workers again. Doing it twice does no harm: only one takes a job up."""
    with transaction.atomic():
        reports, runs = requeue_stale_reports(now=now), requeue_stale_runs(now=now)
        for report in reports:
            enqueue_report(report)
        for run in runs:
            enqueue_run(run)
        asking = requeue_stale_model_runs(now=now)
        for one in asking:
            enqueue_model_run(one)
    return reports, runs, asking


def watch_from_now_on(**_signal: object) -> None:
    """Look at once, and then every few seconds as long as this process lives."""
    threading.Thread(target=_watch, name="lost work", daemon=True).start()


def _watch() -> None:
    pause = threading.Event()
    while True:
        try:
            hand_over_lost_work(now=timezone.now())
        except Error as error:
            log.warning("Lost work was not looked for: %s", error)
        finally:
            connection.close()
        pause.wait(EVERY_SECONDS)
