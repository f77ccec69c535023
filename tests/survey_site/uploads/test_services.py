"""Uploaded ratings as a closed batch: what is stored, once, and what it says of itself."""

import pytest
from django.core.exceptions import ValidationError

from meta_eval.ratings.responses import write_responses
from survey_site.accounts.models import AuditEntry
from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_progress
from survey_site.batches.services import add_raters, launch_batch, resume_batch
from survey_site.common.errors import ConflictError, GoneError
from survey_site.quality.freezing import freeze_batch, is_intact
from survey_site.survey.models import Rater, Rating
from survey_site.survey.people.joining import join_batch
from survey_site.survey.rating.reopening import reopen_expired
from survey_site.survey.rating_rows import rating_rows
from survey_site.uploads.models import Upload
from tests.factories.batches import NOW
from tests.factories.scoring import ANSWERS, make_rated_batch, make_scored_corpus
from tests.factories.snapshots import describe_snapshot
from tests.survey_site.uploads.examples import export_ratings, plain_rows, read, upload, write_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus():
    return make_scored_corpus()


@pytest.fixture
def path(tmp_path):
    return write_rows(tmp_path / "ours.csv", plain_rows())


def names_of(items):
    return sorted(item.system.name if item.system else "user" for item in items.select_related("system"))


def pages(batch):
    """The systems of each questionnaire, and how many raters it had."""
    return {
        one.number: (names_of(one.items), one.assignments.count())
        for one in batch.questionnaires.order_by("number")
    }


def test_ratings_from_elsewhere_are_a_closed_batch(corpus, path, admin):
    result = upload(path, corpus, by=admin)
    batch = Batch.objects.get()
    assert (result.created, result.batch) == (True, batch)
    assert (batch.status, batch.documents, batch.reader_pairs, batch.raters) == ("closed", 3, 1, 2)
    assert (batch.question, batch.low_label, batch.high_label, batch.created_by) == ("", "", "", admin)
    assert list(batch.systems.order_by("name").values_list("name", flat=True)) == ["Copy", "Mixed", "Same"]
    assert pages(batch) == dict.fromkeys((1, 2, 3), (["Copy", "Mixed", "Same", "user"], 2))
    assert sorted(batch.people.values_list("code", flat=True)) == ["ann", "bob"]
    rows = list(rating_rows(batch))
    assert [(row["system"], row["rating"]) for row in rows[:4]] == [
        (system or "user", answer) for system, answer in ANSWERS.items()
    ]
    assert {(row["position"], row["flipped"], row["submitted_at"]) for row in rows} == {(None, None, None)}


def test_the_audit_log_says_who_uploaded_what(corpus, path, admin):
    batch = upload(path, corpus, by=admin).batch
    entry = AuditEntry.objects.get(action="ratings uploaded")
    assert (entry.actor, entry.subject_id, entry.detail["file"]) == (admin, batch.pk, "ours.csv")
    assert entry.detail["ratings"] == 24


def test_the_same_file_is_one_batch_whatever_its_name(corpus, path):
    first = upload(path, corpus)
    again = upload(path, corpus, name="Another name", raters=2)
    assert (again.created, again.batch) == (False, first.batch)
    assert upload(path, corpus, scale="dissimilarity").created
    assert upload(path, corpus, raters=1).created
    assert Batch.objects.count() == 3


def test_more_may_have_rated_than_a_pair_needs(corpus, path):
    batch = upload(path, corpus, raters=1).batch
    progress = batch_progress(batch, now=NOW)
    assert (progress.by_completed, progress.completions, progress.ratings) == ((0, 0, 3), 6, 24)


def test_what_the_file_says_is_kept(corpus, tmp_path):
    said = {"questionnaire": 7, "position": 4, "flipped": "true", "submitted_at": "2026-03-01T08:00:00Z"}
    rows = [{**plain_rows(["ann"])[n], **said, "position": 4 - n} for n in range(4)]
    batch = upload(write_rows(tmp_path / "r.csv", rows), corpus).batch
    found = list(rating_rows(batch))
    assert [(row["questionnaire"], row["position"], row["flipped"]) for row in found] == [
        (7, position, True) for position in (1, 2, 3, 4)
    ]
    assert {row["submitted_at"].isoformat() for row in found} == {"2026-03-01T08:00:00+00:00"}


def test_sides_follow_the_questionnaire_where_rows_name_readers_in_the_other_order(corpus, tmp_path):
    rows = [
        {**row, "questionnaire": 1, "position": n, "flipped": "false"}
        for n, row in enumerate(plain_rows(["ann"])[:2], 1)
    ]
    rows[1] |= {"reader_a": "reader2", "reader_b": "reader1"}
    found = list(rating_rows(upload(write_rows(tmp_path / "r.csv", rows), corpus).batch))
    assert [(row["reader_a"], row["flipped"]) for row in found] == [("reader1", False), ("reader1", True)]


def test_raters_of_other_systems_had_another_questionnaire(corpus, tmp_path):
    rows = [row for row in plain_rows() if row["doc_id"] == "doc1"]
    rows = [row for row in rows if not (row["rater"] == "bob" and row["system"] == "Same")]
    batch = upload(write_rows(tmp_path / "r.csv", rows), corpus).batch
    assert pages(batch) == {
        1: (["Copy", "Mixed", "Same", "user"], 1),
        2: (["Copy", "Mixed", "user"], 1),
    }
    assert batch.raters == 2


def test_both_ratings_of_the_gold_pair_are_kept(corpus, tmp_path):
    rows = plain_rows(["ann"])[:4]
    rows.append({**rows[0], "rating": 5})
    batch = upload(write_rows(tmp_path / "r.csv", rows), corpus).batch
    assert pages(batch) == {1: (["Copy", "Mixed", "Same", "user"], 1), 2: (["user"], 1)}
    assert sorted(row["rating"] for row in rating_rows(batch) if row["system"] == "user") == [2, 5]


def test_names_that_cannot_be_codes_become_codes_and_are_written_down(corpus, tmp_path):
    first = upload(write_rows(tmp_path / "a.csv", plain_rows(["ann"])), corpus).batch
    names = ["ann", "a name / of more than twenty letters"]
    batch = upload(write_rows(tmp_path / "b.csv", plain_rows(names)), corpus).batch
    renamed = batch.upload.renamed
    assert list(renamed) == names
    assert sorted(renamed.values()) == sorted(batch.people.values_list("code", flat=True))
    assert any(note.startswith("2 raters of the file have another name here") for note in batch.plan_notes)
    assert first.upload.renamed == {}


def test_nobody_can_come_back_as_an_uploaded_rater(corpus, path):
    batch = upload(path, corpus).batch
    assert {len(key) for key in batch.people.values_list("key_hash", flat=True)} == {64}
    with pytest.raises(GoneError):
        join_batch(batch=batch, secret="guess", consent=1, now=NOW)


def test_nothing_can_be_done_with_it_that_needs_raters(corpus, path):
    batch = upload(path, corpus).batch
    for act in (launch_batch, resume_batch, reopen_expired):
        with pytest.raises(ConflictError):
            act(batch=batch, now=NOW)
    with pytest.raises(ConflictError):
        add_raters(batch=batch, raters=1, now=NOW)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"scale": ""}, "scale"),
        ({"name": " "}, "name"),
        ({"raters": 0}, "raters"),
        ({"low_label": "alike"}, "high_label"),
        ({"question": "?" * 301}, "question"),
    ],
)
def test_wrong_settings_store_nothing(corpus, path, wrong, field):
    with pytest.raises(ValidationError) as caught:
        upload(path, corpus, **wrong)
    assert list(caught.value.message_dict) == [field]
    assert (Batch.objects.count(), Rater.objects.count(), Upload.objects.count()) == (0, 0, 0)


def test_all_or_nothing(corpus, path, monkeypatch):
    def fail(*_args, **_kwargs):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("survey_site.uploads.services.record_action", fail)
    with pytest.raises(RuntimeError):
        upload(path, corpus)
    assert (Batch.objects.count(), Rater.objects.count(), Rating.objects.count()) == (0, 0, 0)


def test_the_app_s_database_says_nothing_of_raters(corpus, tmp_path, path):
    database = tmp_path / "survey.db"
    write_responses([row.rating for row in read(path, corpus).rows], database)
    batch = upload(database, corpus).batch
    assert (batch.upload.knows_raters, batch.raters, batch.upload.renamed) == (False, 2, {})
    assert all(code.startswith("response-") for code in batch.people.values_list("code", flat=True))
    assert sorted(row["rating"] for row in rating_rows(batch)) == sorted([*ANSWERS.values()] * 6)


def test_a_snapshot_names_the_file_and_invents_no_plan(corpus, path):
    batch = upload(path, corpus).batch
    snapshot = freeze_batch(batch=batch, clock=lambda: NOW)
    head = snapshot.head
    assert head["study"] == {
        "batch": "Elsewhere",
        "scale": "similarity",
        "raters": 2,
        "source_file": "ours.csv",
        "source_hash": batch.upload.content_hash,
        "uploaded_at": NOW.isoformat(),
        "raters_known": True,
    }
    assert (head["plan"]["seed"], head["plan"]["options"], head["plan"]["from_ratings"]) == (None, {}, True)
    rows = describe_snapshot(snapshot)["ratings"]
    assert {(row["claimed_at"], row["submitted_at"], row["position"]) for row in rows} == {(None, None, None)}
    assert is_intact(snapshot)


def test_an_export_uploaded_again_holds_the_same_ratings(tmp_path):
    batch = make_rated_batch(simulated=True)
    path = export_ratings(batch, tmp_path / "export.csv")
    again = upload(path, batch.corpus).batch
    kept = ("doc_id", "system", "reader_a", "reader_b", "rating", "questionnaire", "position", "flipped")
    more = (*kept, "simulated", "submitted_at", "state", "control")
    rows, found = ([[row[name] for name in more] for row in rating_rows(one)] for one in (batch, again))
    assert found == rows
    assert again.upload.known == [
        "raters",
        "questionnaire",
        "position",
        "flipped",
        "simulated",
        "submitted_at",
    ]


def test_positions_that_only_some_rows_have_are_not_mixed_with_counted_ones(corpus, tmp_path):
    """The first row's place is counted, and would be that which the last one gives."""
    rows = [
        {**row, "questionnaire": row["doc_id"][-1], "position": "1" * (row["system"] == "Copy")}
        for row in plain_rows()
    ]
    rows.sort(key=lambda row: row["position"])  # the given place comes last
    batch = upload(write_rows(tmp_path / "ours.csv", rows), corpus).batch
    assert {row["position"] for row in rating_rows(batch)} == {None}
