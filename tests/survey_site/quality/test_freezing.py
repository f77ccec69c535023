"""A frozen batch: one snapshot under one hash, which nothing but a withdrawal touches, and that openly."""

import json
import re
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from survey_site.accounts.models import AppendOnlyError, AuditEntry
from survey_site.batches.queries import batch_progress
from survey_site.batches.services import add_raters, close_batch, pause_batch, resume_batch
from survey_site.common.digest import digest
from survey_site.common.errors import ApplicationError, ConflictError
from survey_site.quality import freezing
from survey_site.quality.freeze_jobs import ask_to_freeze
from survey_site.quality.freezing import freeze_batch, is_intact
from survey_site.quality.models import Exclusion, FrozenRating, Snapshot
from survey_site.quality.queries import snapshot_of
from survey_site.quality.services import exclude_questionnaire, exclude_rater, undo_exclusion
from survey_site.reports.queries import survey_facts
from survey_site.scoring.adapters import ratings_of
from survey_site.scoring.rating_sets import record_ratings
from survey_site.survey.models import Assignment, Rater, Rating
from survey_site.survey.rating.leaving import stop_rating, withdraw_rater
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.snapshots import LATER, busy_batch, describe_snapshot, frozen_batch
from tests.factories.survey import answers_for, make_assignment, make_rater, save_rating, submit_all

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def state_of(batch):
    """All that an analysis could see."""
    snapshot = Snapshot.objects.get(batch=batch)
    rating_set = record_ratings(batch=batch, now=LATER)
    return digest(
        [describe_snapshot(snapshot), rating_set.content_hash, survey_facts(batch, ratings_of(rating_set))],
    )


def test_nothing_that_is_frozen_was_submitted_after_the_freeze(monkeypatch):
    """Somebody submits between the request to freeze and the lock; the clock ticks once a look."""
    batch, _, held, _ = busy_batch()
    ticks, lock = count(), freezing._lock_questionnaires

    def clock():
        return LATER + timedelta(seconds=next(ticks))

    def submit_and_lock(batch):
        submit_all(held, now=clock())
        lock(batch)

    monkeypatch.setattr(freezing, "_lock_questionnaires", submit_and_lock)
    clock()  # when it is asked for
    ask_to_freeze(batch=batch, clock=clock, ask=pytest.fail)
    snapshot = Snapshot.objects.get()
    rows = describe_snapshot(snapshot)["ratings"]
    submitted = [row["submitted_at"] for row in rows]
    assert len(rows) == 12
    assert max(submitted) == (LATER + timedelta(seconds=1)).isoformat() < snapshot.head["frozen_at"]


def test_a_snapshot_holds_all_that_an_analysis_depends_on(admin):
    batch, done, _, _ = busy_batch()
    snapshot = freeze_batch(batch=batch, by=admin, clock=lambda: LATER)
    file = describe_snapshot(snapshot)
    assert list(file) == ["content_hash", "head", "ratings"]
    assert [row["state"] for row in file["ratings"]] == ["submitted"] * 6 + ["excluded"] * 3
    assert {row["reason"] for row in file["ratings"][6:]} == {"asleep"}
    row = file["ratings"][0]
    assert (row["rater"], row["rating"], row["position"]) == (done[0].rater.code, 2, 1)
    assert (row["submitted_at"], row["claimed_at"]) == (NOW.isoformat(), NOW.isoformat())
    assert (row["consent_version"], row["consent_language"]) == (1, "en")
    head = file["head"]
    assert head["study"]["scale"] == "similarity"
    assert head["corpus"]["hash"] == batch.corpus.content_hash
    assert len(head["plan"]["questionnaires"]) == 4
    assert [(one["language"], one["version"]) for one in head["consent_texts"]] == [("en", 1)]
    assert head["questionnaires"] == {
        "open": 1,
        "marked": 0,
        "submitted": 3,
        "expired": 1,
        "surplus": 0,
        "withdrawn": 0,
    }
    assert head["exclusions"] == ["1 completed questionnaire excluded by an admin: asleep"]
    entry = AuditEntry.objects.get(action="batch frozen")
    assert (entry.actor_name, entry.detail) == ("adam", {"hash": snapshot.content_hash, "ratings": 9})


def test_answers_to_controls_are_in_the_snapshot_but_in_no_score():
    batch = make_batch(corpus=make_corpus(documents=2), identical_share=100)
    submit_all(make_assignment(batch), value=6)
    close_batch(batch=batch, now=NOW)
    snapshot = freeze_batch(batch=batch, clock=lambda: NOW)
    rows = describe_snapshot(snapshot)["ratings"]
    assert [row["control"] for row in rows if row["control"]] == ["identical"]
    assert (snapshot.total, snapshot.counted) == (len(rows), len(rows) - 1)
    assert len(record_ratings(batch=batch, now=NOW).ratings) == len(rows) - 1


def test_freezing_again_changes_nothing():
    batch, snapshot, *_ = frozen_batch()
    again = freeze_batch(batch=batch, clock=lambda: LATER + HOUR)
    assert (again.pk, again.frozen_at) == (snapshot.pk, LATER)
    assert AuditEntry.objects.filter(action="batch frozen").count() == 1


def test_only_a_closed_batch_with_ratings_can_be_frozen():
    live = make_batch()
    submit_all(make_assignment(live))
    with pytest.raises(ConflictError, match="not closed"):
        freeze_batch(batch=live, clock=lambda: NOW)
    empty = close_batch(batch=make_batch(), now=NOW)
    with pytest.raises(ConflictError, match="nothing to freeze"):
        freeze_batch(batch=empty, clock=lambda: NOW)
    assert Snapshot.objects.count() == 0


def test_a_late_submit_is_stored_as_surplus_and_counts_nowhere():
    batch, _, _, held, given_up = frozen_batch()
    before = state_of(batch)
    for late in (held, given_up):
        submission = submit_questionnaire(assignment=late, answers=answers_for(late, 1), now=LATER + HOUR)
        assert submission.complete
        late.refresh_from_db()
        assert (late.state, late.slot) == ("surplus", None)
    assert Rating.objects.filter(assignment_item__assignment__in=[held, given_up]).count() == 6
    assert state_of(batch) == before
    assert batch_progress(batch, now=LATER).surplus == 2


def test_a_late_answer_takes_no_place_back():
    batch, _, _, _, given_up = frozen_batch()
    code = next(iter(answers_for(given_up)))
    assert save_rating(assignment=given_up, code=code, value=2, now=LATER).value == 2
    given_up.refresh_from_db()
    assert (given_up.state, given_up.slot) == ("expired", None)
    assert batch.is_frozen


def test_what_counts_cannot_be_decided_again():
    batch, _, done, _, _ = frozen_batch()
    changes = [
        lambda: exclude_rater(rater=done[0].rater, reason="late", now=LATER),
        lambda: exclude_questionnaire(assignment=done[0], reason="late", now=LATER),
        lambda: undo_exclusion(exclusion=Exclusion.objects.get(), now=LATER),
        lambda: add_raters(batch=batch, raters=1, now=LATER),
    ]
    for change in changes:
        with pytest.raises(ConflictError, match="frozen") as refused:
            change()
        assert "Plan a new batch" in refused.value.action


def test_who_withdraws_is_deleted_from_the_snapshot_and_its_hash_stays_true():
    batch, snapshot, done, _, _ = frozen_batch()
    withdraw_rater(rater=done[0].rater, now=LATER + HOUR)
    again = snapshot_of(batch)
    assert (again.content_hash, again.total, again.withdrawn) == (snapshot.content_hash, 9, 3)
    assert is_intact(snapshot)
    text = json.dumps(describe_snapshot(snapshot))
    assert done[0].rater.code not in text
    assert [list(row) for row in json.loads(text)["ratings"][:3]] == [["withdrawn"]] * 3
    facts = survey_facts(batch, ratings_of(record_ratings(batch=batch, now=LATER)))
    assert facts["frozen"]["snapshot_withdrawn"] == 3
    assert facts["ratings"]["ratings"] == 3


def test_a_changed_row_is_noticed():
    _, snapshot, *_ = frozen_batch()
    row = snapshot.ratings.first()
    FrozenRating.objects.filter(pk=row.pk).update(content=row.content | {"rating": 6})
    assert not is_intact(snapshot)
    FrozenRating.objects.filter(pk=row.pk).update(content=row.content)
    assert is_intact(snapshot)
    Snapshot.objects.filter(pk=snapshot.pk).update(head=snapshot.head | {"frozen_at": "yesterday"})
    snapshot.refresh_from_db()
    assert not is_intact(snapshot)


def test_a_row_that_is_said_to_count_otherwise_is_noticed():
    _, snapshot, *_ = frozen_batch()
    FrozenRating.objects.filter(pk=snapshot.ratings.last().pk).update(counts=True)
    assert not is_intact(snapshot)


def test_a_row_that_is_given_to_another_rater_is_noticed():
    """Their withdrawal would delete it, and that of whoever rated would not."""
    _, snapshot, *_ = frozen_batch()
    FrozenRating.objects.filter(pk=snapshot.ratings.first().pk).update(rater="r-another")
    assert not is_intact(snapshot)


def test_a_snapshot_is_neither_saved_again_nor_deleted():
    _, snapshot, *_ = frozen_batch()
    for act in (snapshot.save, snapshot.delete):
        with pytest.raises(AppendOnlyError):
            act()


def rate_one(page, when):
    return save_rating(assignment=page, code=next(iter(answers_for(page))), value=1, now=when)


def acts(batch, when):
    """Everything that services can do to a batch but withdraw; each takes its turn in any order."""
    people = list(Rater.objects.filter(batch=batch).order_by("pk"))
    pages = list(Assignment.objects.filter(questionnaire__batch=batch).order_by("pk"))
    exclusions = list(Exclusion.objects.all())
    return [
        *(lambda page=page: submit_all(page, value=1, now=when) for page in pages),
        *(lambda page=page: rate_one(page, when) for page in pages),
        *(lambda page=page: exclude_questionnaire(assignment=page, reason="x", now=when) for page in pages),
        *(lambda one=one: exclude_rater(rater=one, reason="x", now=when) for one in people),
        *(lambda one=one: undo_exclusion(exclusion=one, now=when) for one in exclusions),
        *(lambda one=one: claim_questionnaire(rater=one, now=when) for one in people),
        *(lambda one=one: stop_rating(rater=one) for one in people),
        lambda: make_rater(batch, now=when),
        lambda: add_raters(batch=batch, raters=1, now=when),
        lambda: pause_batch(batch=batch, now=when),
        lambda: resume_batch(batch=batch, now=when),
        lambda: close_batch(batch=batch, now=when),
        lambda: freeze_batch(batch=batch, clock=lambda: when),
    ]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turns=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 100)), min_size=3, max_size=12))
def test_nothing_frozen_changes_whatever_is_done(db, turns):
    batch, *_ = frozen_batch()
    before = state_of(batch)
    for number, hours in turns:
        choices = acts(batch, LATER + hours * HOUR)
        try:
            choices[number % len(choices)]()
        except ApplicationError:
            continue
    assert state_of(batch) == before


def test_the_recipe_of_the_documentation_verifies_a_file(tmp_path):
    _, snapshot, done, _, _ = frozen_batch()
    withdraw_rater(rater=done[0].rater, now=LATER)
    page = Path(__file__).parents[3].joinpath("docs/admins.md").read_text(encoding="utf-8")
    recipe = re.search(r"```python\n(.*?snapshot.*?)```", page, flags=re.DOTALL)[1]
    path = tmp_path / "snapshot.json"
    for lost, expected in ((0, True), (1, False)):
        file = describe_snapshot(snapshot)
        del file["ratings"][:lost]
        path.write_text(json.dumps(file), encoding="utf-8")
        found = {}
        exec(recipe.replace("snapshot.json", str(path)), found)  # noqa: S102 - our own documentation
        assert found["genuine"] is expected
