"""`manage.py serve`: one command brings all that a site of one machine needs, and takes it away again."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder

from survey_site.common.health import READY_PATH
from survey_site.operations.servers import free_port
from survey_site.settings.table import BASE_DIR


@pytest.fixture
def machine():
    """Variables of a machine on which nothing runs yet; short, for the path of a socket has few letters."""
    folder = Path(tempfile.mkdtemp(prefix="cc-", dir="/tmp"))
    kept = {name: value for name, value in os.environ.items() if name != "CELERY_BROKER_URL"}
    yield kept | {
        "DATABASE_URL": f"sqlite:///{folder}/site.sqlite3",
        "CONCORD_DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "survey_site.settings",
    }
    shutil.rmtree(folder)


def run(machine, *arguments):
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=BASE_DIR, env=machine, capture_output=True, text=True, check=False)


def kept_for_good(address):
    """How long browsers keep the stylesheet that a page names."""
    with urlopen(f"{address}/accounts/login/") as page:
        sheet = re.search(r'href="(/static/css/concord[^"]+)"', page.read().decode())[1]
    with urlopen(f"{address}{sheet}") as answer:
        return answer.headers["Cache-Control"]


def test_one_command_brings_web_server_worker_and_broker_and_ends_them(machine):
    assert run(machine, "migrate", "--verbosity", "0").returncode == 0
    port = free_port(0)
    command = [sys.executable, "manage.py", "serve", "--port", f"{port}"]
    site = subprocess.Popen(command, cwd=BASE_DIR, env=machine, stdout=subprocess.PIPE, text=True)
    try:
        said = [site.stdout.readline() for _ in range(3)]
        assert said == [
            "Starting the site ...\n",
            f"The site: http://127.0.0.1:{port}/\n",
            "Ctrl-C ends it.\n",
        ]
        with urlopen(f"http://127.0.0.1:{port}{READY_PATH}") as answer:
            assert answer.status == 200
        assert kept_for_good(f"http://127.0.0.1:{port}") == "max-age=315360000, public, immutable"
        found = [line.split()[:2] for line in run(machine, "doctor").stdout.splitlines()]
        assert [line for line in found if line[1:] in (["broker"], ["workers"])] == [
            ["ok", "broker"],
            ["ok", "workers"],
        ]
    finally:
        site.send_signal(signal.SIGTERM)
        rest, _ = site.communicate()
    assert (site.returncode, rest) == (0, "\nStopping ...\n")
    assert free_port(port) == port
    assert not (Path(machine["CONCORD_DATA_DIR"]) / "valkey.sock").exists()


@pytest.mark.django_db
def test_a_taken_port_is_refused():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"^Port {port} is taken. Choose another: --port NUMBER.$"):
            call_command("serve", "--port", f"{port}")


@pytest.mark.django_db
def test_a_database_that_lacks_migrations_is_refused():
    MigrationRecorder.Migration.objects.filter(app="survey").latest("id").delete()
    with pytest.raises(CommandError, match=r"^Migrations that the database lacks: 1\. Run "):
        call_command("serve")
