"""Secrets come from files where `VARIABLE_FILE` names one, and none of them stands in a message."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from survey_site.settings import base
from survey_site.settings.reading import read_settings
from survey_site.settings.secret import provide_model_key, with_password
from survey_site.settings.table import SETTINGS


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_text("of a file\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("one", [one for one in SETTINGS if one.type is str], ids=lambda one: one.name)
def test_every_text_may_stand_in_a_file(one, secret):
    assert read_settings({f"{one.env}_FILE": secret})[one.name] == "of a file"


def test_a_number_in_a_file_is_a_number(tmp_path):
    path = tmp_path / "days"
    path.write_text(" 30\n", encoding="utf-8")
    assert read_settings({"CONCORD_RETENTION_DAYS_FILE": str(path)})["CONCORD_RETENTION_DAYS"] == 30


def test_an_empty_variable_leaves_it_to_the_file(secret):
    assert read_settings({"SECRET_KEY": "", "SECRET_KEY_FILE": secret})["SECRET_KEY"] == "of a file"


def test_two_values_are_refused(secret):
    with pytest.raises(ImproperlyConfigured, match=r"SECRET_KEY and SECRET_KEY_FILE are both set") as error:
        read_settings({"SECRET_KEY": "of the environment", "SECRET_KEY_FILE": secret})
    assert "of the environment" not in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(
        ImproperlyConfigured, match=r"SECRET_KEY_FILE='.*none' cannot be read: .*No such file"
    ):
        read_settings({"SECRET_KEY_FILE": str(tmp_path / "none")})


def test_the_database_s_password_comes_from_beside_its_url():
    url = "postgres://concord@db.example:5432/concord"
    assert base.database(url, "p@ss/word")["PASSWORD"] == "p@ss/word"
    assert base.database(url.replace("@", ":old@"))["PASSWORD"] == "old"


@pytest.mark.parametrize(
    ("url", "password", "whole"),
    [
        ("amqp://me@rabbit:5672//", "p@ss/w+", "amqp://me:p%40ss%2Fw%2B@rabbit:5672//"),
        ("amqp://me:old@rabbit:5672//", "new", "amqp://me:new@rabbit:5672//"),
        ("amqp://me:old@rabbit:5672//", None, "amqp://me:old@rabbit:5672//"),
    ],
)
def test_the_broker_s_password_stands_in_its_url(url, password, whole):
    assert with_password(url, password) == whole


def test_a_password_without_a_user_is_refused():
    with pytest.raises(ImproperlyConfigured, match="A password needs a user") as error:
        with_password("amqp://rabbit:5672//", "hidden")
    assert "hidden" not in str(error.value)


def test_a_model_s_key_of_a_file_reaches_the_library(secret):
    environ = {"CONCORD_LLM_KEY_FILE": secret}
    provide_model_key(read_settings(environ), environ)
    assert environ["CONCORD_LLM_KEY"] == "of a file"
    assert read_settings(environ)["CONCORD_LLM_KEY"] == "of a file"  # by processes that this one starts
