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
from survey_site.quality.checking import requeue_stale_checks
from survey_site.quality.freeze_jobs import requeue_stale_freezings
from survey_site.quality.kept import requeue_stale_findings
from survey_site.quality.tasks import ask_for_check, ask_to_freeze_later, ask_workers
from survey_site.reports.bundles.kept import forget_old_bundles, requeue_stale_bundles
from survey_site.reports.models import Report
from survey_site.reports.services import requeue_stale_reports
from survey_site.reports.tasks import ask_to_make_bundle, enqueue_report
from survey_site.scoring.jobs import lose_stale
from survey_site.scoring.models import ScoreRun, ScoreShard
from survey_site.scoring.parts.waking import wake_for_waiting
from survey_site.scoring.services import requeue_stale_runs
from survey_site.scoring.tasks import enqueue_run

EVERY_SECONDS = 5.0
log = logging.getLogger(__name__)


def hand_over_lost_work(
    *, now: datetime, joined: bool = False
) -> tuple[list[Report], list[ScoreRun], list[ModelRun]]:
    """What was handed to the workers again. Doing it twice does no harm: only one takes a job up.

    `joined`: a worker has just come, which can help with runs that others are at work on.
    """
    with transaction.atomic():
        reports, runs = requeue_stale_reports(now=now), requeue_stale_runs(now=now)
        for report in reports:
            enqueue_report(report)
        for run in runs:
            enqueue_run(run)
        asking = requeue_stale_model_runs(now=now)
        for one in asking:
            enqueue_model_run(one)
        lost = lose_stale(ScoreShard.objects.select_related("run"), now=now)
        wake_for_waiting(now=now, at_once=joined, sent=[*runs, *(shard.run for shard in lost)])
        for findings in requeue_stale_findings(now=now):
            ask_workers(findings)
        for check in requeue_stale_checks(now=now):
            ask_for_check(check)
        for freezing in requeue_stale_freezings(now=now):
            ask_to_freeze_later(freezing)
    for bundle in requeue_stale_bundles(now=now):
        ask_to_make_bundle(bundle)
    forget_old_bundles(now=now)
    return reports, runs, asking


def watch_from_now_on(**_signal: object) -> None:
    """Look at once, and then every few seconds as long as this process lives."""
    threading.Thread(target=_watch, name="lost work", daemon=True).start()


def _watch() -> None:
    pause, joined = threading.Event(), True
    while True:
        try:
            hand_over_lost_work(now=timezone.now(), joined=joined)
            joined = False
        except Error as error:
            log.warning("Lost work was not looked for: %s", error)
        finally:
            connection.close()
        pause.wait(EVERY_SECONDS)
