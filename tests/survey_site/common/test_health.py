"""/health/ says whether the site is alive and can store answers, by whatever name and protocol one asks."""

import re
import shutil
from collections import namedtuple

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from survey_site.common.health import ALIVE_PATH, HEALTH_PATH, READY_PATH
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


@pytest.mark.django_db
def test_a_data_folder_that_takes_no_files_is_said(client, settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path / "gone"
    assert ask(client) == (503, "The data folder takes no files.\n")


def test_the_compose_file_asks_whether_the_site_is_ready():
    text = (BASE_DIR / "docker-compose.yml").read_text(encoding="utf-8")
    assert re.findall(r"urlopen\('(.*?)'\)", text) == [f"http://127.0.0.1:8000{READY_PATH}"]
