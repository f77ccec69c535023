"""Real web servers: a master that is killed leaves nobody on its port, and logs as the site does."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from survey_site.operations.servers import free_port
from survey_site.settings.table import BASE_DIR
from tests.factories.processes import PATIENCE_SECONDS, wait_for

APP = "tests.survey_site.operations.slow_app"


@pytest.fixture
def server(tmp_path):
    """Start a web server of two processes on a port; those that are left are ended by their group."""
    started = []

    def start(port):
        command = [sys.executable, "-m", "gunicorn", APP, "--bind", f"127.0.0.1:{port}", "--workers", "2"]
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "survey_site.settings",
            "CONCORD_DATA_DIR": str(tmp_path / "data"),
            "DATABASE_URL": "",
            "CONCORD_LOG_FORMAT": "json",
        }
        with (tmp_path / "log").open("wb") as log:
            process = subprocess.Popen(
                [*command, "--worker-class", "gthread"],
                cwd=BASE_DIR,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        started.append(process)
        wait_for(lambda: _answers(port))
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)


def _answers(port):
    try:
        with urlopen(f"http://127.0.0.1:{port}/", timeout=5) as response:
            return response.read()
    except (URLError, OSError):
        return b""


def _is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as gunicorn does
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def test_a_killed_master_takes_its_workers_along_and_the_next_has_the_port(server):
    port = free_port(0)
    first = server(port)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as busy:
        busy.sendall(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = b""
        while b"begun" not in received:
            received += busy.recv(1000)
        first.kill()
        first.wait(PATIENCE_SECONDS)
        while part := _receive(busy):
            received += part
    assert b"ended" not in received  # its worker did not live on, as it may for half a minute by itself
    wait_for(lambda: _is_free(port))
    second = server(port)
    assert _answers(port) == str(second.pid).encode()


def _receive(connection):
    try:
        return connection.recv(1000)
    except ConnectionResetError:
        return b""


def test_the_master_logs_as_the_site_does(server, tmp_path):
    server(free_port(0))
    lines = [json.loads(line) for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    assert lines[0]["logger"] == "gunicorn.error"
    assert lines[0]["message"].startswith("Starting gunicorn")


def test_a_process_that_takes_requests_has_imported_the_pages():
    script = "import survey_site.wsgi, sys; print('survey_site.survey.pages.views' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=BASE_DIR, capture_output=True, text=True, check=True
    )
    assert found.stdout == "True\n"
