"""The doctor finds what is wrong, says what to do, and finds nothing where nothing is."""

from datetime import timedelta
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from kombu.entity import Queue

from survey_site.common.postgresql import POOLER
from survey_site.operations import doctor
from survey_site.operations.doctor import examine
from survey_site.operations.findings import Finding, State
from survey_site.scoring.models import JobStatus, ScoreRun
from tests.factories.batches import make_batch
from tests.factories.mail import NOBODY, name_mail_server

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _brief(monkeypatch):
    monkeypatch.setattr(doctor, "PATIENCE_SECONDS", 0.1)
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)  # browser tests of the same process set it


def found(subject, now=timezone.now):
    return [one for one in examine(now=now) if one.subject == subject]


def test_each_subject_is_looked_at():
    said = [one.subject for one in examine(now=timezone.now)]
    assert list(dict.fromkeys(said)) == [
        "settings",
        "storage",
        "database",
        "migrations",
        "clock",
        "broker",
        "workers",
        "queue",
        "GPU",
        "models",
        "mail",
    ]


def test_a_fault_is_said_with_what_to_do_and_ends_with_status_1(capsys, settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path / "gone"
    with pytest.raises(SystemExit) as ended:
        call_command("doctor")
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("FAULT  storage     The data folder takes no files.")
    assert lines[at + 1].strip() == f"-> No such file or directory: {tmp_path / 'gone'} (CONCORD_DATA_DIR)."
    assert (ended.value.code, lines[-1]) == (1, "2 faults.")  # and no worker


def test_without_a_worker_reports_wait():
    assert found("workers") == [
        Finding(
            "workers",
            State.FAULT,
            "None answers.",
            "Start one: celery -A survey_site worker. Until then reports wait.",
        )
    ]


def test_a_missing_migration_is_a_fault():
    MigrationRecorder.Migration.objects.filter(app="survey").latest("id").delete()
    (said,) = found("migrations")
    assert (said.state, said.message) == (State.FAULT, "Migrations that the database lacks: 1.")


def test_clocks_that_differ_are_told():
    (said,) = found("clock", now=lambda: timezone.now() + timedelta(minutes=3))
    expected = State.FINE if connection.vendor == "sqlite" else State.FAULT
    assert said.state == expected


def test_settings_that_let_anybody_in_are_faults(settings):
    settings.DEBUG, settings.SECRET_KEY = True, "short"
    faults = [one.action for one in found("settings") if one.state is State.FAULT]
    assert faults == [
        f"{name} in Django's list of system checks." for name in ("security.W009", "security.W018")
    ]


def test_work_that_nobody_took_up_is_counted():
    batch = make_batch()
    run = {"kind": "automatic", "corpus": batch.corpus, "measure": "jsd", "signature": {}, "options": {}}
    for number, (status, minutes) in enumerate(
        [(JobStatus.QUEUED, 5), (JobStatus.QUEUED, 0), (JobStatus.FAILED, 5)]
    ):
        created = timezone.now() - timedelta(minutes=minutes)
        ScoreRun.objects.create(key=str(number), status=status, created_at=created, **run)
    assert [one.message for one in found("queue")] == [
        "reports: 0 wait, 0 of them for over a minute, 0 failed.",
        "score runs: 2 wait, 1 of them for over a minute, 1 failed.",
    ]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite stands behind no pooler")
def test_a_pooler_by_transactions_that_the_site_was_not_told_of_is_a_fault(monkeypatch):
    assert [one.state for one in found("database")] == [State.FINE]
    monkeypatch.setattr(doctor, "_session", lambda _connection: 17)  # one session serves both connections
    assert found("database")[1] == Finding(
        "database",
        State.FAULT,
        "A pooler gives each transaction another connection: plans that the site keeps get lost.",
        POOLER,
    )
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    assert [one.state for one in found("database")] == [State.FINE]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite counts no connections")
def test_a_server_with_no_connection_to_spare_is_a_fault_and_the_rest_is_looked_at(monkeypatch):
    def refuse(_connection):
        raise OperationalError("too many connections\n  for role")

    monkeypatch.setattr(doctor, "_session", refuse)
    assert (found("database")[1].state, found("database")[1].message) == (
        State.FAULT,
        "Two more connections could not be opened: too many connections for role",
    )
    assert found("broker")


def test_the_place_of_the_distances_is_tried_where_one_is_named(settings, tmp_path):
    assert found("distances") == []
    settings.CONCORD_DISTANCES_URL = f"file://{tmp_path}/far"
    said = f"file://{tmp_path}/far: a file was written and removed."
    assert found("distances") == [Finding("distances", State.FINE, said)]
    assert list((tmp_path / "far").iterdir()) == []
    settings.CONCORD_DISTANCES_URL = "nowhere://x"
    (fault,) = found("distances")
    assert fault.state == State.FAULT
    assert "cannot be used: Protocol not known" in fault.message


def test_without_a_mail_server_links_are_handed_over():
    (finding,) = found("mail")
    assert (finding.state, finding.message) == (
        State.NOTE,
        "No mail server is set: links to accounts are handed over, notices stand on their page.",
    )


def test_the_mail_server_is_tried(settings):
    settings.CONCORD_MAILS, settings.CONCORD_SITE_URL = True, "https://concord.example.org"
    assert found("mail")[0].state == State.FINE  # the tests' own, which takes everything
    name_mail_server(settings, NOBODY)
    assert found("mail") == [
        Finding(
            "mail",
            State.FAULT,
            "The mail server does not let us in (ConnectionRefusedError).",
            "Check CONCORD_MAIL_URL, and that the server runs.",
        )
    ]


def test_language_models_are_looked_at_where_there_are_any(settings, monkeypatch):
    monkeypatch.setenv("CONCORD_LLM_KEY", "sk-hidden")
    settings.CONCORD_LLM_MODELS, settings.CONCORD_LLM_URL = ["judge-1"], "http://models.test/v1"
    said = list(examine(now=timezone.now))
    assert [(one.state, one.message) for one in said if one.subject == "language models"] == [
        (
            State.FINE,
            "judge-1 at http://models.test/v1, asked with a key once an admin lets one rate a batch.",
        )
    ]
    assert "None serves the queue llm, where models' runs wait." in [one.message for one in said]
    assert "models' runs: 0 wait, 0 of them for over a minute, 0 failed." in [one.message for one in said]
    assert "sk-hidden" not in str(said)


def test_a_queue_that_no_worker_serves_is_named(settings, monkeypatch):
    settings.CELERY_TASK_QUEUES = [Queue("celery"), Queue("cpu"), Queue("gpu"), Queue("llm")]
    settings.CONCORD_SHARD_QUEUES = ["cpu"]
    answers = {"celery@one": [{"name": "celery"}]}
    monkeypatch.setattr(
        doctor.app.control, "inspect", lambda **_: SimpleNamespace(active_queues=lambda: answers)
    )
    assert [(one.state, one.message) for one in found("workers")] == [
        (State.FINE, "1 answer: celery@one."),
        (State.FAULT, "None serves the queue cpu."),
    ]


def test_without_torch_it_says_which_command_adds_it(monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "torch" else find_spec(name))
    [one] = found("models")
    assert (one.state, one.action.partition(";")[0]) == (State.NOTE, "make setup-neural")
    assert found("GPU") == []
