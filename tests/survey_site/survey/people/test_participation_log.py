"""Who changes how people take part is written down: settings, personal links, consent texts."""

import pytest
from django.urls import reverse

from survey_site.accounts.models import AuditEntry
from survey_site.common.errors import ConflictError
from survey_site.survey.people.participation import (
    ParticipationSettings,
    create_invitations,
    save_consent_text,
    save_participation,
)
from tests.factories.batches import NOW, make_batch

pytestmark = pytest.mark.django_db


def entries(batch):
    found = AuditEntry.objects.filter(subject_id=batch.pk, at=NOW).order_by("pk")
    return [(one.action, one.actor_name, one.detail) for one in found.exclude(action__startswith="batch")]


def test_changed_settings_are_named_and_codes_are_not_repeated(admin):
    batch = make_batch(launched=False, identical_share=100)
    codes = {"completed_code": "SECRET", "no_place_code": "FULL", "failed_code": "FAILED"}
    wanted = ParticipationSettings(entry="panel", limit=4, questions=["age"], failed_controls=2, **codes)
    for _ in range(2):
        save_participation(batch=batch, settings=wanted, by=admin, now=NOW)
    detail = {
        "questions": " → age",
        "entry": "open → panel",
        "limit": "None → 4",
        "failed_controls": "None → 2",
    } | dict.fromkeys(codes, "changed")
    assert entries(batch) == [("participation changed", "adam", detail)]


def test_links_and_consent_texts_are_written_down(admin):
    batch = make_batch()
    create_invitations(batch=batch, count=3, by=admin, now=NOW)
    for _ in range(2):
        save_consent_text(batch=batch, text="Ours", by=admin, now=NOW)
    made, changed = entries(batch)
    assert made == ("personal links made", "adam", {"made": 3, "in all": 3})
    assert (changed[0], changed[1], changed[2]["version"]) == ("consent text changed", "adam", 2)


def test_what_is_refused_is_not_written_down(admin):
    batch = make_batch()
    with pytest.raises(ConflictError):
        save_participation(batch=batch, settings=ParticipationSettings(limit=1), by=admin, now=NOW)
    assert entries(batch) == []


def test_pages_name_the_admin(admin_client):
    batch = make_batch(launched=False)

    def post(name, **data):
        response = admin_client.post(reverse(f"batches:{name}", args=[batch.pk]), data)
        assert response.status_code == 302

    post("change-participation", entry="panel", panel_parameter="PID")
    post("change-consent", text="Ours")
    post("add-invitations", count="2")
    assert admin_client.get(reverse("batches:invitations", args=[batch.pk])).status_code == 200
    found = AuditEntry.objects.filter(actor_name="adam").order_by("pk").values_list("action", flat=True)
    assert list(found) == [
        "participation changed",
        "consent text changed",
        "personal links made",
        "personal links exported",
    ]
