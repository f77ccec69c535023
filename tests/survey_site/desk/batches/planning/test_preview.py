"""The preview of a batch: the raters' page, and nothing stored."""

import pytest

from survey_site.batches.models import Questionnaire
from survey_site.survey.models import Rater
from tests.factories.batches import make_batch
from tests.survey_site.desk.batches.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    return make_batch()


@pytest.mark.parametrize("launched", [True, False])
def test_a_preview_is_the_rater_s_page_and_stores_nothing(researcher_client, launched):
    batch = make_batch(launched=launched)
    before = Questionnaire.objects.count()
    page = researcher_client.get(url("preview", batch.pk, number=2)).content.decode()
    assert "Preview for you" in page
    assert "Questionnaire 2 of 2" in page
    assert "Very low similarity" in page
    assert page.count("Text 1") == 3
    frame, questionnaire = page.split('id="rating-form"')
    assert "/accounts/logout/" in frame
    assert [part in questionnaire for part in ("csrfmiddlewaretoken", "action=", "rating.js")] == [False] * 3
    assert (Questionnaire.objects.count(), Rater.objects.count()) == (before, 0)


@pytest.mark.parametrize(("number", "shown"), [("0", 1), ("99", 2), ("x", 1), ("-3", 1)])
def test_a_preview_number_off_the_list_shows_the_nearest(researcher_client, batch, number, shown):
    page = researcher_client.get(url("preview", batch.pk, number=number)).content.decode()
    assert f"Questionnaire {shown} of 2" in page
