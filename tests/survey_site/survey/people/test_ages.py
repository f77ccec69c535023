"""Bands of age: those of a batch, in order and without a gap, shown in every language."""

import pytest
from django.urls import reverse
from django.utils.translation import override

from survey_site.accounts.audit import audit_entries
from survey_site.batches.services import launch_batch
from survey_site.common.errors import ConflictError, InvalidInputError
from survey_site.survey.models import BackgroundAnswer
from survey_site.survey.people.ages import DEFAULT_BANDS, listed_bands, translated_band
from survey_site.survey.people.background import asked_questions
from survey_site.survey.people.participation import (
    ParticipationSettings,
    read_participation,
    save_background,
    save_participation,
)
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import make_rater

OWN = "under 20\n20-29\n\n 30+ "


def test_bands_are_read_as_they_are_written_and_stored_alike():
    assert listed_bands(OWN) == ("Under 20", "20 to 29", "30 or older")
    assert listed_bands("25 to 40") == ("25 to 40",)
    assert listed_bands(" \n") == DEFAULT_BANDS
    assert listed_bands("\n".join(DEFAULT_BANDS)) == DEFAULT_BANDS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("young", "“young” is no band of age"),
        ("30 to 20", "“30 to 20” is no band of age"),
        ("100 to 121", "“100 to 121” is no band of age"),
        ("under 0", "“under 0” is no band of age"),
        ("20 to 30\n30 to 40", "“30 to 40” after “20 to 30” overlaps or goes back"),
        ("30 to 40\n20 to 29", "“20 to 29” after “30 to 40” overlaps or goes back"),
        ("20 to 29\n31 to 40", "“31 to 40” after “20 to 29” leaves out 30"),
        ("20 to 29\n41 to 50", "leaves out 30 to 40"),
        ("65 or older\n66 to 70", "“66 to 70” after “65 or older” overlaps or goes back"),
    ],
)
def test_bands_that_nobody_could_choose_by_are_refused(text, message):
    with pytest.raises(InvalidInputError) as caught:
        listed_bands(text)
    assert message in caught.value.message


def test_a_stored_band_is_shown_in_the_language_of_the_page():
    with override("ar"):
        assert translated_band("20 to 29") == "من 20 إلى 29"
        assert translated_band("30 or older") == "30 فأكثر"
        assert translated_band("Under 20") == "أقل من 20"
    assert translated_band("of age") == "of age"


@pytest.mark.django_db
def test_a_batch_asks_by_its_own_bands_and_not_to_say_is_always_there():
    batch = make_batch(launched=False)
    settings = ParticipationSettings(questions=["age"], age_bands=OWN)
    save_participation(batch=batch, settings=settings, now=NOW)
    (question,) = asked_questions(read_participation(batch))
    assert question.choices == ("Under 20", "20 to 29", "30 or older")
    (entry,) = audit_entries(action="participation changed")
    assert "20-29" in entry.detail["age_bands"]
    rater = make_rater(launch_batch(batch=batch, now=NOW))
    with pytest.raises(InvalidInputError):
        save_background(rater=rater, answers={"age": "18 to 24"})
    save_background(rater=rater, answers={"age": ""})
    assert BackgroundAnswer.objects.get().choice == ""


@pytest.mark.django_db
def test_bands_stay_once_people_may_have_answered():
    with pytest.raises(ConflictError):
        save_participation(batch=make_batch(), settings=ParticipationSettings(age_bands=OWN), now=NOW)


@pytest.mark.django_db
def test_the_form_says_what_is_wrong_beside_the_field(admin_client):
    batch = make_batch(launched=False)
    address = reverse("batches:change-participation", args=[batch.pk])
    sent = {"entry": "open", "panel_parameter": "PROLIFIC_PID", "questions": ["age"]}
    response = admin_client.post(address, {**sent, "age_bands": "20 to 30\n30 to 40"})
    assert response.status_code == 422
    assert response.context["settings_form"].errors == {
        "age_bands": ["“30 to 40” after “20 to 30” overlaps or goes back. Let it begin at 31."]
    }
    assert admin_client.post(address, {**sent, "age_bands": OWN}).status_code == 302
    assert read_participation(batch).age_bands.splitlines()[0] == "under 20"
