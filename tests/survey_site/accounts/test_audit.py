"""The audit log: written with the act, never changed, read by admins."""

from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.transaction import TransactionManagementError
from django.urls import reverse

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import AppendOnlyError, AuditEntry
from survey_site.batches.services import BatchSettings, close_batch, create_batch, launch_batch, update_batch
from survey_site.common.errors import ConflictError
from survey_site.corpus.models import Summary
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db
SETTINGS = BatchSettings(name="Pilot")


def entries():
    return list(AuditEntry.objects.order_by("pk").values_list("action", "actor_name", "subject", "at"))


def test_the_life_of_a_batch_is_written_down(admin):
    draft = create_batch(corpus=make_corpus(), settings=SETTINGS, created_by=admin, now=NOW)
    update_batch(batch=draft, settings=replace(SETTINGS, raters=3, claim_minutes=5), by=admin, now=NOW)
    live = launch_batch(batch=draft, by=admin, now=NOW)
    close_batch(batch=live, now=NOW)
    assert entries() == [
        ("batch planned", "adam", "Pilot", NOW),
        ("plan changed", "adam", "Pilot", NOW),
        ("batch launched", "adam", "Pilot", NOW),
        ("batch closed", "", "Pilot", NOW),
    ]
    changed, launched = AuditEntry.objects.order_by("pk")[1:3]
    assert changed.detail == {"raters": "2 → 3", "claim_minutes": "60 → 5"}
    assert launched.detail == {"questionnaires": 2, "ratings": 18}


def test_what_did_not_happen_is_not_written_down(admin):
    draft = make_batch(launched=False)
    Summary.objects.all().delete()
    with pytest.raises(ValidationError):
        launch_batch(batch=draft, by=admin, now=NOW)
    live = make_batch()
    with pytest.raises(ConflictError):
        update_batch(batch=live, settings=SETTINGS, by=admin, now=NOW)
    launch_batch(batch=live, by=admin, now=NOW)
    assert [action for action, *_ in entries()] == ["batch planned", "batch planned", "batch launched"]


def test_an_export_is_written_down(researcher_client):
    batch = make_batch()
    researcher_client.get(reverse("batches:ratings", args=[batch.pk], query={"include": "surplus"}))
    last = AuditEntry.objects.latest("pk")
    assert (last.action, last.actor_name, last.detail) == (
        "ratings exported",
        "rita",
        {"holds": "counted and surplus"},
    )


@pytest.mark.django_db(transaction=True)
def test_an_entry_needs_the_transaction_of_its_act():
    batch = make_batch()
    with pytest.raises(TransactionManagementError):
        record_action(action="nothing", subject=batch, by=None, now=NOW)


def test_entries_are_never_changed_or_deleted():
    make_batch()
    entry = AuditEntry.objects.first()
    entry.action = "something else"
    for change in (
        entry.save,
        entry.delete,
        AuditEntry.objects.all().delete,
        lambda: AuditEntry.objects.update(action="something else"),
        lambda: AuditEntry.objects.bulk_update([entry], ["action"]),
    ):
        with pytest.raises(AppendOnlyError), transaction.atomic():
            change()
    assert [action for action, *_ in entries()] == ["batch planned", "batch launched"]


def test_an_entry_outlives_its_author():
    author = make_user(username="eve", role="admin")
    create_batch(corpus=make_corpus(), settings=SETTINGS, created_by=author, now=NOW)
    author.delete()
    assert entries() == [("batch planned", "eve", "Pilot", NOW)]


def test_the_page_filters_by_action_person_and_batch(admin_client, admin):
    first, second = (make_batch(name=name) for name in ("First", "Second"))
    close_batch(batch=first, by=admin, now=NOW)

    def shown(**query):
        response = admin_client.get(reverse("accounts:audit", query=query))
        return [(entry.action, entry.subject) for entry in response.context["page"]]

    assert shown(action="batch closed") == [("batch closed", "First")]
    assert shown(actor="adam") == [("batch closed", "First")]
    assert shown(batch=second.pk) == [("batch launched", "Second"), ("batch planned", "Second")]
    assert len(shown()) == 5


def test_only_admins_read_the_log(researcher_client, admin_client):
    url = reverse("accounts:audit")
    assert researcher_client.get(url).status_code == 403
    assert b"No entries" in admin_client.get(url).content
