"""The library's client: led through every operation of the real site."""

import pytest
from django.utils import timezone

import meta_eval
from meta_eval.client import (
    ChangedError,
    InvalidError,
    JobFailedError,
    to_frame,
)
from meta_eval.client.operations import OPERATIONS
from meta_eval.client.problems import UnreachableError
from meta_eval.client.sending import _Failed
from survey_site.batches.models import Batch
from survey_site.corpus.models import Corpus
from survey_site.quality import freeze_jobs
from survey_site.quality.models import Freezing
from survey_site.reports.models import Report
from survey_site.scoring.models import ScoreRun
from tests.factories.batches import make_batch
from tests.factories.client import make_concord
from tests.factories.model_raters import configured
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch, make_values
from tests.survey_site.api.client_walk import (
    bring_from_elsewhere,
    lead_a_draft,
    lead_a_project,
    let_models_rate,
    look_at_quality,
    score,
    take_away,
    take_part,
    throw_away,
    watch,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made")]


@pytest.fixture(scope="module")
def made(make_once):
    return make_once(lambda: make_report(measures=["rouge-l"], resamples=1000).pk)


@pytest.fixture
def report(made):
    return Report.objects.select_related("batch__corpus").get(pk=made)


@pytest.fixture
def concord():
    """As an admin with a token that may do all."""
    return make_concord()


def test_the_clients_methods_reach_every_operation(concord, report, monkeypatch, settings, tmp_path):
    asked, ask = [], concord._site.take

    def count(call, take):
        asked.append(call.operation)
        return ask(call, take)

    monkeypatch.setattr(concord._site, "take", count)
    frame = make_values().to_frame()
    corpus = concord.corpora.import_corpus(frame, name="Brought", language="en")
    assert (corpus.name, corpus.documents) == ("Brought", frame["doc_id"].nunique())
    assert next(concord.corpora.list(q="Brought")).read() == corpus
    lead_a_draft(concord, corpus)
    watch(concord.batches.get(report.batch_id))
    settings.CONCORD_DATA_DIR = tmp_path / "data"
    with configured(settings):
        let_models_rate(concord, concord.batches.get(report.batch_id))
    take_away(concord.reports.get(report.pk), tmp_path)
    asked_for = concord.reports.create(report.batch_id, measures=["rouge-l"], surrogates=["rouge-l"])
    assert next(concord.reports.list(batch=report.batch_id)).read().id == asked_for.id
    score(concord, corpus)
    look_at_quality(concord.batches.get(report.batch_id), concord, report)
    frozen = concord.batches.get(report.batch_id).close().freeze()
    assert frozen.state == "frozen"
    found = frozen.snapshot()
    assert (found.intact, frozen.check_snapshot().intact) == (True, True)
    assert frozen.snapshot_content()["content_hash"] == found.content_hash
    bring_from_elsewhere(concord, frame)
    take_part(concord, corpus)
    lead_a_project(concord, tmp_path)
    throw_away(concord, asked_for, corpus)
    assert sorted(set(asked)) == sorted(OPERATIONS)


def test_freezing_waits_for_the_worker(concord, monkeypatch):
    monkeypatch.setattr(freeze_jobs, "FEW_RATINGS", 0)
    batch = concord.batches.get(make_rated_batch().pk).close()
    asked = batch.freeze(wait=False)
    assert (asked.state, asked.freezing) == ("closed", "queued")

    def work(_seconds):
        assert freeze_jobs.carry_out_freezing(Freezing.objects.get(), clock=timezone.now)

    monkeypatch.setattr(concord._site, "sleep", work)
    assert batch.freeze().state == "frozen"


def test_freezing_that_fails_raises_with_the_reason(concord, monkeypatch):
    monkeypatch.setattr(freeze_jobs, "FEW_RATINGS", 0)
    batch = concord.batches.get(make_rated_batch().pk).close()

    def fail(_seconds):
        Freezing.objects.update(status="failed", error="The disk is full.", finished_at=timezone.now())

    monkeypatch.setattr(concord._site, "sleep", fail)
    with pytest.raises(JobFailedError, match=r"The disk is full\."):
        batch.freeze()


def test_a_thing_is_made_once_where_the_answer_is_lost(concord, report):
    """The site did it, and the connection broke before its answer came."""
    lost, send = [], concord._site._once

    def lose_first(call, headers, take, *, again):
        found = send(call, headers, take, again=again)
        if call.asked.keyed and not again:
            lost.append(call.operation)
            raise _Failed(UnreachableError("lost"), not_done=False)
        return found

    concord._site._once = lose_first
    before = Batch.objects.count(), ScoreRun.objects.count()
    batch = concord.batches.create(report.batch.corpus_id, "Once", documents=1)
    assert (Batch.objects.count() - before[0], Batch.objects.get(pk=batch.id).name) == (1, "Once")
    assert concord.batches.get(report.batch_id).extend(raters=1).raters == report.batch.raters + 1
    assert lost == ["plan_batch", "extend_batch"]


def test_ratings_are_a_frame_that_the_library_takes(concord):
    values = make_values()
    corpus = concord.corpora.import_corpus(values.to_frame(), name="Brought")
    batch = make_rated_batch(corpus=Corpus.objects.get(pk=corpus.id))
    frame = concord.batches.get(batch.pk).ratings(include=["surplus", "excluded"])
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert {
        name: kinds[name] for name in ("rating", "questionnaire", "position", "flipped", "simulated")
    } == {
        **{"rating": "Int8", "questionnaire": "Int32", "position": "Int32"},
        **{"flipped": "boolean", "simulated": "boolean"},
    }
    assert kinds["submitted_at"] == "datetime64[us, UTC]"
    assert {kinds[name] for name in ("doc_id", "system", "rater", "control")} == {"str"}
    assert len(meta_eval.read_ratings(frame, values).to_frame()) == len(frame) > 0


def test_a_fault_of_a_file_names_its_line(concord, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("{}\nnothing\n", encoding="utf-8")
    with pytest.raises(InvalidError) as caught:
        concord.corpora.import_corpus(path)
    assert {one.field.split(":")[0] for one in caught.value.errors} == {"mine.jsonl"}
    assert not Corpus.objects.filter(name="mine").exists()


def test_somebody_elses_change_stops_what_must_not_meet_one(concord, report):
    batch = concord.batches.get(report.batch_id)
    batch.pause()
    with pytest.raises(ChangedError):
        batch.close(only_if_unchanged=True)
    assert batch.refresh().state == "paused"


def test_lists_become_frames(concord):
    made = [make_batch(name=f"B{number}", launched=False).pk for number in range(3)]
    frame = to_frame(concord.batches.list(q="B"))
    assert sorted(frame.loc[frame["name"].str.fullmatch(r"B\d"), "id"]) == made
