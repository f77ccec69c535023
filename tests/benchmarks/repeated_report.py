"""A report that is computed from nothing again and again, for benchmarks that kill what computes it."""

import shutil
import time
from pathlib import Path
from threading import Event

from tests.benchmarks.own_servers import PATIENCE_SECONDS

MEASURES, SURROGATES = ["rouge-l", "chrf"], ["rouge-l"]


class Reports:
    """A report on a batch of its own, computed from nothing again and again."""

    def __init__(self, folder: Path, seed: int, resamples: int) -> None:
        from django.utils import timezone

        from survey_site.batches.services import close_batch
        from survey_site.rehearsal.services import make_rehearsal_batch
        from survey_site.survey.simulation import simulate_raters

        self.folder, self.bits, self.done, self.other, self.retried, self.parts = folder, b"", 0, 0, 0, 0
        self.resamples = resamples
        now = timezone.now()
        batch = make_rehearsal_batch(raters=60, seed=seed, now=now)
        simulate_raters(batch=batch, raters=12, completion=1.0, seed=seed, now=now)
        self.batch = close_batch(batch=batch, now=now)

    def compute(self) -> float:
        """Ask for it, and wait until it is there. Seconds it took; whether it has other bits is noted."""
        from survey_site.reports.models import Report

        began = time.monotonic()
        pk = patiently(self.request)
        while not patiently(lambda: self.is_done(pk)):
            time.sleep(0.1)
        bits = patiently(lambda: bits_of(Report.objects.get(pk=pk)))
        if not self.bits:
            self.bits, self.parts = bits, patiently(_count_parts)
            return time.monotonic() - began
        self.done += 1
        self.other += bits != self.bits
        return time.monotonic() - began

    def compute_until(self, over: Event) -> None:
        from django.db import connections

        while not over.is_set():
            self.compute()
        connections.close_all()

    def request(self) -> int:
        from django.db import transaction
        from django.utils import timezone

        from survey_site.reports.models import Report
        from survey_site.reports.services import request_report
        from survey_site.reports.tasks import enqueue_report
        from survey_site.scoring.models import ScoreRun

        with transaction.atomic():
            Report.objects.filter(batch=self.batch).delete()
            ScoreRun.objects.all().delete()
        for name in ("distances", "contributions"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        wanted = {"measures": MEASURES, "surrogates": SURROGATES, "resamples": self.resamples}
        with transaction.atomic():
            report = request_report(batch=self.batch, **wanted, now=timezone.now())
            enqueue_report(report)
        return int(report.pk)

    def is_done(self, pk: int) -> bool:
        """One that lost its process five times has failed, as it should: somebody tries it again."""
        from django.utils import timezone

        from survey_site.reports.models import Report
        from survey_site.reports.services import retry_report
        from survey_site.reports.tasks import enqueue_report

        report = Report.objects.get(pk=pk)
        if report.is_failed or (report.is_done and report.failures):
            self.retried += 1
            enqueue_report(retry_report(report=report, now=timezone.now()))
            return False
        return bool(report.is_done)


def bits_of(report) -> bytes:
    from survey_site.common.digest import digest

    return digest(report.result).encode()


def _count_parts() -> int:
    from survey_site.scoring.models import ScoreShard

    return int(ScoreShard.objects.count())


def patiently(act):
    """What it gives, again where the database was killed meanwhile."""
    from django.db import Error, connections

    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return act()
        except Error:
            connections.close_all()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
