"""Staff's pages of webhooks: whose they are, the secret shown once, the log, and its buttons."""

import pytest

from survey_site.accounts.models import AuditEntry
from survey_site.webhooks.models import Delivery, Endpoint
from survey_site.webhooks.signing import secret_of
from tests.factories.accounts import make_user
from tests.factories.batches import make_batch
from tests.factories.webhooks import deliver_at, make_webhook

pytestmark = pytest.mark.django_db
FORM = {"address": "https://example.org/hook", "events": ["report.ready", "batch.launched"]}


@pytest.fixture
def own(client):
    user = make_user(role="researcher")
    client.force_login(user)
    return user


def test_a_webhook_is_made_and_its_secret_shown_once(client, own):
    page = client.post("/webhooks/", FORM)
    endpoint = Endpoint.objects.get()
    assert (endpoint.owner, endpoint.events) == (own, ["batch.launched", "report.ready"])
    assert secret_of(endpoint) in page.text
    assert f'action="{endpoint.get_absolute_url()}test/"' in page.text
    for address in ("/webhooks/", endpoint.get_absolute_url()):
        assert secret_of(endpoint) not in client.get(address).text


def test_an_address_inside_is_refused_with_words(client, own):
    page = client.post("/webhooks/", {**FORM, "address": "https://10.0.0.1/"})
    assert (page.status_code, Endpoint.objects.count()) == (422, 0)
    assert "10.0.0.1 is an address inside a private network." in page.text


def test_the_audit_log_holds_no_path_which_may_be_a_secret(client, own):
    client.post("/webhooks/", {**FORM, "address": "https://example.org:8443/hooks/s3cret?key=s3cret"})
    address = Endpoint.objects.get().get_absolute_url()
    client.post(address, {**FORM, "address": "https://example.org/s3cret"})
    client.post(f"{address}delete/")
    details = list(AuditEntry.objects.filter(action__startswith="webhook").values_list("detail", flat=True))
    assert [one.get("site") for one in details] == [
        "https://example.org",
        "https://example.org",
        "https://example.org:8443",
    ]
    assert "s3cret" not in str(details)


def test_it_is_changed(client, own):
    endpoint = make_webhook("https://example.org/", owner=own)
    assert client.post(endpoint.get_absolute_url(), FORM).status_code == 302
    endpoint.refresh_from_db()
    assert (endpoint.address, endpoint.events) == (FORM["address"], ["batch.launched", "report.ready"])


def test_the_log_says_what_was_sent_and_what_came_back(client, own, receiver):
    receiver.status, receiver.answer = 503, b"<b>busy</b>"
    endpoint = make_webhook(receiver.address, owner=own)
    make_batch()
    deliver_at()
    page = client.get(endpoint.get_absolute_url()).text
    assert "&quot;type&quot;:&quot;batch.launched&quot;" in page
    assert "status 503" in page
    assert f"To {receiver.address}" in page
    assert "&lt;b&gt;busy&lt;/b&gt;" in page


def test_the_buttons_do_what_they_say(client, own, receiver):
    endpoint = make_webhook(receiver.address, owner=own)
    address = endpoint.get_absolute_url()
    client.post(f"{address}test/")
    delivery = Delivery.objects.get()
    deliver_at(delivery.due_at)
    client.post(f"{address}deliveries/{delivery.pk}/replay/")
    delivery.refresh_from_db()
    deliver_at(delivery.due_at)
    assert len(receiver.came) == 2
    client.post(f"{address}off/")
    endpoint.refresh_from_db()
    assert (endpoint.is_active, endpoint.off_because) == (False, f"Switched off by {own.username}.")
    client.post(f"{address}on/")
    endpoint.refresh_from_db()
    assert endpoint.is_active
    before = secret_of(endpoint)
    page = client.post(f"{address}rotate/").text
    endpoint.refresh_from_db()
    assert secret_of(endpoint) in page
    assert before != secret_of(endpoint)
    client.post(f"{address}delete/")
    assert (Endpoint.objects.count(), Delivery.objects.count()) == (0, 0)


def test_researchers_see_their_own_and_admins_all(client, own):
    other = make_webhook("https://other.example.org/")
    addresses = [f"/webhooks/{other.pk}/", f"/webhooks/{other.pk}/test/", f"/webhooks/{other.pk}/delete/"]
    assert [client.post(one, FORM).status_code for one in addresses] == [404, 404, 404]
    assert "other.example.org" not in client.get("/webhooks/").text
    client.force_login(make_user(role="admin"))
    assert "other.example.org" in client.get("/webhooks/").text
    assert client.get(addresses[0]).status_code == 200
