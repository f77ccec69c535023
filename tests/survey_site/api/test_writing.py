"""What programs do: the acts of staff's pages, with their rules, their audit log and their refusals."""

import pytest
from django.utils import timezone

from survey_site.accounts.models import AuditEntry
from survey_site.batches.models import Batch
from survey_site.quality import freeze_jobs
from survey_site.quality.models import Exclusion, Freezing
from survey_site.reports.models import Report
from survey_site.scoring.models import ScoreRun
from survey_site.survey.people.participation import read_participation
from tests.factories.api import make_program
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus
from tests.factories.model_raters import configured, run_one
from tests.factories.scoring import make_rated_batch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent_to_workers")]


@pytest.fixture
def sent_to_workers(monkeypatch):
    """What would be handed to the workers, once the transaction is committed."""
    sent = []
    monkeypatch.setattr("survey_site.scoring.tasks._send", lambda task, job: sent.append((task.name, job.pk)))
    return sent


@pytest.fixture
def program():
    return make_program()


def errors(response):
    assert response.status_code == 422, response.content
    return {one["field"] for one in response.json()["errors"]}


def test_a_plan_with_explicit_settings(program):
    corpus = make_corpus(documents=4, systems=3)
    sent = {
        **{"corpus": corpus.pk, "name": "Pilot", "documents": 2, "raters": 3, "systems": ["S2", "S0"]},
        **{"limit": 5, "document_shown": False, "equal_pairs_once": True, "one_typography": True},
    }
    names = list(corpus.systems.values_list("name", flat=True))
    sent["systems"] = [names[2], names[0]]
    answer = program.post("batches/", sent)
    batch = Batch.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (201, f"/api/v1/batches/{batch.pk}/")
    assert (batch.created_by, batch.raters, batch.documents, batch.document_shown) == (
        program.user,
        3,
        2,
        False,
    )
    assert batch.equal_pairs_once is answer.json()["equal_pairs_once"] is True
    assert batch.one_typography is answer.json()["one_typography"] is True
    assert answer.json()["systems"] == [names[0], names[2]]
    assert read_participation(batch).limit == 5
    assert AuditEntry.objects.get(action="batch planned").actor == program.user


def test_a_preset_is_a_whole_design_and_what_is_asked_comes_before_it(program):
    corpus = make_corpus(documents=4, systems=3)
    sent = {"corpus": corpus.pk, "name": "As in the paper", "preset": "icopernicus", "raters": 2}
    assert program.post("batches/", sent).status_code == 201
    batch = Batch.objects.get()
    assert (batch.readers, batch.document_shown, batch.raters) == (3, False, 2)
    assert read_participation(batch).limit == 1


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"documents": 99}, {"documents"}),
        ({"documents": None}, {"documents"}),
        ({"systems": ["nobody"]}, {"systems"}),
        ({"corpus": 0}, {"corpus"}),
        ({"opens_at": "2031-01-02T00:00:00Z", "closes_at": "2031-01-01T00:00:00Z"}, {"closes_at"}),
    ],
)
def test_a_plan_that_makes_no_sense_names_the_field(program, changed, wrong):
    sent = {"corpus": make_corpus().pk, "name": "Pilot", "documents": 1, **changed}
    assert errors(program.post("batches/", sent)) == wrong
    assert not Batch.objects.exists()


def test_an_error_blocks_the_launch_and_a_warning_wants_to_be_confirmed(program):
    few = make_batch(launched=False)
    refused = program.post(f"batches/{few.pk}/launch/", {"confirmed": True})
    assert (refused.status_code, "Choose more systems" in refused.json()["detail"]) == (409, True)
    enough = make_batch(corpus=make_corpus(documents=3, systems=5, name="Five"), launched=False)
    assert program.post(f"batches/{enough.pk}/launch/", {}).status_code == 409
    launched = program.post(f"batches/{enough.pk}/launch/", {"confirmed": True})
    assert (launched.status_code, launched.json()["state"]) == (200, "live")
    assert AuditEntry.objects.get(action="batch launched").actor == program.user


def test_pause_resume_close_and_freeze(program):
    batch = make_rated_batch()
    states = [
        program.post(f"batches/{batch.pk}/{act}/").json()["state"]
        for act in ("pause", "resume", "close", "freeze", "freeze")
    ]
    assert states == ["paused", "live", "closed", "frozen", "frozen"]
    assert program.post(f"batches/{batch.pk}/pause/").status_code == 409


def test_a_worker_freezes_many_ratings_and_the_batch_says_how_far_it_is(program, monkeypatch):
    monkeypatch.setattr(freeze_jobs, "FEW_RATINGS", 0)
    batch = make_rated_batch()
    there = f"batches/{batch.pk}/"
    program.post(f"{there}close/")
    taken = program.post(f"{there}freeze/")
    assert (taken.status_code, taken["Location"]) == (202, f"/api/v1/{there}")
    assert (taken.json()["state"], taken.json()["freezing"]) == ("closed", "queued")
    Freezing.objects.update(status="failed", error="The disk is full.")
    told = program.get(there).json()
    assert (told["freezing"], told["freezing_error"]) == ("failed", "The disk is full.")
    assert program.post(f"{there}freeze/").json()["freezing"] == "queued"
    assert freeze_jobs.carry_out_freezing(Freezing.objects.get(), clock=timezone.now)
    assert (program.get(there).json()["state"], program.get(there).json()["freezing"]) == ("frozen", "")
    assert program.post(f"{there}freeze/").status_code == 200


def test_more_raters_and_more_documents(program):
    batch = make_batch(corpus=make_corpus(documents=3), documents=1)
    assert program.post(f"batches/{batch.pk}/extend/", {"raters": 2}).json()["raters"] == 4
    assert program.post(f"batches/{batch.pk}/extend/", {"documents": 1}).json()["documents"] == 2
    assert errors(program.post(f"batches/{batch.pk}/extend/", {"raters": 1, "documents": 1})) == {""}
    assert errors(program.post(f"batches/{batch.pk}/extend/", {"documents": 9})) == {"documents"}


def test_a_change_of_what_has_changed_meanwhile_is_refused(program):
    batch = make_batch()
    tag = program.get(f"batches/{batch.pk}/").headers["ETag"]
    paused = program.post(f"batches/{batch.pk}/pause/", If_Match=tag)
    assert paused.status_code == 200
    late = program.post(f"batches/{batch.pk}/close/", If_Match=tag)
    assert (late.status_code, late.json()["title"]) == (412, "It has changed")
    batch.refresh_from_db()
    assert batch.is_live
    assert program.post(f"batches/{batch.pk}/close/", If_Match=paused.headers["ETag"]).status_code == 200


def test_a_rater_is_excluded_and_counts_again(program):
    batch = make_rated_batch()
    rater = batch.people.first()
    made = program.post(f"batches/{batch.pk}/exclusions/", {"rater": rater.code, "reason": "asleep"})
    assert made.status_code == 201
    assert Exclusion.objects.get().excluded_by == program.user
    assert program.ask("DELETE", made.headers["Location"]).status_code == 204
    page = {"rater": rater.code, "reason": "this page", "questionnaire": 1}
    assert program.post(f"batches/{batch.pk}/exclusions/", page).json()["questionnaire"] == 1
    nobody = {"rater": "nobody", "reason": "asleep"}
    assert program.post(f"batches/{batch.pk}/exclusions/", nobody).status_code == 404
    assert errors(program.post(f"batches/{batch.pk}/exclusions/", {"rater": rater.code})) == {"reason"}


def test_scores_and_a_report_are_asked_for_once(program, sent_to_workers, django_capture_on_commit_callbacks):
    batch = make_rated_batch()
    wanted = {"batch": batch.pk, "measures": ["rouge-l"], "surrogates": ["rouge-l"]}
    with django_capture_on_commit_callbacks(execute=True):
        answers = [program.post("reports/", wanted) for _ in range(2)]
        runs = [program.post("score-runs/", {"measure": "jsd", "corpus": batch.corpus_id}) for _ in range(2)]
        human = program.post("score-runs/", {"measure": "jsd", "batch": batch.pk})
    report = Report.objects.get()
    assert [one.status_code for one in (*answers, *runs, human)] == [202] * 5
    assert {one.headers["Location"] for one in answers} == {f"/api/v1/reports/{report.pk}/"}
    assert (report.created_by, answers[0].json()["state"]) == (program.user, "queued")
    assert sorted(ScoreRun.objects.values_list("kind", flat=True)) == ["automatic", "human"]
    assert {name for name, _ in sent_to_workers} == {"reports.build_report", "scoring.execute_run"}
    assert program.post(f"reports/{report.pk}/retry/").status_code == 202


def test_a_report_takes_models_that_rated_its_batch_and_their_epsilon(program, settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path
    batch, other = make_rated_batch(), make_rated_batch(name="Elsewhere")
    with configured(settings):
        mine, theirs = run_one(batch), run_one(other)
    wanted = {"batch": batch.pk, "measures": ["rouge-l"], "surrogates": ["rouge-l"]}
    taken = program.post("reports/", {**wanted, "model_runs": [mine.pk], "epsilon": 0.2})
    assert taken.status_code == 202
    report = Report.objects.get()
    assert (report.options["model_runs"], report.options["epsilon"]) == ([mine.key], 0.2)
    assert list(report.model_runs.all()) == [mine]
    refused = program.post("reports/", {**wanted, "model_runs": [theirs.pk]})
    assert errors(refused) == {"model_runs"}
    assert str(other) not in refused.content.decode()
    assert errors(program.post("reports/", {**wanted, "model_runs": [mine.pk], "epsilon": 2})) == {"epsilon"}


@pytest.mark.parametrize(
    ("path", "sent", "wrong"),
    [
        ("reports/", {"measures": ["nothing"], "surrogates": ["rouge-l"]}, {"measures"}),
        ("reports/", {"measures": [], "surrogates": ["rouge-l"]}, {"measures"}),
        ("reports/", {"measures": ["rouge-l"], "surrogates": ["rouge-l"], "resamples": 7}, {"resamples"}),
        ("score-runs/", {"measure": "jsd", "corpus": 1}, {""}),
        ("score-runs/", {"measure": "jsd", "mode": "none"}, {"mode"}),
    ],
)
def test_what_cannot_be_computed_is_refused(program, path, sent, wrong):
    batch = make_rated_batch()
    assert errors(program.post(path, {"batch": batch.pk, **sent})) == wrong


def test_a_measure_that_there_is_not(program):
    answer = program.post("score-runs/", {"measure": "nothing", "corpus": make_corpus().pk})
    assert (answer.status_code, "nothing" in answer.json()["detail"]) == (422, True)


@pytest.mark.parametrize("measure", ["bertscore:model=/etc", "infolm", "sbert:model=someone/secret"])
def test_a_measure_over_a_model_is_left_to_workers_who_make_reports(program, monkeypatch, measure):
    def look(*_asked):
        raise AssertionError("a model is looked for")

    monkeypatch.setattr("meta_eval.measures.neural.NeuralMeasure._folder", look)
    answer = program.post("score-runs/", {"measure": measure, "corpus": make_corpus().pk})
    assert errors(answer) == {"measure"}
    assert "ask for a report" in answer.json()["errors"][0]["detail"]


def test_human_scores_take_no_more_raters_than_a_report(program):
    batch = make_rated_batch()
    wanted = {"measure": "jsd", "batch": batch.pk}
    assert errors(program.post("score-runs/", {**wanted, "min_raters": 3})) == {"min_raters"}
    assert program.post("score-runs/", {**wanted, "min_raters": 1}).status_code == 202


def test_a_run_is_cancelled_and_computed_again(program, sent_to_workers, django_capture_on_commit_callbacks):
    made = program.post("score-runs/", {"measure": "jsd", "corpus": make_corpus().pk}).json()
    path = f"score-runs/{made['id']}/"
    cancelled = program.post(f"{path}cancel/")
    found = program.get(path).json()
    assert (cancelled.status_code, found["state"], bool(found["cancelled_at"])) == (200, "failed", True)
    with django_capture_on_commit_callbacks(execute=True):
        again = program.post(f"{path}retry/")
    assert (again.status_code, again.headers["Location"]) == (202, f"/api/v1/{path}")
    assert (again.json()["state"], again.json()["cancelled_at"]) == ("queued", None)
    assert sent_to_workers == [("scoring.execute_run", made["id"])]
