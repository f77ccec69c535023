import stat
from datetime import UTC, datetime

import pytest
from django.contrib.auth import authenticate

from survey_site.batches.models import Batch, Item
from survey_site.corpus.models import Corpus, System
from survey_site.demo.prompts import RULES
from survey_site.demo.services import (
    COMPLETION,
    DOCUMENTS,
    MEASURES,
    PROMPTS_NAME,
    SIMULATED_RATERS,
    ensure_logins,
    prepare_demo,
)
from survey_site.model_raters.models import ModelRating, ModelRun
from survey_site.reports.models import Report
from survey_site.studies.models import Study
from survey_site.survey.models import Assignment, Rater, Rating

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TABLES = (Corpus, Batch, Item, Rater, Assignment, Rating, Report, ModelRun, ModelRating, Study)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path


def prepare():
    steps: list[str] = []
    return prepare_demo(now=NOW, say=steps.append), steps


def test_the_demo_does_the_main_job_once_and_running_it_again_duplicates_nothing():
    demo, steps = prepare()
    places = DOCUMENTS * 2 * demo.batch.raters
    assert demo.batch.is_live
    assert set(Rater.objects.values_list("simulated", flat=True)) == {True}
    done = Assignment.objects.filter(state="submitted", questionnaire__batch=demo.batch)
    assert done.values("rater").distinct().count() == SIMULATED_RATERS
    assert done.count() == round(places * COMPLETION)
    assert demo.report.is_done
    assert {(row["measure"], row["n"]) for row in demo.report.result["correlations"]} == {
        (measure, 10) for measure in MEASURES
    }
    assert (demo.model_run.is_done, demo.model_run.requests) == (True, 0)
    assert demo.model_run.record["left_out"].keys() == {"unreadable"}
    assert demo.model_run.record["pairs"] == demo.model_run.ratings.count()
    prompted = System.objects.filter(corpus__name=PROMPTS_NAME)
    assert {system.generated["system"] for system in prompted} == {system.name for system in prompted}
    assert (demo.study.users, demo.study.summaries) == (12, 24)
    assert steps[-1] == "Built the correlation report."
    before = {table: set(table.objects.values_list("pk", flat=True)) for table in TABLES}
    again, steps = prepare()
    assert {table: set(table.objects.values_list("pk", flat=True)) for table in TABLES} == before
    assert (again.batch, again.report, again.logins) == (demo.batch, demo.report, demo.logins)
    assert [step.split()[0] for step in steps] == ["Found"] * 10


def test_passwords_are_drawn_once_and_only_the_owner_may_read_them(tmp_path):
    logins = ensure_logins(NOW)
    assert [(login.username, login.role) for login in logins] == [
        ("demo-admin", "admin"),
        ("demo-researcher", "researcher"),
    ]
    assert logins[0].password != logins[1].password
    assert ensure_logins(NOW) == logins
    assert authenticate(username="demo-admin", password=logins[0].password) is not None
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*.password")}
    assert modes == {0o600}


def test_a_half_finished_demo_is_finished(monkeypatch):
    def interrupted(**_arguments):
        raise KeyboardInterrupt

    small = {"DOCUMENTS": 3, "SIMULATED_RATERS": 2, "MEASURES": ("jsd",)}
    for name, value in small.items():
        monkeypatch.setattr(f"survey_site.demo.services.{name}", value)
    with monkeypatch.context() as patch:
        patch.setattr("survey_site.demo.services.simulate_raters", interrupted)
        with pytest.raises(KeyboardInterrupt):
            prepare()
    assert (Batch.objects.count(), Rating.objects.count()) == (1, 0)
    demo, _ = prepare()
    assert (Batch.objects.count(), demo.report.is_done, demo.prompts_report.is_done) == (2, True, True)
    found = demo.prompts_report.read()
    orders = found.inference.further.prompt_orders
    # Of what the other rule wrote, the same for every prompt, one counts: there is nothing to put in order.
    assert {(row.side, row.model) for row in orders} == {
        (side, RULES["rule-reads"]) for side in ("automatic", "human")
    }
    assert any(RULES["rule-repeats"] in note for note in found.notes)
