"""The declared table of settings: typed, complete, and without a default for a secret."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from survey_site.settings import base
from survey_site.settings.reading import read_settings
from survey_site.settings.table import SETTINGS


def test_each_name_and_variable_is_declared_once():
    assert len({setting.name for setting in SETTINGS}) == len(SETTINGS)
    assert len({setting.env for setting in SETTINGS}) == len(SETTINGS)


def test_each_setting_says_what_it_is_for():
    assert [setting.name for setting in SETTINGS if not setting.help.endswith(".")] == []


def test_a_setting_without_default_says_what_happens_then():
    assert [setting.name for setting in SETTINGS if setting.default is None and not setting.note] == []


def test_the_secret_key_has_no_default():
    assert read_settings({})["SECRET_KEY"] is None


def test_defaults_have_the_declared_type():
    values = read_settings({})
    wrong = [
        setting.name
        for setting in SETTINGS
        if setting.default is not None and not isinstance(values[setting.name], setting.type)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("1", True), ("False", False), ("no", False), ("", False)]
)
def test_booleans_are_words_not_truthiness(text, value):
    assert read_settings({"DEBUG": text})["DEBUG"] is value


def test_lists_are_split_at_commas():
    assert read_settings({"ALLOWED_HOSTS": "a.example, b.example,"})["ALLOWED_HOSTS"] == [
        "a.example",
        "b.example",
    ]


def test_paths_are_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        read_settings({"CONCORD_DATA_DIR": "data"})["CONCORD_DATA_DIR"] == Path(tmp_path).resolve() / "data"
    )


@pytest.mark.parametrize(("variable", "text"), [("DEBUG", "maybe"), ("CONCORD_UPLOAD_LIMIT_MB", "1 GB")])
def test_a_value_that_does_not_parse_names_its_variable(variable, text):
    with pytest.raises(ImproperlyConfigured, match=f"{variable}='{text}' is not a valid"):
        read_settings({variable: text})


def test_defaults_are_not_shared_between_readings():
    read_settings({})["ALLOWED_HOSTS"].append("changed.example")
    assert read_settings({})["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]


def test_sqlite_waits_for_its_turn_to_write():
    assert base.database(None)["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert base.database(None)["OPTIONS"]["timeout"] == 30


def test_another_database_is_chosen_by_url():
    database = base.database("postgres://ada@db.example:5433/concord")
    assert (database["ENGINE"], database["HOST"], database["PORT"], database["NAME"]) == (
        "survey_site.common.postgresql",
        "db.example",
        5433,
        "concord",
    )


def test_a_pooler_by_transactions_is_named_in_the_url():
    database = base.database(
        "postgres://ada@db.example/concord?sslmode=require&DISABLE_SERVER_SIDE_CURSORS=true"
    )
    assert database["DISABLE_SERVER_SIDE_CURSORS"]
    assert database["OPTIONS"] == {"sslmode": "require"}
