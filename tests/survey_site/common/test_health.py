"""/health/ says whether the site can work, by whatever name and protocol it is asked."""

import re

import pytest
from django.db import connection

from survey_site.common.health import HEALTH_PATH
from survey_site.settings.table import BASE_DIR


@pytest.fixture
def deployed(settings):
    settings.ALLOWED_HOSTS = ["survey.example.org"]
    settings.SECURE_SSL_REDIRECT = True


def ask(client):
    response = client.get(HEALTH_PATH, headers={"host": "127.0.0.1:8000"})
    return response.status_code, response.content


@pytest.mark.django_db
def test_a_deployed_site_is_asked_by_http_and_by_its_address(client, deployed):
    assert ask(client) == (200, b"ok\n")
    assert client.get("/", headers={"host": "127.0.0.1:8000"}).status_code == 400
    assert client.get("/", headers={"host": "survey.example.org"}).status_code == 301


@pytest.mark.django_db(transaction=True)
def test_without_its_database_a_site_is_not_well(client, deployed, monkeypatch):
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "NAME", "/no/such/folder/database")
        assert ask(client) == (503, b"The database does not answer.\n")
        connection.close()
    assert ask(client) == (200, b"ok\n")


def test_the_compose_file_asks_the_same_page():
    text = (BASE_DIR / "docker-compose.yml").read_text(encoding="utf-8")
    assert re.findall(r"urlopen\('(.*?)'\)", text) == [f"http://127.0.0.1:8000{HEALTH_PATH}"]
