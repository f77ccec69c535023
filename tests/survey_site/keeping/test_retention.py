"""Retention: who raters were is deleted when its time is over; what they rated stays."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from survey_site.accounts.models import AuditEntry, StaffSession
from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch
from survey_site.keeping import retention
from survey_site.keeping.retention import RetentionRule, retain
from survey_site.quality.freezing import freeze_batch, is_intact
from survey_site.quality.models import PanelEvent
from survey_site.quality.panel_events import take_panel_event
from survey_site.reports.queries import FORGOTTEN_NOTE, survey_facts
from survey_site.scoring.adapters import ratings_of
from survey_site.scoring.rating_sets import record_ratings
from survey_site.survey.models import Assignment, BackgroundAnswer, Participation, Rater
from survey_site.survey.rating_rows import rating_rows
from tests.factories.batches import NOW
from tests.factories.scoring import make_rated_batch

LATER = NOW + timedelta(days=31)


def make_old(*, name="Pilot", days=0):
    """A batch closed so many days after NOW, whose first rater gave a name, an answer and a remark."""
    batch = make_rated_batch(name=name)
    rater = batch.people.first()
    Rater.objects.filter(pk=rater.pk).update(name="Ada")
    BackgroundAnswer.objects.create(rater=rater, question="age", choice="18 to 24")
    Assignment.objects.filter(pk=rater.assignments.first().pk).update(comment="A nice one", commented_at=NOW)
    Participation.objects.update_or_create(
        batch=batch, defaults={"kept_for": "a month", "questions": ["age"]}
    )
    return close_batch(batch=batch, now=NOW + timedelta(days=days))


def run(*, days=30, delete=True, now=LATER, **rule):
    *_, report = retain(rule=RetentionRule(days=days, **rule), delete=delete, now=now)
    return [(one.name, one.outcome, one.counts) for one in report.batches]


HELD = {
    "keyed hashes of panel ids, personal links and cookies": 2,
    "names": 1,
    "answers about themselves": 1,
}


@pytest.fixture
def old(db):
    return make_old()


def personal(batch):
    return [
        list(batch.people.values_list("key_hash", "name")),
        list(BackgroundAnswer.objects.values_list("choice", flat=True)),
        list(Assignment.objects.exclude(comment="").values_list("comment", flat=True)),
    ]


def test_a_dry_run_tells_and_changes_nothing(old):
    before = personal(old)
    assert run(delete=False) == [("Pilot", "to delete", HELD)]
    assert personal(old) == before
    assert not AuditEntry.objects.filter(action="personal data deleted").exists()


def test_what_panels_said_goes(old):
    take_panel_event(batch=old, event_id="e1", participant="p1", status="approved", now=NOW)
    said = {"what panels said of people": 1}
    assert run() == [("Pilot", "deleted", {**HELD, **said})]
    assert PanelEvent.objects.count() == 0


def test_who_they_were_goes_and_ratings_and_snapshot_stay(old):
    snapshot = freeze_batch(batch=old, clock=lambda: NOW)
    ratings = list(rating_rows(old))
    assert run() == [("Pilot", "deleted", HELD)]
    people, answers, remarks = personal(old)
    assert people == [(f"forgotten:{code}", "") for code in old.people.values_list("code", flat=True)]
    assert (answers, remarks) == ([], ["A nice one"])
    assert (list(rating_rows(old)), is_intact(snapshot)) == (ratings, True)
    entry = AuditEntry.objects.get(action="personal data deleted")
    assert (entry.subject, entry.actor_name, entry.detail) == ("Pilot", "", {**HELD, "days": 30})
    assert run() == [("Pilot", "nothing held", {})]
    assert run(remarks=True) == [("Pilot", "deleted", {"remarks": 1})]
    assert AuditEntry.objects.filter(action="personal data deleted").count() == 2


def test_batches_that_are_live_or_closed_since_or_in_progress_are_left_alone(old):
    make_rated_batch(name="Live")
    make_old(name="New", days=5)
    assignment = Assignment.objects.filter(questionnaire__batch=old).first()
    Assignment.objects.filter(pk=assignment.pk).update(
        state="open", submitted_at=None, expires_at=LATER + timedelta(hours=1)
    )
    assert run() == [("Pilot", "in progress", HELD)]
    assert Rater.objects.filter(key_hash__startswith="forgotten:").count() == 0


def test_a_run_that_is_killed_leaves_whole_batches_and_the_next_goes_on(old, monkeypatch):
    make_old(name="Second", days=1)
    record = retention.record_action

    def die_at_the_second(*, subject, **entry):
        if subject.name == "Second":
            raise KeyboardInterrupt
        return record(subject=subject, **entry)

    monkeypatch.setattr(retention, "record_action", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        run(days=20)
    forgotten = Batch.objects.filter(people__key_hash__startswith="forgotten:").distinct()
    assert [batch.name for batch in forgotten] == ["Pilot"]
    monkeypatch.undo()
    assert run(days=20) == [("Pilot", "nothing held", {}), ("Second", "deleted", HELD)]


def test_a_report_made_afterwards_says_that_nobody_knows_any_more(old):
    facts = survey_facts(old, ratings_of(record_ratings(batch=old, now=LATER)))
    assert ("participants" in facts, "forgotten" in facts) == (True, False)
    run()
    facts = survey_facts(old, ratings_of(record_ratings(batch=old, now=LATER)))
    assert ("participants" in facts, facts["forgotten"]) == (False, [FORGOTTEN_NOTE])


def test_the_command_writes_its_report_twice(old, tmp_path, settings, capsys):
    settings.CONCORD_DATA_DIR, settings.CONCORD_RETENTION_DAYS = tmp_path, 30
    call_command("retention", "--delete")
    record, text = sorted((tmp_path / "retention").iterdir())
    assert (record.suffix, text.suffix) == (".json", ".txt")
    (one,) = json.loads(record.read_text())["batches"]
    assert (one["outcome"], one["counts"], one["promised"]) == ("deleted", HELD, "a month")
    assert "deleted (keyed hashes of panel ids, personal links and cookies: 2; names: 1;" in text.read_text()
    assert text.read_text() in capsys.readouterr().out


def test_nothing_is_deleted_until_somebody_says_how_long_it_is_kept(old):
    with pytest.raises(CommandError, match="CONCORD_RETENTION_DAYS"):
        call_command("retention", "--delete")
    assert run(delete=False) == [("Pilot", "to delete", HELD)]


def test_expired_log_ins_of_staff_go_and_others_stay(researcher_client, admin_client, admin):
    StaffSession.objects.filter(user=admin).update(expire_date=NOW - timedelta(days=1))
    StaffSession.objects.exclude(user=admin).update(expire_date=NOW + timedelta(days=1))
    (told,), (done,) = (
        list(retain(rule=RetentionRule(days=30), delete=delete, now=NOW)) for delete in (False, True)
    )
    assert (told.expired_sessions, done.expired_sessions) == (1, 1)
    assert list(StaffSession.objects.values_list("user__username", flat=True)) == ["rita"]
