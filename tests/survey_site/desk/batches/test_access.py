"""Who may open which page of a batch."""

import pytest
from django.urls import reverse

from tests.factories.batches import make_batch
from tests.survey_site.desk.batches.pages import url

pytestmark = pytest.mark.django_db
READ = ["monitor", "preview", "ratings", "progress"]
CHANGE = ["edit", "delete", "launch", "close"]


@pytest.fixture
def batch():
    return make_batch()


@pytest.mark.parametrize("name", READ + CHANGE)
def test_nobody_sees_a_batch_without_logging_in(client, batch, name):
    response = client.get(url(name, batch.pk))
    assert (response.status_code, response.url.split("?")[0]) == (302, reverse("accounts:login"))


@pytest.mark.parametrize("name", READ)
def test_researchers_read(researcher_client, batch, name):
    assert researcher_client.get(url(name, batch.pk)).status_code == 200


@pytest.mark.parametrize("name", CHANGE)
@pytest.mark.parametrize("method", ["get", "post"])
def test_researchers_do_not_change(researcher_client, name, method):
    draft = make_batch(launched=False)
    assert getattr(researcher_client, method)(url(name, draft.pk)).status_code == 403
    draft.refresh_from_db()
    assert draft.status == "draft"
