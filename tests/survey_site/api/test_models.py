"""Models that rate a batch for a program: nothing leaves before it was seen what, where and at what price."""

import csv
import io

import pytest

from survey_site.accounts.audit import audit_entries
from survey_site.model_raters import stopping
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.queries import pairs_of
from survey_site.model_raters.services import execute_run
from survey_site.scoring import jobs
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.model_raters import MODEL, configured, run_one
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db

ASKED = {"models": [MODEL]}


@pytest.fixture(autouse=True)
def _alone(monkeypatch, settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path
    monkeypatch.setattr(stopping, "LOOK_SECONDS", 3600)
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 3600)


@pytest.fixture
def server(settings):
    with configured(settings) as running:
        yield running


@pytest.fixture
def batch():
    return make_rated_batch()


@pytest.fixture
def program():
    return make_program()


def begun(program, batch, **changed):
    seen = program.post(f"batches/{batch.pk}/models/plan/", ASKED).json()["seen"]
    body = {**ASKED, "seen": seen, "confirmed": True, **changed}
    return program.post(f"batches/{batch.pk}/models/", body, Idempotency_Key="one")


def test_without_a_model_there_is_none_to_ask(program, batch):
    assert program.get("models/").json()["models"] == []
    path = f"batches/{batch.pk}/models/"
    assert [program.get(path).status_code, program.post(f"{path}plan/", ASKED).status_code] == [404, 404]


def test_a_plan_says_what_leaves_and_sends_nothing(server, program, batch, settings):
    settings.CONCORD_LLM_PRICE_IN, settings.CONCORD_LLM_PRICE_OUT = 1.0, 2.0
    assert program.get("models/").json()["models"] == [MODEL]
    plan = program.post(f"batches/{batch.pk}/models/plan/", ASKED).json()
    (one,) = plan["models"]
    assert (one["model"], one["pairs"], one["new"]) == (MODEL, len(pairs_of(batch)), one["requests"])
    assert plan["host"] == server.url.split("/")[2] == program.get("models/").json()["host"]
    assert plan["total"]["requests"] == one["requests"]
    tokens = one["prompt_tokens"], one["completion_tokens"]
    assert plan["total"]["cost"] == pytest.approx((tokens[0] + 2 * tokens[1]) / 1e6)
    assert (server.seen.bodies, ModelRun.objects.count()) == ([], 0)


def test_what_was_not_seen_or_confirmed_is_not_begun(server, program, batch):
    assert begun(program, batch, confirmed=False).status_code == 422
    assert begun(program, batch, seen="other").status_code == 409
    assert begun(program, batch, draws=2, temperature=1).status_code == 409
    assert begun(program, batch, draws=2).status_code == 422
    assert begun(program, batch, models=["another"]).json()["errors"][0]["field"] == "models"
    assert not ModelRun.objects.exists()
    draft = make_batch(launched=False, corpus=batch.corpus)
    assert program.post(f"batches/{draft.pk}/models/plan/", ASKED).status_code == 409


def test_a_run_is_begun_once_watched_ended_and_gone_on_with(server, program, batch):
    made = begun(program, batch)
    assert made.status_code == 202
    (run,) = made.json()["runs"]
    again = begun(program, batch)
    assert (again.headers["Idempotency-Replayed"], ModelRun.objects.count()) == ("true", 1)
    path = f"batches/{batch.pk}/models/{run['id']}/"
    assert program.get(path).json() == run
    assert (run["state"], run["rated"], run["mean_rating"]) == ("queued", 0, None)
    assert program.get(f"{path}files/ratings.csv").status_code == 409
    assert program.post(f"{path}cancel/").json()["state"] == "failed"
    assert program.post(f"{path}retry/").json()["state"] == "queued"
    execute_run(run=ModelRun.objects.get(), clock=lambda: NOW)
    done = program.get(path).json()
    assert (done["state"], done["percent"], done["rated"]) == ("done", 100, done["pairs"])
    assert program.get(f"batches/{batch.pk}/models/").json()["results"] == [done]
    assert audit_entries().get(action="model asked to rate").actor == program.user


def test_what_a_model_said_comes_as_csv_and_json(server, program, batch):
    path = f"batches/{batch.pk}/models/{run_one(batch).pk}/files/"
    rows = program.get(f"{path}ratings.json").json()
    table = list(csv.DictReader(io.StringIO(program.get(f"{path}ratings.csv").content.decode())))
    assert [{name: str(value) for name, value in row.items()} for row in rows] == table
    assert {row["rater"] for row in table} == {f"model:{MODEL}"}
    means = program.get(f"{path}means.json").json()
    assert sorted(one["mean"] for one in means) == sorted(float(row["rating"]) for row in table)
    assert program.get(f"{path}answers.jsonl").headers["Content-Type"].startswith("application/jsonl")
    assert program.get(f"{path}nothing.csv").status_code == 404
    assert audit_entries().filter(action="model ratings exported").count() == 4
