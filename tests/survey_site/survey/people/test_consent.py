"""Consent comes first: versioned, recorded with its version and time; refusing is a normal ending."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.batches.services import close_batch
from survey_site.common.errors import ApplicationError, ConflictError, InvalidInputError
from survey_site.survey.models import Assignment, Consent, ConsentText, Participation, Rater
from survey_site.survey.people import consent
from survey_site.survey.people.consent import consent_wording
from survey_site.survey.people.joining import join_batch
from survey_site.survey.people.participation import (
    ParticipationSettings,
    read_participation,
    save_consent_text,
    save_participation,
)
from tests.factories.batches import NOW, make_batch

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def url(name, batch):
    return reverse(f"survey:{name}", args=[batch.token])


def join_page(client, batch):
    return client.get(url("join", batch)).content.decode()


def key_of(page):
    return re.search(r'name="key" value="([^"]+)"', page).group(1)


def test_the_first_page_shows_the_text_and_the_start_records_it(client):
    batch = make_batch(launched=True)
    page = join_page(client, batch)
    assert "We store no network address" in page
    assert (Rater.objects.count(), ConsentText.objects.count()) == (0, 0)
    assert client.post(url("start", batch), {"key": key_of(page)}).status_code == 302
    consent = Consent.objects.select_related("text").get()
    assert (consent.rater, consent.text.version) == (Rater.objects.get(), 1)
    assert consent.text.text == consent_wording(batch, read_participation(batch)).text
    assert 'name="key"' not in join_page(client, batch)


def test_refusing_ends_kindly_and_stores_nothing(client):
    batch = make_batch()
    assert f'href="{url("declined", batch)}"' in join_page(client, batch)
    response = client.get(url("declined", batch))
    assert (response.status_code, "nothing about you is stored" in response.content.decode()) == (200, True)
    assert "rater" not in client.cookies
    assert Rater.objects.count() == 0


@pytest.mark.parametrize("key", ["", "nonsense"])
def test_nobody_is_let_in_or_stored_without_having_seen_the_text(client, key):
    batch = make_batch()
    response = client.post(url("start", batch), {"key": key})
    assert (response.status_code, "have not agreed" in response.content.decode()) == (409, True)
    assert (Rater.objects.count(), Assignment.objects.count()) == (0, 0)


def test_the_service_lets_only_simulated_raters_in_without_consent():
    batch = make_batch()
    with pytest.raises(ConflictError, match="have not agreed"):
        join_batch(batch=batch, secret="a", now=NOW)
    with pytest.raises(ConflictError, match="have not agreed"):
        join_batch(batch=batch, secret="a", consent=7, now=NOW)
    join_batch(batch=batch, secret="s", simulated=True, now=NOW)
    assert (Rater.objects.count(), Consent.objects.count()) == (1, 0)


def test_a_change_while_people_join_keeps_what_each_of_them_read(client):
    batch = make_batch()
    early = key_of(join_page(client, batch))
    default = consent_wording(batch, read_participation(batch)).text
    assert save_consent_text(batch=batch, text=" New words. ", now=LATER).version == 2
    client.post(url("start", batch), {"key": early})
    newcomer = Client()
    page = join_page(newcomer, batch)
    assert ("New words." in page, "We store no network address" in page) == (True, False)
    newcomer.post(url("start", batch), {"key": key_of(page)})
    agreed = Consent.objects.order_by("pk").values_list("text__version", "text__text")
    assert list(agreed) == [(1, default), (2, "New words.")]


def test_who_agrees_while_the_first_change_is_saved_agreed_to_what_they_read(monkeypatch):
    """The default text, which the first who agrees stores, is stored by the change a moment earlier."""
    batch = make_batch()

    def changed_just_before(*asked):
        monkeypatch.undo()
        save_consent_text(batch=batch, text="New words.", now=LATER)
        return consent_wording(*asked)

    monkeypatch.setattr(consent, "consent_wording", changed_just_before)
    rater = join_batch(batch=batch, secret="a", consent=1, now=LATER)
    assert (rater.consent.text.version, ConsentText.objects.count()) == (1, 2)


def test_the_same_text_again_is_no_new_version():
    batch = make_batch()
    save_consent_text(batch=batch, text="One\n\nTwo", now=NOW)
    assert save_consent_text(batch=batch, text="One\r\n\r\nTwo\r\n", now=LATER).version == 2
    assert list(batch.consent_texts.values_list("version", flat=True)) == [1, 2]


def test_a_default_that_an_earlier_release_stored_is_no_text_of_an_admin():
    """Else it would stand for every language, in place of the default in that language."""
    batch = make_batch(languages=["en", "ar"])
    before = consent_wording(batch, read_participation(batch)).text.replace("read texts", "read short texts")
    ConsentText.objects.create(batch=batch, language="en", version=1, text=before, created_at=NOW)
    english, arabic = (consent_wording(batch, read_participation(batch), one) for one in batch.languages)
    assert (english.text, arabic.language) == (before, "ar")


def test_a_draft_begins_with_the_text_of_its_admin():
    batch = make_batch(launched=False)
    assert save_consent_text(batch=batch, text="Ours", now=NOW).version == 1


def test_an_empty_text_is_refused():
    with pytest.raises(InvalidInputError):
        save_consent_text(batch=make_batch(), text="  \n", now=NOW)


def test_a_rater_from_before_agrees_when_they_come_back(client):
    batch = make_batch()
    client.post(url("start", batch), {"key": key_of(join_page(client, batch))})
    Consent.objects.all().delete()
    assert client.post(url("start", batch)).status_code == 409
    client.post(url("start", batch), {"key": key_of(join_page(client, batch))})
    assert (Rater.objects.count(), Consent.objects.count()) == (1, 1)


def test_a_launched_batch_keeps_its_settings():
    batch = make_batch()
    with pytest.raises(ConflictError):
        save_participation(batch=batch, settings=ParticipationSettings(questions=["age"]), now=NOW)
    assert Participation.objects.count() == 0


def test_unknown_questions_are_refused():
    with pytest.raises(ApplicationError, match="shoe-size"):
        save_participation(
            batch=make_batch(launched=False),
            settings=ParticipationSettings(questions=["shoe-size"]),
            now=NOW,
        )


def page_url(name, batch):
    return reverse(f"batches:{name}", args=[batch.pk])


def test_admins_change_and_researchers_read(admin_client, researcher_client, client):
    batch = make_batch(launched=False)
    data = {"questions": ["age", "field"], "fields_of_study": "Law\nArt", "entry": "open"}
    data["panel_parameter"] = "PID"
    for name in ("change-participation", "change-consent"):
        assert researcher_client.post(page_url(name, batch), data).status_code == 403
    assert client.get(page_url("participation", batch)).status_code == 302
    assert admin_client.post(page_url("change-participation", batch), data).status_code == 302
    assert admin_client.post(page_url("change-consent", batch), {"text": "Ours"}).status_code == 302
    stored = Participation.objects.get()
    assert (stored.questions, stored.fields_of_study) == (["age", "field"], "Law\nArt")
    page = researcher_client.get(page_url("participation", batch)).content.decode()
    assert ("Ours" in page, "Save the" in page) == (True, False)
    assert "Save the settings" in admin_client.get(page_url("participation", batch)).content.decode()


def test_what_cannot_be_saved_is_shown_again(admin_client):
    batch = make_batch(launched=False)
    for name, data in (("change-consent", {"text": ""}), ("change-participation", {"questions": "x"})):
        response = admin_client.post(page_url(name, batch), data)
        assert response.status_code == 422
        assert "field__error" in response.content.decode()


def test_a_closed_batch_shows_its_text_to_read(admin_client):
    batch = make_batch()
    close_batch(batch=batch, now=NOW)
    assert "Save the text" not in admin_client.get(page_url("participation", batch)).content.decode()
