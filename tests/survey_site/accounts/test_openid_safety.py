"""What must not happen by way of a provider: taken accounts, a held site, secrets in the clear, lost time."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from survey_site.accounts import openid, openid_client, openid_links, openid_views
from survey_site.accounts.mails import mail_forgotten
from survey_site.accounts.models import AccountLink, ExternalLogin, User
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.openid_provider import OTHER_KEY, START, YOU, there_and_back, who

pytestmark = pytest.mark.django_db
PASSWORD = "what it was before"


@pytest.mark.parametrize(
    ("here", "there"),
    [("mike@example.org", "m\u0131ke@example.org"), ("m\u0131ke@example.org", "mike@example.org")],
)
def test_no_other_letter_counts_as_the_same_address(provider, client, settings, here, there):
    settings.CONCORD_OIDC_BY_EMAIL = True
    make_user(username="mike")
    User.objects.update(email=here)
    provider.claims = {"email": there, "email_verified": True}
    assert (there_and_back(client).status_code, ExternalLogin.objects.count()) == (403, 0)


def test_a_password_typed_to_link_allows_that_for_ten_minutes_and_once(provider, monkeypatch):
    client = Client()
    client.force_login(make_user(username="rita", password=PASSWORD))
    client.post(f"{YOU}openid/", {"typed": PASSWORD})
    later = timezone.now() + timedelta(minutes=10)
    with monkeypatch.context() as clock:
        clock.setattr(openid_views.timezone, "now", lambda: later)
        assert client.get(START).headers["Location"] == "/"
    assert client.get(START).headers["Location"] == "/"
    client.post(f"{YOU}openid/", {"typed": PASSWORD})
    assert client.get(START).headers["Location"].startswith(f"{provider.url}/authorize?")
    assert client.get(START).headers["Location"] == "/"


def test_no_code_goes_where_others_could_read_along(provider, client, caplog):
    provider.says = {"token_endpoint": "http://login.example.org/token"}
    assert client.get(START).status_code == 403
    said = [one.getMessage() for one in caplog.records if one.name == "survey_site.accounts.openid"]
    assert ["token_endpoint must begin with https://" in one for one in said] == [True]


def test_a_provider_that_hangs_holds_few_requests(provider, client, monkeypatch):
    monkeypatch.setattr(openid, "WAIT_SECONDS", 0)
    held = [openid._waiting.acquire(blocking=False) for _ in range(openid.AT_ONCE)]
    try:
        answer = client.get(START)
        assert (answer.status_code, "Campus answers slowly" in answer.content.decode()) == (403, True)
        assert client.get("/accounts/login/").status_code == 200
    finally:
        for _ in held:
            openid._waiting.release()
    assert provider.paths == []
    assert client.get(START).status_code == 302


def test_after_an_hour_the_provider_is_asked_anew_for_its_keys(provider, client, monkeypatch):
    """A key that takes the place of another under the same name is not found by its name."""
    ExternalLogin.objects.create(
        user=make_user(username="rita"), issuer=provider.url, subject="person-1", linked_at=NOW
    )
    there_and_back(client)
    provider.published = [type(OTHER_KEY).import_key(OTHER_KEY.as_dict(private=True) | {"kid": "one"})]
    provider.key = provider.published[0]
    other = Client()
    assert there_and_back(other).status_code == 403
    hour = openid_client.time.time() + openid_client.KNOWN_SECONDS
    monkeypatch.setattr(openid_client.time, "time", lambda: hour)
    there_and_back(other)
    assert who(other) == "rita"


def test_two_new_people_of_one_name_at_once_are_told_to_come_again(provider, client, settings, monkeypatch):
    settings.CONCORD_OIDC_NEW_ROLE = "auditor"
    make_user(username="nina")
    monkeypatch.setattr(openid_links, "_free_name", lambda _wished: "nina")
    answer = there_and_back(client)
    assert (answer.status_code, "Log in once more" in answer.content.decode()) == (409, True)
    assert User.objects.count() == 1


@pytest.mark.parametrize("subject", ["", "x" * 256, "a\0b"])
def test_a_name_that_no_column_takes_is_refused(provider, client, settings, subject):
    settings.CONCORD_OIDC_NEW_ROLE = "auditor"
    provider.claims = {"sub": subject}
    assert (there_and_back(client).status_code, User.objects.count()) == (403, 0)


def test_an_address_longer_than_any_is_left_out(provider, client, settings):
    settings.CONCORD_OIDC_NEW_ROLE = "auditor"
    provider.claims = {"email": f"{'x' * 250}@example.org", "email_verified": True}
    assert there_and_back(client).headers["Location"] == "/"
    assert list(User.objects.values_list("email", flat=True)) == [""]


def test_a_mailbox_gives_no_password_to_who_logs_in_by_the_provider(provider):
    for name, password in (("nina", None), ("rita", PASSWORD)):
        user = make_user(username=name, password=password)
        ExternalLogin.objects.create(user=user, issuer=provider.url, subject=name, linked_at=NOW)
    make_user(username="uma")
    User.objects.update(email="all@example.org")
    mail_forgotten(email="all@example.org", now=NOW)
    assert sorted(AccountLink.objects.values_list("user__username", flat=True)) == ["rita", "uma"]


@pytest.mark.parametrize("way", ["by oneself", "by e-mail"])
def test_who_is_linked_is_told_by_mail_once(provider, settings, way):
    settings.CONCORD_MAILS, settings.CONCORD_SITE_URL = True, "https://concord.example.org"
    settings.CONCORD_OIDC_BY_EMAIL = True
    rita = make_user(username="rita", password=PASSWORD)
    User.objects.update(email="rita@example.org")
    provider.claims = {"email": "rita@example.org", "email_verified": True}
    client = Client()
    if way == "by oneself":
        client.force_login(rita)
        client.post(f"{YOU}openid/", {"typed": PASSWORD})
    there_and_back(client)
    there_and_back(Client())
    assert [(one.to, "“rita” of Concord by Campus now" in one.body) for one in mail.outbox] == [
        (["rita@example.org"], True)
    ]


def test_a_token_of_the_provider_reaches_the_browser_in_the_link_to_log_out_there_alone(provider, client):
    """The one token that is kept says to the provider whose log-in is to end; the other is thrown away."""
    rita = make_user(username="rita")
    ExternalLogin.objects.create(user=rita, issuer=provider.url, subject="person-1", linked_at=NOW)
    answers = [there_and_back(client), client.get(YOU), client.get("/")]
    token = client.session[openid_links.ID_TOKEN]
    sent = [f"{one.headers}{one.cookies}{one.content.decode()}" for one in answers]
    assert [text for text in sent if token in text or "of no use" in text] == []
    assert "of no use" not in str(dict(client.session))
    page = client.post("/accounts/logout/")
    address = urlsplit(page.context["address"])
    assert (f"{address.scheme}://{address.netloc}", parse_qs(address.query)["id_token_hint"]) == (
        provider.url,
        [token],
    )
    assert page.content.decode().count(token) == 1
    assert token not in client.get("/").content.decode()
