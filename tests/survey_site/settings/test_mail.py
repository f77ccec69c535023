"""The mail server's URL, and what has to be set beside it."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from survey_site.settings.mail import mail_settings

BESIDE = {"CONCORD_SITE_URL": "https://concord.example.org", "CONCORD_MAIL_FROM": "concord@example.org"}


@pytest.mark.parametrize(
    ("url", "port", "secured"),
    [
        ("smtp://ada:p%40ss@mail.example.org", 25, None),
        ("smtp+tls://ada:p%40ss@mail.example.org", 587, "EMAIL_USE_TLS"),
        ("smtp+ssl://ada:p%40ss@mail.example.org", 465, "EMAIL_USE_SSL"),
        ("smtp+tls://ada:p%40ss@mail.example.org:2525", 2525, "EMAIL_USE_TLS"),
    ],
)
def test_the_url_says_where_and_how(url, port, secured):
    found = mail_settings({"CONCORD_MAIL_URL": url, **BESIDE})
    assert (found["EMAIL_HOST"], found["EMAIL_PORT"]) == ("mail.example.org", port)
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == ("ada", "p@ss")
    assert [name for name in found if name.startswith("EMAIL_USE_")] == [secured] * bool(secured)


def test_without_a_server_nothing_is_mailed():
    assert mail_settings({"CONCORD_MAIL_URL": None}) == {
        "EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"
    }


@pytest.mark.parametrize("missing", BESIDE)
def test_what_mails_need_is_asked_for_by_name(missing):
    with pytest.raises(ImproperlyConfigured, match=f"so {missing} must be set too"):
        mail_settings({"CONCORD_MAIL_URL": "smtp://mail.example.org", **BESIDE, missing: ""})


def test_what_is_no_server_is_refused_without_repeating_it():
    with pytest.raises(ImproperlyConfigured, match="names no mail server") as refused:
        mail_settings({"CONCORD_MAIL_URL": "ada:secret@mail", **BESIDE})
    assert "secret" not in str(refused.value)
