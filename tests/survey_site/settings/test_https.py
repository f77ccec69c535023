"""With and without HTTPS, with and without a proxy: what cookies, redirects and headers become of it."""

import runpy

import pytest
from django.test import Client

from survey_site.settings import base
from tests.factories.accounts import make_user
from tests.factories.batches import make_batch
from tests.survey_site.survey.pages.test_pages import start

PAGE = "/accounts/login/"
HOST = "survey.example.org"
PROXIED = {"host": HOST, "x-forwarded-proto": "https"}


@pytest.fixture
def site(monkeypatch, settings):
    """A site with these variables set; returns a client of it."""

    def with_variables(**variables):
        for name, value in {"ALLOWED_HOSTS": HOST, **variables}.items():
            monkeypatch.setenv(name, value)
        found = runpy.run_path(base.__file__)
        for name, value in found.items():
            if name.startswith("SECURE_") or name.endswith("_COOKIE_SECURE") or name == "ALLOWED_HOSTS":
                setattr(settings, name, value)
        return Client()

    return with_variables


def asked(client, **headers):
    return client.get(PAGE, headers={"host": HOST, **headers})


def test_over_https_alone_http_leads_there_whatever_it_says_of_itself(site):
    client = site(CONCORD_HTTPS="true")
    forged = asked(
        client, **{"x-forwarded-proto": "https", "x-forwarded-ssl": "on", "forwarded": "proto=https"}
    )
    assert (forged.status_code, forged.headers["Location"]) == (301, f"https://{HOST}{PAGE}")
    reached = client.get(PAGE, headers={"host": HOST}, secure=True)
    assert (reached.status_code, reached.headers["Strict-Transport-Security"]) == (200, "max-age=86400")


def test_behind_a_proxy_its_word_counts(site):
    client = site(CONCORD_HTTPS="true", CONCORD_BEHIND_PROXY="true")
    assert asked(client).status_code == 301
    assert asked(client, **{"x-forwarded-proto": "http"}).status_code == 301
    reached = client.get(PAGE, headers=PROXIED)
    assert (reached.status_code, reached.headers["Strict-Transport-Security"]) == (200, "max-age=86400")


def test_without_https_nothing_is_promised_and_nobody_is_sent_away(site):
    reached = asked(site(), **{"x-forwarded-proto": "https"})
    assert reached.status_code == 200
    assert not reached.wsgi_request.is_secure()
    assert "Strict-Transport-Security" not in reached.headers
    assert not reached.cookies["csrftoken"]["secure"]


@pytest.mark.parametrize("headers", [{"host": "evil.example.org"}, {"host": f"{HOST}.evil.example.org"}])
def test_another_name_of_the_site_is_refused(site, headers):
    client = site(CONCORD_HTTPS="true", CONCORD_BEHIND_PROXY="true")
    assert client.get(PAGE, headers={**PROXIED, **headers}).status_code == 400


def test_the_name_that_a_proxy_claims_is_not_used(site):
    client = site(CONCORD_HTTPS="true", CONCORD_BEHIND_PROXY="true")
    headers = {**PROXIED, "x-forwarded-host": "evil.example.org"}
    assert client.get(PAGE, headers=headers).wsgi_request.build_absolute_uri() == f"https://{HOST}{PAGE}"


@pytest.mark.django_db
@pytest.mark.parametrize("https", ["true", "false"])
def test_every_cookie_is_for_https_alone_where_the_site_is(site, https):
    client = site(CONCORD_HTTPS=https, CONCORD_BEHIND_PROXY=https)
    client.defaults |= {"HTTP_HOST": HOST} | ({"HTTP_X_FORWARDED_PROTO": "https"} if https == "true" else {})
    make_user(username="rita", role="researcher", password="a-password-of-rita")
    client.get(PAGE)
    client.post(PAGE, {"username": "rita", "password": "a-password-of-rita"})
    batch = make_batch(languages=["en", "ar"])
    start(client, batch)
    client.post(f"/s/{batch.token}/language/", {"language": "ar"})
    cookies = client.cookies
    assert {"csrftoken", "sessionid"} < set(cookies)
    assert len(cookies) >= 3
    assert {bool(one["secure"]) for one in cookies.values()} == {https == "true"}
    assert {one["samesite"] for one in cookies.values()} == {"Lax"}
    assert [name for name, one in cookies.items() if not one["httponly"]] == ["csrftoken"]


def test_a_form_from_another_origin_is_refused(site):
    site(CONCORD_HTTPS="true", CONCORD_BEHIND_PROXY="true")
    client = Client(enforce_csrf_checks=True)
    client.get(PAGE, headers=PROXIED)
    form = {"username": "rita", "password": "x", "csrfmiddlewaretoken": client.cookies["csrftoken"].value}
    headers = {**PROXIED, "origin": "https://evil.example.org"}
    assert client.post(PAGE, form, headers=headers).status_code == 403
