"""The mail server's URL, and what has to be set beside it."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.backends import dummy

from survey_site.common.mail import mail_server
from survey_site.settings.mail import TIMEOUT_SECONDS, mail_settings
from tests.factories.mail import BESIDE, name_mail_server


@pytest.mark.parametrize(
    ("url", "port", "secured"),
    [
        ("smtp://ada:p%40ss@mail.example.org", 25, (False, False)),
        ("smtp+tls://ada:p%40ss@mail.example.org", 587, (True, False)),
        ("smtp+ssl://ada:p%40ss@mail.example.org", 465, (False, True)),
        ("smtp+tls://ada:p%40ss@mail.example.org:2525", 2525, (True, False)),
    ],
)
def test_the_url_says_where_and_how(url, port, secured, settings):
    name_mail_server(settings, url)
    server = mail_server()
    assert (server.host, server.port, server.timeout) == ("mail.example.org", port, TIMEOUT_SECONDS)
    assert (server.username, server.password) == ("ada", "p@ss")
    assert (server.use_tls, server.use_ssl) == secured


def test_without_a_server_nothing_is_mailed(settings):
    name_mail_server(settings, None)
    assert isinstance(mail_server(), dummy.EmailBackend)


def test_mails_may_go_into_a_folder(settings, tmp_path):
    name_mail_server(settings, f"filemail:///{tmp_path}")
    assert mail_server().file_path == str(tmp_path)


@pytest.mark.parametrize("missing", BESIDE)
def test_what_mails_need_is_asked_for_by_name(missing):
    with pytest.raises(ImproperlyConfigured, match=f"so {missing} must be set too"):
        mail_settings({"CONCORD_MAIL_URL": "smtp://mail.example.org", **BESIDE, missing: ""})


def test_what_is_no_server_is_refused_without_repeating_it():
    with pytest.raises(ImproperlyConfigured, match="names no mail server") as refused:
        mail_settings({"CONCORD_MAIL_URL": "ada:secret@mail", **BESIDE})
    assert "secret" not in str(refused.value)
