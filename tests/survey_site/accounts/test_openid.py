"""Logging in by a provider of OpenID Connect that runs here: who gets in, who does not, what is believed."""

import time
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from joserfc.jwk import OctKey

from survey_site.accounts.links import invite
from survey_site.accounts.models import AuditEntry, ExternalLogin, User
from survey_site.accounts.openid_links import _free_name
from tests.factories.accounts import first_project, make_project, make_user
from tests.factories.batches import NOW
from tests.factories.openid_provider import (
    BACK,
    CLIENT,
    OTHER_KEY,
    SECRET,
    START,
    YOU,
    there_and_back,
    way_back,
    who,
)
from tests.factories.second_step import give_second_step

pytestmark = pytest.mark.django_db
PASSWORD = "what it was before"


@pytest.fixture
def rita():
    return make_user(username="rita", password=PASSWORD)


@pytest.fixture
def linked(rita, provider):
    ExternalLogin.objects.create(user=rita, issuer=provider.url, subject="person-1", linked_at=NOW)
    return rita


def actions():
    return list(AuditEntry.objects.order_by("pk").values_list("action", "subject", "detail"))


def test_a_linked_person_gets_in_and_where_they_wanted_to_go(provider, linked, client):
    assert f'href="{START}?next=/corpora/"' in client.get("/accounts/login/?next=/corpora/").content.decode()
    answer = there_and_back(client, f"{START}?next=/corpora/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/corpora/")
    assert who(client) == "rita"
    asked = provider.asked[0]
    assert (asked["response_type"], asked["code_challenge_method"], asked["client_id"]) == (
        "code",
        "S256",
        CLIENT,
    )
    assert asked["redirect_uri"] == f"http://testserver{BACK}"
    assert [len(asked[name]) >= 20 for name in ("state", "nonce", "code_challenge")] == [True] * 3
    assert list(linked.sessions.values_list("user__username", flat=True)) == ["rita"]


def test_it_leads_to_no_other_site(linked, client):
    assert there_and_back(client, f"{START}?next=https://evil.example/").headers["Location"] == "/"


def test_set_endpoints_need_no_discovery(provider, linked, client, settings):
    for name, path in (("AUTHORIZE", "authorize"), ("TOKEN", "token"), ("KEYS", "keys")):
        setattr(settings, f"CONCORD_OIDC_{name}_URL", f"{provider.url}/{path}")
    there_and_back(client)
    assert who(client) == "rita"
    assert provider.paths == ["/authorize", "/token", "/keys"]


LIES = {
    "wrong nonce": ({"nonce": "of another journey"}, "nonce"),
    "no nonce": ({"nonce": None}, "nonce"),
    "wrong audience": ({"aud": "another site"}, "aud"),
    "no audience": ({"aud": None}, "aud"),
    "for two, the other is meant": ({"aud": [CLIENT, "another site"], "azp": "another site"}, "azp"),
    "expired": ({"exp": int(time.time()) - 3600}, "expired"),
    "no end": ({"exp": None}, "exp"),
    "another issuer": ({"iss": "https://evil.example"}, "iss"),
    "nobody": ({"sub": None}, "sub"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_is_not_right_lets_nobody_in(provider, linked, client, lie, caplog):
    provider.claims, reason = LIES[lie]
    answer = there_and_back(client)
    assert answer.status_code == 403
    assert "Campus did not say who you are" in answer.content.decode()
    assert who(client) == ""
    said = [one.getMessage() for one in caplog.records if one.name == "survey_site.accounts.openid"]
    assert [reason in one for one in said] == [True]


def test_a_token_with_another_s_signature_lets_nobody_in(provider, linked, client):
    provider.key = OTHER_KEY
    assert there_and_back(client).status_code == 403
    provider.key, provider.algorithm = OctKey.import_key(SECRET * 2, {"kid": "one"}), "HS256"
    assert there_and_back(client).status_code == 403
    assert who(client) == ""


def test_a_new_key_of_the_provider_is_fetched(provider, linked, client):
    there_and_back(client)
    provider.key = OTHER_KEY
    provider.published.append(OTHER_KEY)
    other = Client()
    there_and_back(other)
    assert who(other) == "rita"


def test_an_answer_counts_once_and_in_the_browser_that_asked(linked, client):
    address = way_back(client)
    thief = Client()
    assert thief.get(address).status_code == 403
    assert client.get(address).status_code == 302
    client.post("/accounts/logout/")
    again = client.get(address)
    assert (again.status_code, who(client)) == (403, "")
    assert "not the answer to a log-in that was begun here" in again.content.decode()


def test_another_state_or_code_lets_nobody_in(linked, client):
    state = parse_qs(urlsplit(way_back(client)).query)["state"][0]
    assert client.get(f"{BACK}?code=guess&state={state}").status_code == 403
    way_back(client)
    assert client.get(f"{BACK}?code=guess&state=guess").status_code == 403
    assert client.get(BACK).status_code == 403
    assert who(client) == ""


def test_who_is_refused_there_is_told_so_plainly(provider, linked, client):
    provider.refuses = True
    answer = there_and_back(client)
    assert (answer.status_code, "Log in once more" in answer.content.decode()) == (403, True)


def test_a_provider_that_does_not_answer_has_a_plain_page(provider, client, settings):
    settings.CONCORD_OIDC_ISSUER = "http://127.0.0.1:1"
    answer = client.get(START)
    assert (answer.status_code, "Campus did not say who you are" in answer.content.decode()) == (403, True)


def test_somebody_unknown_is_not_let_in_and_no_account_is_made(provider, rita, client):
    provider.claims = {"email": "rita@example.org", "email_verified": True}
    User.objects.update(email="rita@example.org")
    answer = there_and_back(client)
    assert (answer.status_code, User.objects.count(), ExternalLogin.objects.count()) == (403, 1, 0)
    assert "No account here is linked" in answer.content.decode()


def try_by_email(client, provider, *, verified, accounts):
    """Whether somebody gets in, of whom the provider says the address that so many accounts have."""
    for _ in range(accounts - User.objects.count()):
        make_user()
    User.objects.update(email="Rita@example.org")
    provider.claims = {"email": "rita@example.org", "email_verified": verified}
    there_and_back(client)
    return who(client) == "rita"


def test_by_e_mail_where_it_is_set(provider, rita, client, settings):
    settings.CONCORD_OIDC_BY_EMAIL = True
    assert try_by_email(client, provider, verified=True, accounts=1)
    assert actions() == [("log-in linked", "rita", {"by": "verified e-mail address"})]


@pytest.mark.parametrize(("verified", "accounts"), [(False, 1), ("true", 1), (None, 1), (True, 2)])
def test_by_no_address_that_is_not_verified_or_of_two(settings, provider, rita, verified, accounts):
    settings.CONCORD_OIDC_BY_EMAIL = True
    assert not try_by_email(Client(), provider, verified=verified, accounts=accounts)
    assert ExternalLogin.objects.count() == 0


def test_an_account_that_is_made_has_the_role_that_is_set_and_no_project(provider, client, settings):
    settings.CONCORD_OIDC_NEW_ROLE = "auditor"
    make_user(username="Nina")
    provider.claims = {"preferred_username": "nina", "email": "nina@example.org", "email_verified": True}
    there_and_back(client)
    made = User.objects.get(username="nina2")
    assert (who(client), made.role, made.email, made.has_usable_password()) == (
        "nina2",
        "auditor",
        "nina@example.org",
        False,
    )
    assert list(made.projects.all()) == []
    assert [action for action, *_ in actions()] == ["account made by a log-in", "log-in linked"]
    there_and_back(Client())
    assert User.objects.count() == 2


def test_an_invitation_is_accepted_by_it_with_its_role_and_projects(provider, admin, client):
    project = make_project()
    made = invite(
        name="Nina",
        email="",
        role="auditor",
        projects=[first_project(), project],
        by=admin,
        now=timezone.now(),
    )
    client.get(made.path)
    assert f'href="{START}?invitation=yes"' in client.get("/accounts/link/").content.decode()
    provider.claims = {"preferred_username": "nina"}
    there_and_back(client, f"{START}?invitation=yes")
    nina = User.objects.get(username="nina")
    assert (who(client), nina.role, nina.projects.count()) == ("nina", "auditor", 2)
    assert Client().get(made.path).status_code == 410
    another = invite(name="Nora", email="", role="admin", by=admin, now=timezone.now())
    second = Client()
    second.get(another.path)
    assert there_and_back(second, f"{START}?invitation=yes").status_code == 409
    assert User.objects.count() == 2


def test_linking_needs_the_password_and_happens_once(provider, rita):
    client = Client()
    client.force_login(rita)
    assert client.get(START).headers["Location"] == "/"
    assert client.post(f"{YOU}openid/", {"typed": "a guess"}).status_code == 422
    assert client.get(START).headers["Location"] == "/"
    assert f'href="{START}"' in client.post(f"{YOU}openid/", {"typed": PASSWORD}).content.decode()
    assert there_and_back(client).headers["Location"] == YOU
    assert actions() == [("log-in linked", "rita", {"by": "the person"})]
    client.post(f"{YOU}openid/", {"typed": PASSWORD})
    assert there_and_back(client).status_code == 409
    eve = Client()
    eve.force_login(make_user(username="eve", password=PASSWORD))
    eve.post(f"{YOU}openid/", {"typed": PASSWORD})
    assert there_and_back(eve).status_code == 409
    assert list(ExternalLogin.objects.values_list("user__username", "subject")) == [("rita", "person-1")]


def test_unlinking_needs_the_password_and_ends_other_log_ins(linked, client):
    there_and_back(client)
    other = Client()
    there_and_back(other)
    assert client.post(f"{YOU}openid/unlink/", {"typed": "a guess"}).status_code == 422
    assert client.post(f"{YOU}openid/unlink/", {"typed": PASSWORD}).headers["Location"] == YOU
    assert [who(one) for one in (client, other)] == ["rita", ""]
    assert there_and_back(Client()).status_code == 403


def test_an_admin_unlinks_somebody(linked, client, admin_client):
    there_and_back(client)
    page = f"/accounts/people/{linked.pk}/"
    assert "Log-in by Campus" in admin_client.get(page).content.decode()
    assert admin_client.post(f"{page}openid/").headers["Location"] == page
    assert (who(client), ExternalLogin.objects.count()) == ("", 0)
    assert actions() == [("log-in unlinked", "rita", {})]
    assert admin_client.post(f"{page}openid/").status_code == 409


def test_passwords_of_linked_accounts_can_be_switched_off(linked, client, settings):
    form = {"username": "rita", "password": PASSWORD}
    settings.CONCORD_OIDC_PASSWORDS = False
    refused = client.post("/accounts/login/", form)
    assert "This account logs in by Campus" in refused.content.decode()
    assert who(client) == ""
    make_user(username="eve", password=PASSWORD)
    assert Client().post("/accounts/login/", form | {"username": "eve"}).status_code == 302
    settings.CONCORD_OIDC_PASSWORDS = True
    assert client.post("/accounts/login/", form).status_code == 302


def test_a_second_step_is_asked_for_after_it_too(linked, client, app):
    give_second_step(linked, app)
    assert there_and_back(client).headers["Location"] == "/accounts/login/code/"
    assert who(client) == ""
    client.post("/accounts/login/code/", {"code": app.code()})
    assert who(client) == "rita"


def test_who_has_no_password_sets_up_a_second_step_by_code_alone(linked, client, app):
    User.objects.update(password="!")
    there_and_back(client)
    page = client.get(f"{YOU}second-step/").content.decode()
    assert 'name="password"' not in page
    app.key = client.session["second-step-secret"]["secret"]
    assert client.post(f"{YOU}second-step/", {"code": app.code()}).status_code == 200
    assert client.post(f"{YOU}openid/unlink/", {"typed": ""}).status_code == 422


def test_a_closed_account_stays_closed(linked, client):
    User.objects.update(is_active=False)
    answer = there_and_back(client)
    assert (answer.status_code, "Your account here is closed" in answer.content.decode()) == (403, True)


def test_logging_out_offers_to_log_out_there(provider, linked, client):
    there_and_back(client)
    page = client.post("/accounts/logout/")
    address = urlsplit(page.context["address"])
    asked = parse_qs(address.query)
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{provider.url}/end"
    assert (asked["client_id"], asked["post_logout_redirect_uri"]) == ([CLIENT], ["http://testserver/"])
    assert who(client) == ""


def test_logging_out_leads_home_where_the_provider_has_no_such_place(provider, linked, client):
    provider.has_log_out = False
    there_and_back(client)
    assert client.post("/accounts/logout/").headers["Location"] == "/"


def test_without_a_provider_no_page_of_one_is_there(client, rita):
    assert [client.get(path).status_code for path in (START, BACK)] == [404, 404]
    client.force_login(rita)
    assert client.post(f"{YOU}openid/", {"typed": PASSWORD}).status_code == 404
    assert "provider" not in client.get(YOU).content.decode()
    assert "openid" not in Client().get("/accounts/login/").content.decode()


@pytest.mark.parametrize(("wished", "name"), [("rita", "rita2"), ("a b<c>", "abc"), ("", "person")])
def test_user_names_are_free_and_of_letters_that_one_may_have(rita, wished, name):
    assert _free_name(wished) == name
