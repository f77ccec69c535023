"""Passwords: any characters, any length, as typed, hidden, without end; nothing takes their place."""

import re
import unicodedata
from datetime import timedelta

import pytest
from django.conf import global_settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.test import Client
from django.utils import timezone

from survey_site.accounts import link_views
from survey_site.accounts.links import invite, make_reset_link
from survey_site.accounts.models import User
from tests.factories.accounts import make_user

pytestmark = pytest.mark.django_db
OLD = "what it was before"
LOG_IN, LINK, YOU = "/accounts/login/", "/accounts/link/", "/accounts/you/"
WAYS = ("invitation", "link", "own")
KINDS = {
    "small letters": "quitecommonletters",
    "capitals": "NOTHINGBUTCAPITALS",
    "digits": "83650927451628",
    "signs": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "blanks": " " * 12,
    "letters of the world": "пароль 密码 كلمة",
    "pictures": "🐘🦒🦓🐅🐆🦏🐪🐃",
}


def opened(way):
    """The browser of somebody who may choose a password, by an invitation, a link or on their own page."""
    client, now = Client(), timezone.now()
    if way == "invitation":
        client.get(invite(name="Rita", email="", role="researcher", by=None, now=now).path)
        return client
    rita = make_user(username="rita", password=OLD)
    if way == "link":
        client.get(make_reset_link(user=rita, by=None, now=now).path)
    else:
        client.force_login(rita)
    return client


def chooses(way, password):
    """What the form answers."""
    form = {
        "invitation": {"username": "rita", "password1": password, "password2": password},
        "link": {"new_password1": password, "new_password2": password},
        "own": {"old_password": OLD, "new_password1": password, "new_password2": password},
    }[way]
    return opened(way).post(f"{YOU}password/" if way == "own" else LINK, form).status_code


def lets_in(password):
    client = Client()
    client.post(LOG_IN, {"username": "rita", "password": password})
    return client.get("/corpora/").status_code == 200


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_characters_of_one_kind_are_enough(way, kind):
    assert (chooses(way, KINDS[kind]), lets_in(KINDS[kind])) == (302, True)


@pytest.mark.parametrize("length", [64, 129, 5000])
@pytest.mark.parametrize("way", WAYS)
def test_a_password_may_be_long_and_counts_to_its_end(way, length):
    password = ("a long password, " * 300)[: length - 1] + "!"
    assert chooses(way, password) == 302
    assert [lets_in(one) for one in (password, password[:-1], password[:-1] + "?")] == [True, False, False]


def test_a_password_counts_as_it_is_typed(settings, monkeypatch):
    """With the hashes of a real site, in fewer rounds: some kinds of hashes read the first letters alone."""
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    monkeypatch.setattr(PBKDF2PasswordHasher, "iterations", 10)
    typed = "  Ångström und Kaffee\N{OHM SIGN}  "
    same_look = unicodedata.normalize("NFKC", typed)
    others = [typed.strip(), typed.lower(), typed.upper(), " ".join(typed.split()), same_look]
    assert chooses("own", typed) == 302
    assert User.objects.get().password.startswith("pbkdf2_sha256$10$")
    assert [lets_in(one) for one in (*others, typed)] == [False] * 5 + [True]


def password_fields(page):
    """Of each field that is labelled as one for a password: its type, and what browsers may fill in."""
    text = page.content.decode()
    inputs = [dict(re.findall(r'([\w-]+)="([^"]*)"', one)) for one in re.findall(r"<input [^>]*>", text)]
    labelled = set(re.findall(r'<label for="([^"]+)">[^<]*password', text, flags=re.IGNORECASE))
    found = [one for one in inputs if one.get("id") in labelled or one.get("type") == "password"]
    return {one["name"]: (one["type"], one.get("autocomplete")) for one in found}


CURRENT, NEW = ("password", "current-password"), ("password", "new-password")


@pytest.mark.parametrize(
    ("way", "path", "fields"),
    [
        ("stranger", LOG_IN, {"password": CURRENT}),
        ("invitation", LINK, {"password1": NEW, "password2": NEW}),
        ("link", LINK, {"new_password1": NEW, "new_password2": NEW}),
        ("own", f"{YOU}second-step/", {"password": CURRENT}),
        (
            "own",
            YOU,
            {
                "old_password": CURRENT,
                "new_password1": NEW,
                "new_password2": NEW,
                "typed": CURRENT,
                "current_password": CURRENT,
            },
        ),
    ],
)
def test_fields_of_passwords_are_hidden_and_say_what_belongs_into_them(way, path, fields, settings):
    settings.CONCORD_OIDC_ISSUER = "https://login.example.org"
    client = Client() if way == "stranger" else opened(way)
    page = client.get(path)
    assert password_fields(page) == fields
    scripts = set(re.findall(r'<script[^>]* src="/static/js/([^"]+)"', page.content.decode()))
    assert scripts == ({"menu.js"} if way == "own" else set())


def test_no_script_knows_of_passwords_or_of_pasting(settings):
    scripts = sorted((settings.BASE_DIR / "static/js").rglob("*.js"))
    assert len(scripts) > 10
    words = re.compile("password|paste|beforeinput|clipboardData", re.IGNORECASE)
    assert [path.name for path in scripts if words.search(path.read_text(encoding="utf-8"))] == []


def test_a_password_is_as_good_after_ten_years(monkeypatch):
    make_user(username="rita", password=OLD)
    assert lets_in(OLD)
    later = timezone.now() + timedelta(days=3653)
    monkeypatch.setattr(timezone, "now", lambda: later)
    client = Client()
    assert client.post(LOG_IN, {"username": "rita", "password": OLD}).headers["Location"] == "/"
    assert client.get("/corpora/").status_code == 200


def test_whoever_forgot_a_password_is_asked_for_nothing_but_the_address(client, settings, monkeypatch):
    monkeypatch.setattr(link_views, "start_apart", lambda work: work())
    settings.CONCORD_MAILS = True
    asked = client.get("/accounts/forgotten/").context["form"]
    chosen = opened("link").get(LINK).context["form"]
    assert [list(form.fields) for form in (asked, chosen)] == [["email"], ["new_password1", "new_password2"]]
