"""`manage.py rehearse` as a process: a site of its own, killed in the middle, on both databases."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.end_to_end.terminal import heed_ctrl_c
from tests.end_to_end.test_demo_command import members_of_session, still_running
from tests.postgres import connect, postgres_url

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 600  # for machines that are busy with something else


@pytest.fixture
def environment(tmp_path):
    """The defaults of one machine whatever the tests run with, and a folder for all that is temporary."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SECRET_KEY")}
    for folder in ("data", "temporary"):
        (tmp_path / folder).mkdir()
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "survey_site.settings",
        "CONCORD_DATA_DIR": str(tmp_path / "data"),
        "TMPDIR": str(tmp_path / "temporary"),
    }


@pytest.fixture
def postgres():
    """A server's address, and its databases before."""
    with postgres_url() as url:
        yield url, databases(url)


def databases(url):
    with connect(url) as connection:
        return {name for (name,) in connection.execute("select datname from pg_database")}


def rehearse(environment):
    """The record of ten raters with chaos; it ends well."""
    command = [sys.executable, "manage.py", "rehearse", "--raters", "10", "--chaos", "--seed", "3", "--json"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def check(record):
    assert record["violations"] == []
    assert (record["questionnaires"], record["places"], record["claims"]["submitted"]) == (8, 16, 16)
    assert record["events"]["server restarts"] == 2
    assert record["events"]["web processes killed"] == 1
    assert record["events"]["races won"] >= 1
    assert record["unanswered"] > 0
    assert record["answers"]["acknowledged"] > 16 * 6
    assert min(count for name, count in record["checked"].items() if name != "surplus") > 0


def test_the_embedded_default_survives_chaos(environment, tmp_path):
    record = rehearse(environment)
    assert (record["database"], record["web_processes"]) == ("sqlite", 2)
    check(record)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["secret-key"]


@pytest.mark.postgres
def test_postgresql_survives_chaos(environment, tmp_path, postgres):
    url, before = postgres
    record = rehearse({**environment, "DATABASE_URL": url, "SECRET_KEY": "k" * 50})
    assert (record["database"], record["web_processes"]) == ("postgresql", 2)
    check(record)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert {name for name in databases(url) - before if "rehearsal" in name} == set()


def test_ctrl_c_leaves_nothing_running(environment, tmp_path):
    log = tmp_path / "rehearsal.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "rehearse", "--chaos"],
            cwd=ROOT,
            env=environment,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
            preexec_fn=heed_ctrl_c,  # noqa: PLW1509 - it takes no lock
        )
    try:
        wait_for("SIGKILL to the web server", process, log)
        started = members_of_session(process.pid)
    finally:
        os.kill(process.pid, signal.SIGINT)
        process.wait(PATIENCE_SECONDS)
    assert process.returncode == 130, log.read_text()
    assert "Interrupted: nothing was checked." in log.read_text()
    assert still_running(started) == []
    assert list((tmp_path / "temporary").iterdir()) == []


def wait_for(text, process, log):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if text in log.read_text():
            return
        time.sleep(0.05)
    raise AssertionError(f"no {text!r}, exit status {process.poll()}:\n{log.read_text()}")
