"""A NUL character, which PostgreSQL can neither store nor look for, is refused wherever it stands."""

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.survey.models import Rater, Rating
from tests.factories.batches import make_batch
from tests.survey_site.survey.pages.test_pages import codes, join_key, start, url

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address", ["/s/%00/", "/s/a/q/%00/", "/?page=%00", "/?%00=1", "/accounts/login/?next=%00"]
)
def test_in_an_address(client, address):
    assert client.get(address).status_code == 400


def test_in_what_somebody_joins_with(client):
    batch = make_batch()
    key = join_key(client.get(url("join", batch)))
    assert client.post(url("start", batch), {"key": key, "name": "A\0da"}).status_code == 400
    assert Rater.objects.count() == 0


def test_in_an_answer():
    batch, client = make_batch(), Client()
    address = start(client, batch).url
    name = codes(client.get(address))[0]
    sent = [
        client.post(f"{address}rate/", {"item": "\0", "value": 3}),
        client.post(f"{address}rate/", {"item": name.removeprefix("rating-"), "value": "3\0"}),
        client.post(f"{address}rate/", {"comment": "cut\0off"}),
        client.post(address, {name: 3, "rating-\0": 3}),
    ]
    assert [answer.status_code for answer in sent] == [400] * 4
    assert Rating.objects.count() == 0
    assert client.post(address, {name: 3}).status_code == 422
    assert Rating.objects.count() == 1


def test_in_a_form_of_staff(admin_client):
    address = reverse("batches:change-participation", args=[make_batch(launched=False).pk])
    answer = admin_client.post(address, {"entry": "open", "panel_parameter": "P\0D"})
    assert answer.status_code == 400
