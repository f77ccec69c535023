"""Pages of models as raters: what a person is shown before anything leaves, and what nobody is shown."""

import csv
import json
import re
import subprocess
import sys

import pytest
from django.core.exceptions import ValidationError
from django.test import override_settings
from django.urls import reverse

from survey_site.accounts.audit import audit_entries
from survey_site.model_raters import asking, stopping
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.queries import ratings_of
from survey_site.reports.models import Report
from survey_site.reports.scores import StoredScores
from survey_site.reports.services import build_report
from survey_site.scoring import jobs
from tests.factories.batches import NOW, make_batch
from tests.factories.model_raters import MODEL, configured, request_one, run_one
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _alone(monkeypatch, settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path
    monkeypatch.setattr(stopping, "LOOK_SECONDS", 3600)
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 3600)


@pytest.fixture
def batch():
    return make_rated_batch()


def url(name, batch, *more):
    return reverse(f"model_raters:{name}", args=[batch.pk, *more])


def seen_in(response):
    return re.search(r'name="seen" value="(\w+)"', response.content.decode())[1]


def how(**changed):
    return {"models": [MODEL], "both_orders": "on", "draws": "1", "temperature": "0", **changed}


def test_without_a_model_nothing_of_it_is_there(admin_client, batch):
    pages = [batch.get_absolute_url(), reverse("quality:detail", args=[batch.pk]), reverse("reports:new")]
    texts = [admin_client.get(page).content.decode().lower() for page in pages]
    assert [
        word for word in ("language model", "/models/", "models as raters") for text in texts if word in text
    ] == []
    assert [admin_client.get(url(name, batch)).status_code for name in ("list", "new")] == [404, 404]


def test_without_a_model_or_provider_the_site_loads_nothing_that_speaks_to_one():
    starts = (
        "import sys, django; django.setup()\n"
        "SPEAKING = ('meta_eval.llm', 'httpx2', 'authlib', 'joserfc')\n"
        "from django.urls import get_resolver; get_resolver().url_patterns\n"
        "from survey_site.celery import app; app.loader.import_default_modules()\n"
        "print([name for name in sys.modules if name.startswith(SPEAKING)])"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "survey_site.settings.test", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", starts], check=True, capture_output=True, text=True, env=environment
    )
    assert done.stdout.strip() == "[]"


def test_the_page_says_what_would_leave_and_sends_nothing(admin_client, batch, settings):
    settings.CONCORD_LLM_PRICE_IN = settings.CONCORD_LLM_PRICE_OUT = 100.0
    with configured(settings) as server:
        text = admin_client.get(url("new", batch)).content.decode()
    host = server.url.split("/")[2]
    assert f"<dt>Where it goes</dt><dd><strong>{host}</strong></dd>" in text
    assert "<dt>Pairs of texts</dt><dd>12</dd>" in text
    assert "<dt>Requests</dt><dd>15</dd>" in text
    assert "<dt>Cost</dt><dd>about 0." in text
    assert batch.question in text
    assert server.requests == 0


def test_a_run_begins_only_with_what_was_shown_and_confirmed(admin_client, batch, settings):
    page = url("new", batch)
    with configured(settings):
        seen = seen_in(admin_client.get(page))
        unconfirmed = admin_client.post(page, how(begin="1", seen=seen))
        changed = admin_client.post(page, how(begin="1", seen=seen, confirmed="on", both_orders=""))
        assert (unconfirmed.status_code, changed.status_code) == (422, 422)
        assert "Confirm that these texts may be sent there." in unconfirmed.content.decode()
        assert "look at it, then confirm" in changed.content.decode()
        assert ModelRun.objects.count() == 0
        begun = admin_client.post(page, how(begin="1", seen=seen, confirmed="on"))
    run = ModelRun.objects.get()
    assert (begun.status_code, begun.headers["Location"]) == (302, run.get_absolute_url())
    assert (run.is_waiting, run.created_by.username) == (True, "adam")


def test_other_choices_are_shown_before_they_are_confirmed(admin_client, batch, settings):
    with configured(settings):
        look = admin_client.post(url("new", batch), how(look="1", both_orders="")).content.decode()
        wrong = admin_client.post(url("new", batch), how(look="1", draws="3")).content.decode()
    assert "<dt>Requests</dt><dd>9</dd>" in look
    assert "3 draws at temperature 0 would be the same reply 3 times." in wrong


def test_several_models_are_begun_together(admin_client, batch, settings):
    with configured(settings):
        settings.CONCORD_LLM_MODELS = [MODEL, "judge-2"]
        both = how(models=[MODEL, "judge-2"])
        seen = seen_in(admin_client.post(url("new", batch), {**both, "look": "1"}))
        begun = admin_client.post(url("new", batch), {**both, "begin": "1", "seen": seen, "confirmed": "on"})
    assert begun.headers["Location"] == url("list", batch)
    assert list(ModelRun.objects.values_list("name", flat=True)) == [MODEL, "judge-2"]


def test_a_run_above_the_limit_is_not_begun(admin_client, batch, settings):
    settings.CONCORD_LLM_TOKENS_PER_RUN = 100
    with configured(settings):
        page = admin_client.get(url("new", batch))
        begun = admin_client.post(url("new", batch), how(begin="1", seen=seen_in(page), confirmed="on"))
    assert "more tokens than this site allows a run" in page.content.decode()
    assert (begun.status_code, ModelRun.objects.count()) == (422, 0)


def test_progress_result_and_cancelling_are_shown(admin_client, batch, settings):
    with configured(settings):
        run = request_one(batch)
        waiting = admin_client.get(url("progress", batch, run.pk)).content.decode()
        admin_client.post(url("cancel", batch, run.pk))
        cancelled = admin_client.get(run.get_absolute_url()).content.decode()
        run = run_one(batch, both_orders=False)
        done = admin_client.get(run.get_absolute_url()).content.decode()
        side_by_side = admin_client.get(url("list", batch)).content.decode()
    assert "Waiting for a worker" in waiting
    assert "0 of 15" in waiting
    assert "What was answered is kept" in cancelled
    assert "12 of 12 pairs are rated." in done
    assert f"{MODEL} (2)" in side_by_side
    assert "12 of 12" in side_by_side
    assert "0 of 12" in side_by_side


def test_researchers_read_and_do_not_begin(researcher_client, batch, settings):
    with configured(settings):
        run = run_one(batch)
        codes = [researcher_client.get(url(name, batch)).status_code for name in ("list", "new")]
        codes += [researcher_client.post(url("cancel", batch, run.pk)).status_code]
    assert codes == [200, 403, 403]


def test_downloads_are_the_files_of_judge_pairs_and_are_written_down(researcher_client, batch, settings):
    with configured(settings):
        run = run_one(batch)
    names = ("run-ratings", "means", "answers")
    files = [researcher_client.get(url(name, batch, run.pk)).content.decode() for name in names]
    every = researcher_client.get(url("ratings", batch)).content.decode()
    ratings, means = (list(csv.DictReader(file.splitlines())) for file in files[:2])
    assert list(ratings[0]) == ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    assert [int(row["rating"]) for row in ratings] == [one.rating for one in ratings_of([run])]
    assert {float(row["mean"]) for row in means} == {4.0, 6.0}
    assert [json.loads(line)["order"] for line in files[2].splitlines()[:2]] == ["ab", "ba"]
    assert every == files[0]
    assert audit_entries(action="model ratings exported").count() == 4


def test_the_ratings_of_people_hold_no_model(researcher_client, batch, settings):
    page = reverse("batches:ratings", args=[batch.pk])
    before = b"".join(researcher_client.get(page).streaming_content)
    with configured(settings):
        run_one(batch)
    assert b"".join(researcher_client.get(page).streaming_content) == before


def test_a_report_takes_the_runs_that_are_chosen(researcher_client, batch, settings):
    with configured(settings):
        run, other = run_one(batch), run_one(make_rated_batch())
        assert MODEL in researcher_client.get(reverse("reports:new")).content.decode()
        report = make_report(batch=batch, built=False, model_runs=[run])
        refused = researcher_client.post(
            reverse("reports:new"),
            {"batch": batch.pk, "measures": "jsd", "surrogates": "jsd", "model_runs": [other.pk]},
        )
    stored = StoredScores.request(report, None, progress=None, clock=lambda: NOW)
    assert [(one.rater, len(one.answers)) for one in stored.models] == [(f"model:{MODEL}", 24)]
    assert report.options["model_runs"] == [run.key]
    assert refused.status_code == 422


def test_the_epsilon_that_a_report_was_asked_for_is_that_of_its_test(researcher_client, batch, settings):
    with configured(settings):
        run = run_one(batch)
    new = researcher_client.get(reverse("reports:new")).context["form"]
    offered = {field.name: field.initial for field in new if field.initial is not None}
    chosen = {"batch": batch.pk, "measures": "jsd", "surrogates": "jsd", "model_runs": [run.pk]}
    form = {**offered, **chosen, "resamples": "1000"}
    refused = researcher_client.post(reverse("reports:new"), {**form, "epsilon": "1.5"})
    taken = researcher_client.post(reverse("reports:new"), {**form, "epsilon": "0.2"})
    report = build_report(report=Report.objects.get(), clock=lambda: NOW)
    (row,) = report.read().inference.stand_in
    assert (refused.status_code, list(refused.context["form"].errors)) == (422, ["epsilon"])
    assert taken.headers["Location"] == report.get_absolute_url()
    assert (report.options["epsilon"], row.alternative_annotator_test.epsilon) == (0.2, 0.2)
    usual = make_report(batch=batch, built=False, model_runs=[run])
    assert (usual.options["epsilon"], usual.options["mixed"]) == (0.1, False)


def test_a_mixed_survey_is_in_a_report_that_was_asked_for_it_alone(researcher_client, batch, settings):
    with configured(settings):
        run = run_one(batch)
    new = researcher_client.get(reverse("reports:new")).context["form"]
    offered = {field.name: field.initial for field in new if field.initial is not None}
    chosen = {"batch": batch.pk, "measures": "jsd", "surrogates": "jsd", "model_runs": [run.pk]}
    found = {}
    for ticked in ({}, {"mixed": "on"}):
        form = {**offered, **chosen, "resamples": "1000", **ticked}
        address = researcher_client.post(reverse("reports:new"), form).headers["Location"]
        report = build_report(report=Report.objects.latest("pk"), clock=lambda: NOW)
        (row,) = report.read().inference.stand_in
        text = researcher_client.get(address).content.decode()
        found["mixed" in ticked] = (row.asks_mixed, "What a mixed survey would buy" in text)
    assert found == {False: (False, False), True: (True, True)}


def test_epsilon_is_asked_for_beside_models_alone(researcher_client, batch, settings):
    before = researcher_client.get(reverse("reports:new")).content.decode()
    with configured(settings):
        run_one(batch)
    after = researcher_client.get(reverse("reports:new")).content.decode()
    for name in ("epsilon", "mixed"):
        assert (f'name="{name}"' in before, f'name="{name}"' in after) == (False, True)
        assert name not in make_report(batch=batch, built=False).options


@pytest.mark.parametrize("wrong", [-0.1, 1.5, float("nan")])
def test_another_epsilon_is_refused_where_models_stand_beside_people(wrong, batch, settings):
    with configured(settings):
        run = run_one(batch)
    with pytest.raises(ValidationError) as caught:
        make_report(batch=batch, built=False, model_runs=[run], epsilon=wrong)
    assert caught.value.message_dict == {
        "epsilon": ["Give a number from 0 to 1; the paper uses 0.1 for crowd workers."]
    }


def test_a_finished_run_is_shown_where_no_model_is_configured_any_more(admin_client, batch, settings):
    with configured(settings):
        run = run_one(batch)
    settings.CONCORD_LLM_URL, settings.CONCORD_LLM_MODELS = "", []
    assert admin_client.get(run.get_absolute_url()).status_code == 200
    assert admin_client.get(url("new", batch)).status_code == 404


def test_a_draft_is_not_rated(admin_client, settings):
    draft = make_batch(launched=False)
    with configured(settings):
        response = admin_client.get(url("new", draft))
    assert response.status_code == 409
    assert "Launch it first." in response.content.decode()


@override_settings(CONCORD_LLM_URL="http://127.0.0.1:9/v1", CONCORD_LLM_MODELS=["judge-1"])
def test_pages_of_a_batch_lead_there_where_a_model_is_configured(admin_client, batch):
    for page in (batch.get_absolute_url(), reverse("quality:detail", args=[batch.pk])):
        assert url("new", batch) in admin_client.get(page).content.decode()


def test_a_look_at_the_page_makes_no_key_of_a_run(admin_client, batch, settings, monkeypatch):
    made = []
    monkeypatch.setattr(asking, "request_key", lambda *_: made.append(1))
    with configured(settings):
        assert admin_client.get(url("new", batch)).status_code == 200
    assert made == []
