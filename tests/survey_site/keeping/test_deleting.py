"""Deleting: all that hangs on a thing goes and nothing else, and what stands in the way is named."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from survey_site.accounts.models import AuditEntry
from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch
from survey_site.common.errors import ConflictError, InvalidInputError, NotFoundError
from survey_site.corpus.models import Corpus
from survey_site.keeping import files
from survey_site.keeping.deleting import asked_name, delete_thing
from survey_site.keeping.dependents import counted, fingerprint, obstacles, rows_of
from survey_site.notices.models import Notice
from survey_site.quality.freezing import freeze_batch
from survey_site.quality.services import exclude_rater
from survey_site.reports.models import Report
from survey_site.scoring import jobs
from survey_site.scoring.models import RatingSet, ScoreRun, ScoreShard
from survey_site.scoring.storage import contributions_path, distance_store
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch
from tests.factories.survey import make_assignment

LATER = NOW + timedelta(days=1)


def delete(thing, *, by=None, now=LATER):
    delete_thing(thing=thing, typed=asked_name(thing), seen=fingerprint(thing), now=now, by=by)


def models_below(*roots, without=()):
    """Every model that refers to one of the roots, however far off."""
    found, open_ones = set(roots), list(roots)
    while open_ones:
        for relation in open_ones.pop()._meta.get_fields(include_hidden=True):
            below = relation.auto_created and (relation.one_to_many or relation.one_to_one)
            if below and relation.related_model not in found | set(without):
                found.add(relation.related_model)
                open_ones.append(relation.related_model)
    return found


def test_no_table_is_forgotten(batch):
    """What refers to a batch is deleted with it, but for reports, which must go first; so with a corpus."""
    of_batch = models_below(Batch, without={Report, Report.runs.through, Report.model_runs.through})
    assert {gone.rows.model for gone in rows_of(batch)} == of_batch
    of_corpus = models_below(Corpus, without=of_batch - {ScoreRun, ScoreShard} | {Report.runs.through})
    assert {gone.rows.model for gone in rows_of(batch.corpus)} == of_corpus


def test_a_batch_goes_with_everything_of_its_raters_and_leaves_its_neighbour(batch, admin):
    other = make_rated_batch(corpus=batch.corpus, name="Other")
    exclude_rater(rater=batch.people.first(), reason="Too fast.", now=NOW)
    freeze_batch(batch=batch, clock=lambda: NOW)
    of_other = {gone.rows.model: set(gone.rows.values_list("pk", flat=True)) for gone in rows_of(other)}
    codes = set(batch.people.values_list("code", flat=True))
    told, snapshot = counted(batch), batch.snapshot.content_hash
    delete(batch, by=admin)
    assert {model: set(model._default_manager.values_list("pk", flat=True)) for model in of_other} == of_other
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.actor_name, entry.subject) == ("batch deleted", "adam", "Pilot")
    assert entry.detail == {**told, "corpus": batch.corpus.content_hash, "snapshot": snapshot}
    assert told["ratings"] == told["frozen ratings"] == 24
    assert not any(code in str(entry.detail) for code in codes)


def test_what_staff_were_told_of_a_report_goes_with_it_and_of_others_stays(batch, admin):
    first, second = make_report(batch=batch), make_report(batch=batch, built=False, seed=1)
    Notice.objects.all().delete()
    for report in (first, second):
        Notice.objects.create(
            kind="ready", batch=batch, key=str(report.pk), subject=str(report.pk), at=NOW
        ).readings.create(user=admin, at=NOW)
    delete(first)
    assert [(one.subject, one.readings.count()) for one in Notice.objects.all()] == [(str(second.pk), 1)]


def test_a_report_goes_with_its_drawings_and_the_last_one_with_its_ratings(batch, admin):
    first, second = make_report(batch=batch), make_report(batch=batch, built=False, seed=1)
    assert counted(second) == {}
    assert counted(first)["kept drawings"] == len(first.drawings) > 0
    delete(first)
    human = ScoreRun.objects.get(kind="human")
    automatic = ScoreRun.objects.filter(kind="automatic")
    path = contributions_path(human.contributions)
    assert (RatingSet.objects.count(), automatic.count(), path.is_file()) == (1, 2, True)
    delete(second, by=admin)
    assert (Report.objects.count(), RatingSet.objects.count(), automatic.count()) == (0, 0, 2)
    assert not ScoreRun.objects.filter(kind="human").exists()
    assert AuditEntry.objects.latest("pk").detail["inputs"] == second.key


@pytest.fixture
def scored(batch, django_capture_on_commit_callbacks):
    """The corpus of a batch that was reported on and deleted again: its scores and distances are kept."""
    report = make_report(batch=batch)
    with django_capture_on_commit_callbacks(execute=True):
        delete(report)
        delete(batch)
    return batch.corpus


def kept_files():
    """How many files of scores and shards of distances there are on disk."""
    store = distance_store().files
    parts = sum(len(store.sizes(f"{digest}/parts")) for digest in store.folders())
    return len(list(contributions_path("contributions").glob("*/*.parquet"))), parts


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path


def test_a_corpus_goes_with_its_files_and_leaves_those_of_others(scored, django_capture_on_commit_callbacks):
    make_report(batch=make_rated_batch())
    with_both = kept_files()
    with django_capture_on_commit_callbacks(execute=True):
        delete(scored)
    assert (kept_files(), with_both) == ((3, 2), (5, 4))
    assert ScoreRun.objects.count() == 3


def test_what_a_killed_process_left_behind_is_swept(scored, monkeypatch, capsys):
    """The rows are gone, and the process ends before it comes to the files."""
    delete(scored)  # what is to follow the commit does not run in a test
    assert kept_files() == (2, 2)
    call_command("sweep")
    assert (kept_files(), capsys.readouterr().out) == (
        (0, 0),
        "Removed: 2 files of scores, 2 shards of distances, 0 removed distances from outside.\n",
    )
    call_command("sweep")
    assert "Removed: 0 files of scores, 0 shards" in capsys.readouterr().out


def test_a_file_that_is_being_written_is_let_be(db):
    folder = contributions_path("contributions/ab")
    folder.mkdir(parents=True)
    (folder / ".x.part").write_text("half")
    assert files.sweep(now=NOW, distances=False).contributions == 0
    long_after = NOW + timedelta(days=10_000)
    (folder / ".y.part").symlink_to(folder / "whole by now")  # as one that is renamed between two looks
    assert files.sweep(now=long_after, distances=False).contributions == 1


def why(thing, *, now=LATER):
    return [one.why for one in obstacles(thing, now=now)]


def test_what_stands_in_the_way_is_named_with_links(batch, report):
    assert why(batch.corpus) == ["Batches use it."]
    (only,) = obstacles(batch, now=LATER)
    assert (only.why, only.links) == ("Reports rest on it.", ((str(report), report.get_absolute_url()),))
    for thing in (batch, batch.corpus):
        with pytest.raises(ConflictError):
            delete(thing)
    assert (Batch.objects.count(), Corpus.objects.count()) == (1, 1)


def test_a_draft_and_a_live_batch_and_one_in_progress_stay(db):
    draft, live = make_batch(launched=False), make_batch()
    assert why(draft) == ["It is a draft, which goes without all this."]
    assert why(live) == ["It is live: people may be rating."]
    make_assignment(live)
    live = close_batch(batch=live, now=NOW)
    assert why(live, now=NOW) == [
        "1 of its questionnaires may still be finished by people who have begun them."
    ]
    assert why(live, now=LATER) == []


def test_a_report_that_is_being_built_stays_until_its_process_is_dead(report):
    report = jobs.take_up(report, now=LATER)
    assert why(report) == ["It is being built at this moment."]
    assert why(report, now=LATER + jobs.STALE_AFTER * 2) == []
    jobs.requeue(report, now=LATER)
    delete(report)
    assert jobs.take_up_or_wait(report, clock=lambda: LATER) is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("trouble", [None, KeyError("gone"), ValueError("expected"), TimeoutError("slow")])
def test_a_process_taken_for_dead_ends_quietly_when_its_report_is_gone(trouble, report, caplog, monkeypatch):
    monkeypatch.setattr(jobs, "PAUSES", (0,) * len(jobs.PAUSES))
    mine = jobs.take_up(report, now=NOW)

    def compute():
        Report.objects.filter(pk=report.pk).delete()
        if trouble:
            raise trouble
        return {"result": {}}

    assert jobs.carry_out(mine, compute, clock=lambda: NOW, expected=(ValueError,)) is False
    assert [record.getMessage() for record in caplog.records if "deleted" in record.getMessage()] == [
        f"Report {mine.pk} was deleted while it was computed."
    ]


def test_another_name_or_a_change_meanwhile_deletes_nothing(batch):
    seen = fingerprint(batch)
    with pytest.raises(InvalidInputError, match="“pilot” is not “Pilot”"):
        delete_thing(thing=batch, typed="pilot", seen=seen, now=LATER)
    exclude_rater(rater=batch.people.first(), reason="Too fast.", now=NOW)
    with pytest.raises(ConflictError, match="changed since you looked"):
        delete_thing(thing=batch, typed=" Pilot ", seen=seen, now=LATER)
    delete(batch)
    with pytest.raises(NotFoundError, match="deleted already"):
        delete_thing(thing=batch, typed="Pilot", seen=seen, now=LATER)


def test_the_archive_is_offered_instead_where_a_batch_may_go_there(admin_client):
    live, over = make_batch(), close_batch(batch=make_batch(corpus=make_corpus()), now=NOW)
    pages = [admin_client.get(f"/keep/batch/{one.pk}/delete/").content.decode() for one in (live, over)]
    assert ["Archive it instead" in page for page in pages] == [False, True]


def test_the_page_asks_for_the_name_and_leads_to_the_list(batch, admin_client):
    url = f"/keep/batch/{batch.pk}/delete/"
    page = admin_client.get(url)
    wrong = admin_client.post(url, {"typed": "Pil", "seen": page.context["seen"]})
    assert (wrong.status_code, Batch.objects.count()) == (422, 1)
    assert 'aria-invalid="true"' in wrong.content.decode()
    answer = admin_client.post(url, {"typed": "Pilot", "seen": page.context["seen"]}, follow=True)
    assert answer.redirect_chain == [("/batches/", 302)]
    assert "“Pilot” is deleted." in answer.content.decode()
    assert admin_client.get(url).status_code == 404
