"""The command on a site that runs already, what it refuses, and that a site which forgets is found out."""

import json
import signal

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from survey_site.batches.models import Batch
from survey_site.batches.services import launch_batch
from survey_site.corpus.models import Corpus
from survey_site.rehearsal.services import make_rehearsal_batch
from survey_site.rehearsal.site import _environment, own_database
from survey_site.survey.models import Entry, Rating
from survey_site.survey.pages import views
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_rater


@pytest.fixture
def batch(transactional_db):
    return make_batch(corpus=make_corpus(documents=3))


def rehearse(capsys, *arguments):
    """The record and the exit status."""
    status = 0
    try:
        call_command("rehearse", "--raters", "6", "--json", *map(str, arguments))
    except SystemExit as end:
        status = end.code
    return json.loads(capsys.readouterr().out), status


def test_a_site_that_runs_already(capsys, live_server, batch):
    record, status = rehearse(capsys, "--url", live_server.url, "--batch", batch.pk)
    assert (status, record["violations"]) == (0, [])
    assert record["checked"]["ratings"] == Rating.objects.count() > 0


def test_a_site_that_acknowledges_and_forgets(capsys, live_server, batch, monkeypatch):
    def acknowledge(*, answers, **_rest):
        return {code: Rating(value=int(value)) for code, value in answers.items()}

    for service in ("save_open_ratings", "save_ratings"):
        monkeypatch.setattr(views, service, acknowledge)
    record, status = rehearse(capsys, "--url", live_server.url, "--batch", batch.pk)
    assert status == 1
    assert {one["invariant"] for one in record["violations"]} == {"ratings", "history", "returns"}
    lost = [one for one in record["violations"] if one["rater"].endswith("(leaves)")]
    assert lost[0]["detail"].startswith("stored is None, it should be ")
    assert lost[0]["questionnaire"] in {1, 2, 3}
    assert {one["item"] for one in lost} == {lost[0]["item"]}


def test_a_site_that_fails(capsys, live_server, batch, monkeypatch):
    def fail(**_rest):
        raise RuntimeError("disk full")

    monkeypatch.setattr(views, "submit_questionnaire", fail)
    record, status = rehearse(capsys, "--url", live_server.url, "--batch", batch.pk)
    assert status == 1
    details = {one["detail"] for one in record["violations"]}
    assert details == {
        "submit was answered with status 500",
        "could not go on: no good answer, the last: status 500",
    }


def test_the_summary_says_that_all_held(capsys, live_server, batch):
    before = signal.getsignal(signal.SIGTERM)
    call_command("rehearse", "--raters", "6", "--url", live_server.url, "--batch", str(batch.pk))
    assert capsys.readouterr().out.endswith("0 violations: every invariant held.\n")
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--raters", "5"], "--raters: at least 6"),
        (["--web-processes", "0"], "--web-processes: at least 1"),
        (["--url", "http://127.0.0.1:1"], "--url and --batch belong together"),
        (["--batch", "1"], "--url and --batch belong together"),
        (["--url", "http://127.0.0.1:1", "--batch", "1", "--chaos"], "leave out --url"),
        (["--url", "http://127.0.0.1:1", "--batch", "0"], "There is no batch 0"),
    ],
)
@pytest.mark.django_db
def test_what_cannot_be_rehearsed_is_refused(arguments, message):
    with pytest.raises(CommandError, match=message):
        call_command("rehearse", *arguments)


@pytest.mark.django_db
def test_a_batch_with_raters_not_live_or_not_open_is_refused():
    draft, used, invited = make_batch(launched=False), make_batch(), make_batch(launched=False)
    make_rater(used)
    save_participation(batch=invited, settings=ParticipationSettings(entry=Entry.INVITATION), now=NOW)
    launch_batch(batch=invited, now=NOW)
    refusals = {draft: "is draft, not live", used: "has 1 raters already", invited: "lets in only whom"}
    for batch, message in refusals.items():
        with pytest.raises(CommandError, match=message):
            call_command("rehearse", "--url", "http://127.0.0.1:1", "--batch", str(batch.pk))


@pytest.mark.django_db
@pytest.mark.parametrize(("raters", "questionnaires"), [(6, 6), (40, 30), (5000, 288)])
def test_there_are_fewer_places_than_the_raters_could_take(raters, questionnaires):
    batch = make_rehearsal_batch(raters=raters, seed=1, now=NOW)
    assert batch.questionnaires.count() == questionnaires
    assert batch.is_live
    assert Corpus.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_database_of_its_own_leaves_the_configured_one_alone(tmp_path, monkeypatch):
    make_batch()
    name = connections["default"].settings_dict["NAME"]
    monkeypatch.setenv("DATABASE_URL", f"postgres://ada@db.example:5432/{name}?sslmode=require")
    with own_database(tmp_path) as variables:
        own = connections["default"].settings_dict["NAME"]
        assert own != name
        assert connections["default"].introspection.table_names() == []
        if variables:
            expected = f"postgres://ada@db.example:5432/{own}?sslmode=require"
            assert variables == {"DATABASE_URL": expected}
        else:
            assert own == str(tmp_path / "concord.sqlite3")
    assert connections["default"].settings_dict["NAME"] == name
    assert Batch.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_secrets_in_files_are_those_of_the_site_and_not_of_the_rehearsed_one(tmp_path, monkeypatch):
    """A variable and a file of it would both be set, which settings refuse."""
    for name in ("DATABASE_URL", "SECRET_KEY", "DATABASE_PASSWORD"):
        (tmp_path / name).write_text("postgres://ada@db.example/concord", encoding="utf-8")
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(f"{name}_FILE", str(tmp_path / name))
    with own_database(tmp_path) as variables:
        found = _environment(tmp_path, variables)
    assert {"DATABASE_URL_FILE", "SECRET_KEY_FILE"}.isdisjoint(found)
    assert found["DATABASE_PASSWORD_FILE"] == str(tmp_path / "DATABASE_PASSWORD")
