"""The status page: what works, what does not, and what to do about it."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.urls import reverse
from django.utils import timezone

from survey_site.operations import status
from survey_site.operations.backup import note_backup
from survey_site.operations.broker import Broker
from survey_site.operations.findings import State
from survey_site.operations.models import BackupMade
from survey_site.operations.presence import LIVES_FOR, show_presence
from survey_site.operations.queries import jobs_to_look_at
from survey_site.quality.models import KeptFindings
from survey_site.reports.models import Report
from survey_site.scoring.models import JobStatus, ScoreRun, ScoreShard
from tests.factories.batches import make_batch
from tests.factories.reports import make_report

pytestmark = pytest.mark.django_db


def found(subject, now=None):
    return [
        (one.state, one.message, one.action)
        for one in status.look_at_site(now=now or timezone.now())
        if one.subject == subject
    ]


def answering(monkeypatch, **waiting):
    monkeypatch.setattr(status, "read_broker", lambda: Broker("amqp://broker//", waiting=waiting))


def test_each_part_of_the_site_is_looked_at():
    said = [one.subject for one in status.look_at_site(now=timezone.now())]
    assert said == ["Web server", "Database", "Disk", "Broker", "Workers", "Backup"]


def test_a_queue_that_nobody_serves_is_a_fault_once_something_waits_there(monkeypatch, settings):
    now = timezone.now()
    show_presence("celery@one", "celery", started_at=now, now=now)
    settings.CONCORD_LLM_MODELS = ["judge-1"]
    action = "Start a worker for it: celery -A survey_site worker --queues llm -n llm@%h."
    answering(monkeypatch, celery=1, llm=0)
    assert found("Queue celery", now) == [(State.FINE, "1 message waits.", "")]
    assert found("Queue llm", now) == [(State.NOTE, "0 messages wait. No worker serves it.", action)]
    answering(monkeypatch, celery=0, llm=2)
    assert found("Queue llm", now) == [(State.FAULT, "2 messages wait. No worker serves it.", action)]


@pytest.mark.parametrize(
    ("named", "waiting", "states"),
    [
        ([], 0, []),
        (["gpu"], 0, [State.NOTE]),
        ([], 1, [State.FAULT]),
    ],
)
def test_a_worker_for_gpu_is_asked_for_where_work_goes_there(monkeypatch, settings, named, waiting, states):
    now = timezone.now()
    show_presence("cpu@one", "celery,cpu", started_at=now, now=now)
    settings.CONCORD_SHARD_QUEUES = named
    answering(monkeypatch, gpu=waiting)
    assert [one[0] for one in found("Queue gpu", now)] == states


def test_a_silent_worker_counts_as_none():
    now = timezone.now()
    show_presence("celery@one", "celery", started_at=now, now=now)
    assert found("Workers", now)[0][0] == State.FINE
    ((state, _, action),) = found("Workers", now + LIVES_FOR + timedelta(seconds=1))
    assert (state, action) == (
        State.FAULT,
        "Start one: celery -A survey_site worker. Until then reports wait.",
    )


def test_on_one_machine_the_command_that_brings_all_is_named(settings, monkeypatch):
    settings.CELERY_BROKER_URL = "redis+socket:///somewhere/valkey.sock"
    monkeypatch.setattr(status, "read_broker", lambda: Broker("redis+socket://", fault="gone"))
    assert found("Broker")[0][2].startswith(
        "Start manage.py serve, which brings one, or set CELERY_BROKER_URL."
    )
    assert found("Workers")[0][2].startswith(
        "Start one: celery -A survey_site worker, or manage.py serve, which brings one."
    )


def test_a_broker_that_is_down_is_said_and_its_queues_are_left_out(monkeypatch):
    monkeypatch.setattr(status, "read_broker", lambda: Broker("amqp://broker//", fault="refused"))
    assert found("Broker")[0][:2] == (State.FAULT, "It does not answer (refused).")
    assert found("Queue celery") == []


def test_a_backup_is_noted_and_an_old_one_is_said(tmp_path):
    assert found("Backup")[0][:2] == (State.NOTE, "This site has made none yet.")
    file = tmp_path / "backup.tar.gz"
    file.write_bytes(b"rows")
    note_backup(file, now=timezone.now())
    (made,) = BackupMade.objects.all()
    assert (made.file, made.size) == ("backup.tar.gz", 4)
    assert [found("Backup", made.made_at + timedelta(hours=hours))[0][0] for hours in (26, 27)] == [
        State.FINE,
        State.NOTE,
    ]


def test_the_page_leads_to_what_failed_and_says_why(admin_client):
    report = make_report(built=False)
    now = timezone.now()
    Report.objects.update(status="failed", error="The ratings <are> gone.", finished_at=now)
    show_presence("celery@one", "celery,cpu", started_at=now, now=now)
    page = unescape(admin_client.get("/status/").content.decode())
    rows = [re.sub(r"<[^a].*?>|\s+", " ", row) for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL)]
    (row,) = [row for row in rows if "The ratings" in row]
    assert f'href="/reports/{report.pk}/"' in row
    assert "Failed" in row
    assert "celery@one" in page
    assert 'href="/help/deployment/#metrics-and-the-status-page"' in page


def test_a_database_without_its_tables_is_said_and_what_rests_on_it_is_left_out(admin_client):
    MigrationRecorder.Migration.objects.filter(app="operations").delete()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE operations_workerseen")
    answer = admin_client.get("/status/")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "migration of this version" in page or "migrations of this version" in page
    assert "workers-title" not in page
    assert [one.subject for one in status.look_at_site(now=timezone.now())] == [
        "Web server",
        "Database",
        "Disk",
        "Broker",
    ]


def test_failed_runs_parts_and_findings_lead_to_their_pages(admin_client):
    batch = make_batch()
    now, failed = timezone.now(), {"status": JobStatus.FAILED, "error": "Gone."}
    common = {**failed, "created_at": now, "finished_at": now}
    run = ScoreRun.objects.create(
        key="1", kind="automatic", corpus=batch.corpus, measure="jsd", signature={}, options={}, **common
    )
    part = {"number": 0, "first": 0, "last": 1, "documents": 1, "pairs": 1, "queue": "cpu"}
    ScoreShard.objects.create(key="2", run=run, **part, **common)
    KeptFindings.objects.create(key="3", batch=batch, **common)
    assert [(one.name, one.address) for one in jobs_to_look_at()] == [
        ("Automatic scores jsd", f"/runs/{run.pk}/"),
        ("Part 1 of automatic scores jsd", f"/runs/{run.pk}/"),
        (f"Findings about batch {batch.pk}", reverse("quality:detail", args=[batch.pk])),
    ]
    assert admin_client.get("/status/").status_code == 200


@pytest.mark.parametrize("person", ["researcher_client", "client"])
def test_the_page_is_for_admins(request, person):
    assert request.getfixturevalue(person).get("/status/").status_code in {302, 403}
