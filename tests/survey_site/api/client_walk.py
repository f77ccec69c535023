"""What a researcher does through the client, step by step: together every operation of the API."""

import json
import zipfile
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas
import pytest
from django.utils import timezone

import meta_eval
from meta_eval.client import (
    ChangedError,
    ConflictError,
    InvalidError,
    JobFailedError,
    NotFoundError,
)
from meta_eval.client.problems import ClientError
from meta_eval.ratings.rows import RATING_COLUMNS
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.services import execute_run
from tests.factories.accounts import make_user
from tests.factories.given import distances_table
from tests.factories.pens import pens_archive
from tests.factories.studies import study_archive


def look_at_quality(batch, concord, report):
    """What its ratings say, what it would buy, and its report beside itself."""
    found, one = batch.quality(), next(batch.list_raters())
    assert (found.fresh, batch.rater(one.code).code) == (True, one.code)
    assert [len(batch.marks()), len(batch.comments()), len(batch.excluded())] == [0, 0, 0]
    assert batch.precision(error_sd=2).assumptions["error_sd"] == 2
    assert batch.reopen_expired() == 0
    assert concord.reports.compare(report.pk, report.pk).differences == []


def send_people(draft):
    """How people come to a draft, and what they read."""
    assert draft.set_up_panel("prolific").entry == "panel"
    assert "PROLIFIC_PID" in draft.panel().address
    assert (draft.make_personal_links(2), len(draft.personal_links())) == (2, 2)
    pair = {"left": "Rain in Rome.", "right": "It rains.", "low": 5, "high": 6, "why": "The same news."}
    assert draft.change_texts("en", examples=[pair]).examples == draft.texts("en").examples == [pair]


def lead_a_draft(concord, corpus):
    """From a plan to a closed batch."""
    draft = concord.batches.create(
        corpus, "Mine", documents=1, raters=2, closes_at=timezone.now() + timedelta(days=9)
    )
    assert (draft.state, draft.corpus, draft.raters, draft.documents) == ("draft", corpus.id, 2, 1)
    assert {one.level for one in draft.checks()} >= {"warning"}
    with pytest.raises(ConflictError):
        draft.launch()
    draft = change(concord, draft)
    send_people(concord.batches.create(corpus, "Sent", documents=1))
    live = draft.launch(confirmed=True, only_if_unchanged=True)
    assert (live.state, draft.state, len(live.plan().questionnaires)) == ("live", "draft", 1)
    ends = timezone.now() + timedelta(days=20)
    assert live.move_window(closes_at=ends).closes_at == ends
    assert live.move_window(closes_at=None).closes_at is None
    assert (live.pause().state, live.resume().state, live.extend(raters=1).raters) == ("paused", "live", 3)
    assert live.refresh().close().state == "closed"
    assert [one.read().state for one in concord.batches.list(corpus=corpus, state="closed")] == ["closed"]


def change(concord, draft):
    """Another name and a primary coefficient, a look at it, and a second draft that is thrown away."""
    changed = draft.change(name="Ours", limit=3, primary_coefficient="pearson", primary_surrogate="rouge-l")
    assert (changed.name, changed.limit, changed.raters) == ("Ours", 3, draft.raters)
    declared = changed.declare_primary("kendall", "rouge-l")
    assert (declared.primary_coefficient, declared.primary_score) == ("kendall", "degress")
    shown = declared.preview()
    assert (shown.number, shown.questionnaires, len(shown.points)) == (1, 1, 6)
    assert all(one.left and one.right for one in shown.pairs)
    assert [one.position for one in shown.pairs] == list(range(1, len(shown.pairs) + 1))
    second = concord.batches.create(draft.corpus, "Second", documents=1)
    with pytest.raises(ChangedError):
        draft.delete(only_if_unchanged=True)
    second.delete()
    with pytest.raises(NotFoundError):
        second.refresh()
    return declared


def bring_from_elsewhere(concord, frame):
    """Ratings as a frame and distances as a table, both on a corpus of a project."""
    project, frame = next(concord.projects()), frame.assign(doc_id="n" + frame["doc_id"])
    corpus = concord.corpora.import_corpus(frame, name="Further", project=project.name)
    assert [one.id for one in concord.corpora.list(project=project, q="Further")] == [corpus.id]
    assert corpus.project == project.id
    values = meta_eval.read_corpus(frame)
    first, second = sorted(values.documents[0].references)[:2]
    row = [values.documents[0].id, "user", first, second, "ann", 4]
    ratings = pandas.DataFrame([row], columns=RATING_COLUMNS)
    upload = concord.upload_ratings(corpus, ratings, scale="similarity", name="Theirs")
    theirs = concord.batches.get(upload.batch)
    assert (theirs.name, theirs.uploaded, theirs.state) == ("Theirs", True, "closed")
    assert [one.id for one in concord.uploads()] == [upload.id]
    assert recorded(corpus).by_system[0].generated["model"] == "m"
    distances_of(corpus, pandas.read_csv(BytesIO(distances_table(values))))
    assert [one.id for one in concord.batches.list(project=project, q="Theirs")] == [theirs.id]
    assert list(concord.reports.list(project=project, q="Theirs")) == []


def recorded(corpus):
    """The corpus, after the site was told how its first system was generated."""
    system = corpus.by_system[0]
    counts = {"asked": system.summaries, "answered": system.summaries, "texts": system.summaries}
    names = {"system": system.name, "model": "m", "style": "0-shot", "tokens": "exact", "signature_line": "s"}
    with TemporaryDirectory() as folder:
        file = Path(folder, "made.llm.json")
        with pytest.raises(ClientError, match="There is no file"):
            corpus.record_generated(file)
        file.write_text(json.dumps([{**names, **counts}]), "utf-8")
        return corpus.record_generated(file)


def take_part(concord, corpus):
    """A draft's settings and consent, changed as they were read; what somebody else changed is kept."""
    draft = concord.batches.create(corpus, "Third", documents=1)
    seen = draft.participation()
    changed = draft.change_participation(seen, contact="ann@example.org", limit=2)
    assert (changed.contact, changed.limit, changed.entry) == ("ann@example.org", 2, seen.entry)
    with pytest.raises(ChangedError):
        draft.change_participation(seen, contact="")
    texts = draft.consent()
    (written,) = draft.write_consent("I agree.", seen=texts).texts
    assert (written.text, written.language, written.version) == ("I agree.", "en", 1)
    draft.delete()


def lead_a_project(concord, folder):
    """One made and renamed, with a member, PENS, a study, and notices read."""
    made = concord.make_project("Second").rename("The second", only_if_unchanged=True)
    assert concord.project(made.id) == made
    member = made.add_member(make_user(role="researcher").username)
    assert list(made.members()) == [member]
    made.remove_member(member.username)
    assert list(made.members()) == []
    pens, results = folder / "pens.zip", folder / "results.zip"
    pens.write_bytes(pens_archive())
    results.write_bytes(study_archive())
    assert concord.corpora.import_pens(pens, name="PENS", project=made).project == made.id
    study = concord.studies.upload(results, "Films", project="The second")
    assert [one.read() for one in concord.studies.list(project=made)] == [study]
    with pytest.raises(ConflictError, match="holds corpora or studies"):
        made.delete()
    concord.make_project("Nobody's").delete(only_if_unchanged=True)
    assert [one.name for one in concord.projects() if one.name == "Nobody's"] == []
    assert study.file("report.html").startswith(b"<!doctype html>")
    unread = list(concord.notices(unread=True))
    concord.mark_read(unread[0])
    concord.mark_read()
    assert (len(unread) > 0, list(concord.notices(unread=True))) == (True, [])


def throw_away(concord, report, corpus):
    """A report archived, taken out and deleted by its number; what rests on a corpus stands in its way."""
    assert report.archive().archived_at
    assert [one.id for one in concord.reports.list(archive="only")] == [report.id]
    kept = report.take_out()
    assert (kept.kind, kept.archived_at, kept.asked, kept.obstacles) == ("report", None, str(report.id), [])
    with pytest.raises(InvalidError):
        kept.delete("another")
    kept.delete(kept.asked)
    with pytest.raises(NotFoundError):
        report.read()
    assert [one.why for one in corpus.kept().obstacles] == ["Batches use it."]


def distances_of(corpus, table):
    """A measure of the corpus, brought and taken away."""
    made = corpus.upload_distances(table, "mine")
    assert (list(corpus.list_distances()), corpus.distances(made.id)) == ([made], made)
    assert (made.name, made.covered) == ("mine", made.wanted)
    corpus.remove_distances(made)
    assert list(corpus.list_distances()) == []


def watch(batch):
    """What raters did, and one of them kept out for a while."""
    progress, rater = batch.progress(), next(batch.list_raters())
    assert sum(one.completed for one in batch.list_questionnaires()) == progress.completions
    exclusion = batch.exclude(rater.code, "asleep")
    assert list(batch.list_exclusions()) == [exclusion]
    batch.undo_exclusion(exclusion)
    assert list(batch.list_exclusions()) == []
    assert len(batch.ratings()) >= progress.ratings > 0


def let_models_rate(concord, batch):
    """A plan, a run that is ended and gone on with, and what it said."""
    names = concord.models().models
    plan = batch.plan_models(names)
    (run,) = batch.begin_models(names, plan=plan)
    assert (run.model, run.total, run.read()) == (names[0], plan.total.requests, run)
    assert (run.cancel().state, run.retry().state) == ("failed", "queued")
    execute_run(run=ModelRun.objects.get(pk=run.id))
    done = run.wait()
    assert (list(batch.list_model_runs()), len(done.ratings())) == ([done], done.rated)
    assert sorted(done.means()["mean"]) == sorted(map(float, done.ratings()["rating"]))


def take_away(report, folder):
    """Tables as frames and files in a folder."""
    board = report.table("leaderboard")
    assert (report.wait().percent, "rouge-l" in set(board["measure"])) == (100, True)
    saved = report.save(folder, only=["report.json", "tables/ran*"])
    assert [one.name for one in saved] == ["report.json", "ranking.csv"]
    assert report.table("ranking").equals(pandas.read_csv(folder / "tables" / "ranking.csv"))
    bundle = report.bundle(folder / "sealed" / "bundle.zip", texts=False)
    assert zipfile.is_zipfile(bundle)
    with pytest.raises(NotFoundError):
        report.table("nothing")
    assert report.retry().state == "done"


def score(concord, corpus):
    """A run that is asked for, ended, and computed again."""
    run = concord.runs.create("rouge-l", corpus=corpus)
    assert (run.cancel().state, run.retry().state) == ("failed", "queued")
    assert next(concord.runs.list(kind="automatic", corpus=corpus)).read().id == run.id
    with pytest.raises(JobFailedError):
        run.cancel().wait()
