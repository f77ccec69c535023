"""/health/ says whether the site is alive and can store answers, by whatever name and protocol one asks."""

import os
import re
import shutil
import subprocess
import tempfile
from collections import namedtuple
from itertools import takewhile
from pathlib import Path

import pytest
from django.db import Error, connection
from django.db.migrations.recorder import MigrationRecorder

from survey_site.common.health import ALIVE_PATH, HEALTH_PATH, READY_PATH, TOUCH
from survey_site.settings.table import BASE_DIR


@pytest.fixture
def deployed(settings):
    settings.ALLOWED_HOSTS = ["survey.example.org"]
    settings.SECURE_SSL_REDIRECT = True


def ask(client, path=READY_PATH):
    response = client.get(path, headers={"host": "127.0.0.1:8000"})
    return response.status_code, response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("path", [HEALTH_PATH, ALIVE_PATH, READY_PATH])
def test_a_deployed_site_is_asked_by_http_and_by_its_address(client, deployed, path):
    assert ask(client, path) == (200, "ok\n")
    assert client.get("/", headers={"host": "127.0.0.1:8000"}).status_code == 400
    assert client.get("/", headers={"host": "survey.example.org"}).status_code == 301


@pytest.mark.django_db(transaction=True)
def test_without_its_database_a_site_lives_but_is_not_ready(client, deployed, monkeypatch):
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "NAME", "/no/such/folder/database")
        assert ask(client) == (503, "The database does not answer.\n")
        assert ask(client, ALIVE_PATH) == (200, "ok\n")
        connection.close()
    assert ask(client) == (200, "ok\n")


@pytest.mark.django_db(transaction=True)
def test_a_database_that_only_reads_is_not_ready(client):
    only_reads, again = (
        ("PRAGMA query_only = 1", "PRAGMA query_only = 0")
        if connection.vendor == "sqlite"
        else ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off")
    )
    with connection.cursor() as cursor:
        cursor.execute(only_reads)
        try:
            answer = ask(client)
        finally:
            cursor.execute(again)
    assert answer == (503, "The database takes no writes.\n")


@pytest.mark.django_db
def test_a_database_of_an_earlier_version_is_not_ready(client):
    MigrationRecorder.Migration.objects.filter(app="survey").latest("id").delete()
    assert ask(client) == (503, "Migrations that the database lacks: 1.\n")


@pytest.mark.django_db
def test_a_full_disk_is_said(client, monkeypatch):
    usage = namedtuple("usage", "total used free")(10**9, 10**9 - 5 * 10**6, 5 * 10**6)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    assert ask(client) == (503, "The data folder's disk has 5 MB left, less than 100.\n")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 300 kB; only root may make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k,mode=777", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small disk is mounted, which this user or this machine does not allow")
    for parent in takewhile(lambda one: one != Path(tempfile.gettempdir()), [tmp_path, *tmp_path.parents]):
        parent.chmod(0o755)  # PostgreSQL looks for its folder as another user
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def full_postgres(transactional_db, small_disk):
    """What is written beside the tables goes to the small disk, which has less room than is asked for."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite's disk is the data folder's")
    (folder := small_disk / "postgres").mkdir()
    with connection.cursor() as cursor:
        try:
            shutil.chown(folder, "postgres")
            cursor.execute(f"CREATE TABLESPACE concord_full LOCATION '{folder}'")
        except (LookupError, Error):
            pytest.skip("the PostgreSQL of the tests uses no folder of this machine that is made for it")
        cursor.execute("SET temp_tablespaces = 'concord_full'")
        yield
        cursor.execute("RESET temp_tablespaces")
        cursor.execute("DROP TABLESPACE concord_full")


def test_a_postgresql_without_room_is_not_ready(client, full_postgres):
    """The row that is written as it is has room: what is added to tables has not."""
    with connection.cursor() as cursor:
        cursor.execute(TOUCH)
    assert ask(client) == (503, "The database takes no writes.\n")


def test_a_full_data_folder_is_not_ready(client, transactional_db, settings, small_disk):
    settings.CONCORD_DATA_DIR = small_disk
    assert ask(client) == (503, "The data folder's disk has 0 MB left, less than 100.\n")
    with (small_disk / "filler").open("wb") as filler:
        os.posix_fallocate(filler.fileno(), 0, 300 * 1024)
    assert ask(client) == (503, "The data folder takes no files.\n")


@pytest.mark.django_db
def test_a_data_folder_that_takes_no_files_is_said(client, settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path / "gone"
    assert ask(client) == (503, "The data folder takes no files.\n")


def test_the_compose_file_asks_whether_the_site_is_ready():
    text = (BASE_DIR / "docker-compose.yml").read_text(encoding="utf-8")
    assert re.findall(r"urlopen\('(.*?)'\)", text) == [f"http://127.0.0.1:8000{READY_PATH}"]


@pytest.mark.parametrize("path", [ALIVE_PATH, READY_PATH, HEALTH_PATH])
def test_health_is_only_read(client, path):
    answer = client.post(path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
