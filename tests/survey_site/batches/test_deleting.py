"""A draft can be deleted, with what was decided about it; a launched batch never."""

import pytest
from django.urls import reverse

from survey_site.accounts.models import AuditEntry
from survey_site.batches.models import Batch, Translation
from survey_site.batches.services import close_batch, delete_batch
from survey_site.batches.translations import save_translation
from survey_site.common.errors import ConflictError
from survey_site.corpus.models import Corpus
from survey_site.survey.models import ConsentText, Participation
from survey_site.survey.people.participation import create_invitations, save_consent_text
from tests.factories.batches import NOW, make_batch

pytestmark = pytest.mark.django_db


def make_draft(**settings):
    """A draft with everything that may hang on one."""
    draft = make_batch(launched=False, languages=["en", "ar"], **settings)
    save_translation(batch=draft, language="ar", wording={"question": "?"}, now=NOW)
    save_consent_text(batch=draft, text="Ours", now=NOW)
    create_invitations(batch=draft, count=3, now=NOW)
    return draft


def test_a_draft_goes_with_its_wording_and_leaves_its_entries(admin):
    other = make_batch(launched=False, name="Other")
    draft = make_draft(corpus=other.corpus)
    delete_batch(batch=draft, by=admin, now=NOW)
    assert list(Batch.objects.all()) == [other]
    assert [model.objects.count() for model in (Translation, ConsentText, Participation)] == [0, 0, 0]
    assert list(Corpus.objects.all()) == [other.corpus]
    last = AuditEntry.objects.latest("pk")
    assert (last.action, last.actor, last.at, last.subject, last.detail) == (
        "draft deleted",
        admin,
        NOW,
        "Pilot",
        {"corpus": other.corpus.name},
    )
    assert AuditEntry.objects.filter(subject_id=last.subject_id, subject="Pilot").count() == 5


@pytest.mark.parametrize("closed", [False, True])
def test_a_launched_batch_is_never_deleted(closed):
    batch = make_batch()
    if closed:
        close_batch(batch=batch, now=NOW)
    with pytest.raises(ConflictError, match="is launched"):
        delete_batch(batch=batch, now=NOW)
    assert list(Batch.objects.all()) == [batch]
    assert AuditEntry.objects.filter(action="draft deleted").count() == 0


def test_an_admin_is_asked_before_and_sees_the_entry_afterwards(admin_client):
    draft = make_draft()
    url = reverse("batches:delete", args=[draft.pk])
    assert url in admin_client.get(draft.get_absolute_url()).content.decode()
    asked = admin_client.get(url).content.decode()
    assert "Delete the draft “Pilot”?" in asked
    assert "3 personal links would lead nowhere" in asked
    assert Batch.objects.count() == 1
    response = admin_client.post(url, follow=True)
    assert response.redirect_chain == [(reverse("batches:list"), 302)]
    assert "The draft “Pilot” is deleted." in response.content.decode()
    assert Batch.objects.count() == 0
    log = admin_client.get(reverse("accounts:audit")).content.decode()
    assert log.count('Pilot <span class="badge">deleted</span>') == 5
    assert draft.get_absolute_url() not in log


def test_the_page_of_a_launched_batch_leads_back_to_it(admin_client):
    batch = make_batch()
    url = reverse("batches:delete", args=[batch.pk])
    assert url not in admin_client.get(batch.get_absolute_url()).content.decode()
    assert admin_client.get(url).url == batch.get_absolute_url()
    assert admin_client.post(url).status_code == 409
    assert Batch.objects.count() == 1


def test_a_draft_without_personal_links_is_not_said_to_have_any(admin_client):
    draft = make_batch(launched=False)
    page = admin_client.get(reverse("batches:delete", args=[draft.pk])).content.decode()
    assert "lead nowhere" not in page
