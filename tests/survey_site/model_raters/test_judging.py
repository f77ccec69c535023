"""A model judges a batch's summaries in readers' places: what it is asked, its pages and reports."""

import json
import re

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from meta_eval.publish.bundle.verifying import verify_bundle
from meta_eval.publish.bundle.writing import write_bundle
from survey_site.accounts.audit import audit_entries
from survey_site.corpus.queries import load_corpus
from survey_site.model_raters import judging, stopping
from survey_site.model_raters.choices import JudgeChoice
from survey_site.model_raters.judging import prepare_judge
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.queries import finished_judges, finished_runs, judges_of, runs_of
from survey_site.model_raters.services import cancel_run, execute_run, request_runs
from survey_site.model_raters.storage import replies_folder
from survey_site.reports.beside import judged_run
from survey_site.reports.bundles.content import bundle_content
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus
from survey_site.survey.models import Rating
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.llm_server import Play, prompt_of
from tests.factories.model_raters import MODEL, configured, run_one
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch, make_scored_corpus
from tests.meta_eval.studies.perse.judging import FENCED

pytestmark = pytest.mark.django_db

QUESTIONS = 3 * 3 * 3 * 3
"""Documents, systems, readers, and readers whose profile is shown."""


@pytest.fixture(autouse=True)
def _alone(monkeypatch, settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path
    monkeypatch.setattr(stopping, "LOOK_SECONDS", 3600)
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 3600)


@pytest.fixture
def batch():
    return make_rated_batch()


def by_length(body, _times):
    """More for longer summaries, whatever the profile: so one text for all readers gains nothing."""
    summary = FENCED.findall(prompt_of(body))[-1][1]
    return Play(json.dumps({"reason": "It is long.", "score": min(10, len(summary.split()))}))


def request_judge(batch, **choice):
    prepared = prepare_judge(batch, JudgeChoice(**{"model": MODEL, **choice}))
    return request_runs(batch=batch, prepared=[prepared], now=NOW)[0]


def judge_one(batch, **choice):
    run = execute_run(run=request_judge(batch, **choice), clock=lambda: NOW)
    run.refresh_from_db()
    return run


def url(name, batch, *more):
    return reverse(f"model_raters:{name}", args=[batch.pk, *more])


def how(**changed):
    return {
        "model": MODEL, "profile_size": "2", "own": "on", "shuffled": "on", "draws": "1", "temperature": "0",
        **changed,
    }  # fmt: skip


def seen_in(response):
    return re.search(r'name="seen" value="(\w+)"', response.content.decode())[1]


def test_it_judges_every_summary_under_every_reader_and_the_control(batch, settings):
    people = list(Rating.objects.order_by("pk").values())
    with configured(settings, by_length) as server:
        run = judge_one(batch)
    assert (run.status, run.error, run.done) == (JobStatus.DONE, "", run.total)
    assert server.requests == run.requests == run.total
    assert (run.record["questions"], run.record["answered"]) == (QUESTIONS, QUESTIONS)
    assert [one["questions"] for one in run.record["control"]] == [QUESTIONS]
    scores = run.record["scores"]
    assert scores["perse Mixed"] > scores["perse Copy"] > scores["perse Same"] == pytest.approx(1 / 9)
    assert [scores[f"perse-own {name}"] for name in ("Copy", "Mixed", "Same")] == [0.0, 0.0, 0.0]
    assert list(Rating.objects.order_by("pk").values()) == people != []
    assert not run.ratings.exists()


def test_it_says_why_answers_are_missing(batch, settings):
    def too_long_where_odd(body, times):
        is_odd = len(FENCED.findall(prompt_of(body))[-1][1].split()) % 2
        return Play(status=400, error="maximum context length is 8") if is_odd else by_length(body, times)

    with configured(settings, too_long_where_odd):
        record = judge_one(batch).record
    missing = record["questions"] - record["answered"]
    assert (missing > 0, record["left_out"]) == (True, {"prompt too long": missing})
    assert [one["left_out"] for one in record["control"]] == [record["left_out"]]


def test_it_is_a_judge_and_no_rater(batch, settings):
    with configured(settings, by_length):
        judge = judge_one(batch, own=False, shuffled=False)
    with configured(settings):
        rater = run_one(batch)
    assert (list(judges_of(batch)), list(runs_of(batch))) == ([judge], [rater])
    assert (list(finished_judges()), list(finished_runs())) == ([judge], [rater])
    assert rater.name == f"{MODEL} (2)"


def test_only_documents_and_systems_of_the_batch_are_asked_about(settings):
    batch = make_batch(corpus=make_scored_corpus(), documents=2, systems_per_questionnaire=3)
    with configured(settings, by_length):
        (prepared,) = [prepare_judge(batch, JudgeChoice(model=MODEL, own=False, shuffled=False))]
    plan = prepared.options["plan"]
    rated = {str(key) for key in batch.questionnaires.values_list("document__key", flat=True)}
    assert (set(plan["only"]), len(plan["only"])) == (rated, 2)
    assert len(prepared.questions) == 2 * 3 * 3


def test_more_questions_than_fit_are_refused_before_any_is_made(admin_client, batch, settings, monkeypatch):
    page = url("judge", batch)
    with configured(settings, by_length):
        monkeypatch.setattr(judging, "MOST_QUESTIONS", 2 * QUESTIONS)
        assert admin_client.get(page).status_code == 200
        monkeypatch.setattr(judging, "MOST_QUESTIONS", 2 * QUESTIONS - 1)
        monkeypatch.delattr(judging, "_questions")
        refused = admin_client.get(page)
    assert refused.status_code == 422
    assert f"This would be up to {2 * QUESTIONS} questions" in refused.content.decode()


def test_nothing_that_is_sent_names_a_system_a_reader_or_a_document(batch, settings):
    with configured(settings, by_length) as server:
        judge_one(batch)
    corpus = load_corpus(batch.corpus)
    hidden = {*corpus.systems, *corpus.readers, *(one.id for one in corpus.documents), batch.name}
    bodies = [json.loads(body) for body in server.seen.bodies]
    sent = "\n".join(message["content"] for body in bodies for message in body["messages"])
    assert [word for word in sorted(hidden) if re.search(rf"\b{re.escape(word)}\b", sent)] == []


def test_a_run_that_fails_goes_on_where_it_ended(batch, settings):
    def fails(body, times):
        return by_length(body, times) if len(seen.bodies) <= 20 else Play(status=401, error="who are you")

    with configured(settings, fails) as server:
        seen = server.seen
        settings.CONCORD_LLM_CONCURRENT = 1
        run = judge_one(batch)
        assert run.is_failed
        assert "who are you" in run.error
        asked = run.total - 20
        server.seen.bodies.clear()
        seen = type("Nothing", (), {"bodies": ()})
        again = judge_one(batch)
        assert (again.pk, again.is_done, server.requests) == (run.pk, True, asked)


def test_a_cancelled_one_is_over(batch, settings):
    with configured(settings, by_length) as server:
        run = cancel_run(run=request_judge(batch), now=NOW)
        execute_run(run=run, clock=lambda: NOW)
    assert (ModelRun.objects.get().is_cancelled, server.requests) == (True, 0)


def test_an_admin_sees_what_leaves_and_confirms_it(admin_client, researcher_client, batch, settings):
    page = url("judge", batch)
    with configured(settings, by_length) as server:
        assert researcher_client.get(page).status_code == 403
        shown = admin_client.get(page).content.decode()
        assert "<dt>Documents</dt><dd>3, those that people rate</dd>" in shown
        assert server.url.split("/")[2] in shown
        looked = admin_client.post(page, how(look="1"))
        unconfirmed = admin_client.post(page, how(begin="1", seen=seen_in(looked)))
        changed = admin_client.post(page, how(begin="1", seen=seen_in(looked), confirmed="on", own=""))
        assert (unconfirmed.status_code, changed.status_code, server.requests) == (422, 422, 0)
        begun = admin_client.post(page, how(begin="1", seen=seen_in(looked), confirmed="on"))
    run = ModelRun.objects.get()
    assert (begun.headers["Location"], run.options["plan"]["size"]) == (run.get_absolute_url(), 2)
    entry = audit_entries().get(action="model asked to judge")
    assert (entry.actor.username, entry.detail["documents"]) == ("adam", 3)


def test_its_page_shows_scores_and_gives_the_folder_that_the_command_takes(admin_client, batch, settings):
    with configured(settings, by_length):
        run = judge_one(batch)
        shown = admin_client.get(run.get_absolute_url()).content.decode()
        listed = admin_client.get(url("list", batch)).content.decode()
        files = {
            name: admin_client.get(url(f"judge-{name}", batch, run.pk)).content
            for name in ("scores.json", "judged.jsonl", "run.json", "replies.jsonl")
        }
    row = '<th scope="row">Same</th><td class="num">0.111</td><td class="num">0.000</td>'
    assert row in shown
    assert "an interval needs at least 10" in shown
    assert "Judges in readers’ places" in listed
    records = json.loads(files["scores.json"])
    assert {(one["measure"], one["system"]): one["accuracy"] for one in records}["perse", "Same"] == 1 / 9
    assert len(files["judged.jsonl"].splitlines()) == 2 * QUESTIONS
    assert len(files["replies.jsonl"].splitlines()) == run.total
    assert json.loads(files["run.json"])[0]["decisions"]["ours"]


def test_a_report_takes_it_and_its_bundle_proves_it(admin_client, batch, settings, tmp_path):
    """Where kept replies are lost, too: the run holds its own."""
    with configured(settings, by_length):
        run = judge_one(batch)
    replies_folder(batch.pk).rename(replies_folder(batch.pk).with_name("lost"))
    report = make_report(batch=batch, judge=run, resamples=1000)
    assert (report.status, report.options["judge"]) == (JobStatus.DONE, run.key)
    study = report.read().inference.judged
    assert {f"{row.measure} {row.system}": row.estimate for row in study.systems} == pytest.approx(
        run.record["scores"], abs=1e-12
    )
    assert report.read().inference.stand_in == ()
    page = admin_client.get(report.get_absolute_url()).content.decode()
    assert '<h2 id="judged">Judged in readers’ places</h2>' in page
    assert f"{MODEL} answered {QUESTIONS} of {QUESTIONS} questions." in page
    sealed = tmp_path / "bundle.zip"
    with sealed.open("wb") as stream:
        write_bundle(stream, bundle_content(report))
    found = verify_bundle(sealed)
    assert found.differences == ()
    assert found.not_recomputed == ()


def test_a_judge_that_was_asked_with_another_prompt_is_said_to_be_outdated(admin_client, batch, settings):
    with configured(settings, by_length):
        run = judge_one(batch, own=False, shuffled=False)
    report = make_report(batch=batch, judge=run, resamples=1000)
    run.record["prompt_digest"] = "of another version"
    run.save(update_fields=["record"])
    file = admin_client.get(url("judge-scores.json", batch, run.pk))
    bundle = admin_client.get(reverse("reports:bundle", args=[report.pk]))
    for refused in (file, bundle):
        assert refused.status_code == 409
        assert "the judge was asked with another prompt (of another vers" in refused.content.decode()
    again = make_report(batch=batch, judge=run, resamples=1000, seed=1)
    assert again.status == JobStatus.FAILED
    assert "another prompt" in again.error


def test_the_form_of_a_report_has_a_tick_for_it(admin_client, batch, settings):
    form = f"{reverse('reports:new')}?batch={batch.pk}"
    assert "readers’ places" not in admin_client.get(form).content.decode()
    with configured(settings, by_length):
        before = admin_client.get(form).content.decode()
        assert url("judge", batch) in before
        assert 'name="judge"' not in before
        run = judge_one(batch, own=False, shuffled=False)
        offered = re.findall(r'name="judge" value="(\d*)"', admin_client.get(form).content.decode())
        assert offered == ["", str(run.pk)]
        chosen = {
            "batch": batch.pk, "measures": "jsd", "surrogates": "jsd", "judge": run.pk,
            "normalise": "document", "alpha": 3, "beta": 1.7, "gamma": 4, "p_acc_alpha": 0.5, "p_acc_beta": 1,
            "mode": "paper", "resampled": "documents", "resamples": 1000, "adjustment": "holm", "seed": 0,
        }  # fmt: skip
        asked = admin_client.post(reverse("reports:new"), chosen)
    assert asked.status_code == 302, asked.content.decode()
    report = batch.reports.get()
    assert (list(report.model_runs.all()), report.options["judge"]) == ([run], run.key)
    assert judged_run(report, load_corpus(batch.corpus)).judged[0].scores[0].measure == "perse"


def test_a_report_refuses_what_is_no_judge_of_its_batch(batch, settings):
    with configured(settings, by_length):
        waits, elsewhere = request_judge(batch), judge_one(make_rated_batch(), own=False, shuffled=False)
    with configured(settings):
        rater = run_one(batch)
    for wrong, said in (
        (waits, "is not done"), (elsewhere, "judged summaries of"), (rater, "rates pairs"),
    ):  # fmt: skip
        with pytest.raises(ValidationError, match=said) as error:
            make_report(batch=batch, built=False, judge=wrong)
        assert list(error.value.message_dict) == ["judge"]
    with pytest.raises(ValidationError, match="judges single summaries and rates no pair"):
        make_report(batch=batch, built=False, model_runs=[waits])


def test_a_program_asks_for_a_report_with_a_judge_and_sees_it_among_no_raters(batch, settings):
    program = make_program()
    with configured(settings, by_length):
        run = judge_one(batch, own=False, shuffled=False)
    asked = {"batch": batch.pk, "measures": ["jsd"], "surrogates": ["jsd"], "judge": run.pk}
    taken = program.post("reports/", asked)
    assert taken.status_code == 202, taken.json()
    assert batch.reports.get().options["judge"] == run.key
    assert program.get(f"batches/{batch.pk}/models/").json()["results"] == []
    assert program.get(f"batches/{batch.pk}/models/{run.pk}/").status_code == 404
    absent = program.post("reports/", {**asked, "judge": run.pk + 100})
    assert [one["field"] for one in absent.json()["errors"]] == ["judge"]
