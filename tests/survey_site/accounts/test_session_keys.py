"""The key of a session changes when somebody logs in: nobody gets in with one that was known before."""

import pytest
from django.test import Client
from django.utils import timezone

from survey_site.accounts.links import make_reset_link
from survey_site.accounts.models import ExternalLogin, StaffSession
from survey_site.accounts.sessions import hashed_key
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.openid_provider import way_back
from tests.factories.second_step import give_second_step

pytestmark = pytest.mark.django_db
PASSWORD, NEW = "what it was before", "quite another 42 words"
RIGHT = {"username": "rita", "password": PASSWORD}


def key(client):
    return client.cookies["sessionid"].value


def opens(known):
    client = Client()
    client.cookies["sessionid"] = known
    return client.get("/corpora/").status_code == 200


@pytest.fixture
def rita():
    return make_user(username="rita", password=PASSWORD)


def test_a_log_in_has_another_key_than_the_visit_before_it(client, rita):
    """Whoever opened a link has a session before they log in."""
    client.get(make_reset_link(user=make_user(), by=None, now=timezone.now()).path)
    before = key(client)
    client.post("/accounts/login/", RIGHT)
    assert [opens(one) for one in (before, key(client))] == [False, True]
    assert list(StaffSession.objects.values_list("session_key", flat=True)) == [hashed_key(key(client))]


def test_another_log_in_in_the_same_browser_has_another_key(client, rita):
    client.post("/accounts/login/", RIGHT)
    first = key(client)
    client.post("/accounts/logout/")
    client.post("/accounts/login/", RIGHT)
    assert [opens(one) for one in (first, key(client))] == [False, True]


def test_password_and_code_each_bring_another_key(client, rita, app):
    give_second_step(rita, app)
    client.get(make_reset_link(user=make_user(), by=None, now=timezone.now()).path)
    keys = [key(client)]
    client.post("/accounts/login/", RIGHT)
    keys.append(key(client))
    client.post("/accounts/login/code/", {"code": app.code()})
    keys.append(key(client))
    assert len(set(keys)) == 3
    assert [opens(one) for one in keys] == [False, False, True]


def test_coming_back_from_the_provider_brings_another_key(client, rita, provider):
    ExternalLogin.objects.create(user=rita, issuer=provider.url, subject="person-1", linked_at=NOW)
    back = way_back(client)
    before = key(client)
    client.get(back)
    assert [opens(one) for one in (before, key(client))] == [False, True]


def test_a_new_password_brings_another_key(client, rita):
    client.post("/accounts/login/", RIGHT)
    before = key(client)
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    client.post("/accounts/you/password/", form)
    assert [opens(one) for one in (before, key(client))] == [False, True]


def test_the_password_typed_again_brings_another_key(client, rita):
    """For another e-mail address; what else is saved there asks for no password, and keeps the key."""
    client.post("/accounts/login/", RIGHT)
    first = key(client)
    client.post("/accounts/you/details/", {"email": "", "notices_by_mail": ""})
    assert key(client) == first
    client.post("/accounts/you/details/", {"email": "rita@example.org", "current_password": PASSWORD})
    assert [opens(one) for one in (first, key(client))] == [False, True]


def test_the_password_typed_to_link_and_unlink_brings_another_key_each(client, rita, provider):
    client.post("/accounts/login/", RIGHT)
    keys = [key(client)]
    for address in ("/accounts/you/openid/", "/accounts/you/openid/unlink/"):
        client.post(address, {"typed": PASSWORD})
        keys.append(key(client))
    assert len(set(keys)) == 3
    assert [opens(one) for one in keys] == [False, False, True]
