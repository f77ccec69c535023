"""Links that work once: invitations and new passwords, mailed or handed over, never kept."""

import io
import logging
import re
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from survey_site.accounts import link_views
from survey_site.accounts.links import (
    accept_invitation,
    hash_secret,
    invite,
    make_reset_link,
    open_link,
    reset_password,
    stale_links,
)
from survey_site.accounts.models import AccountLink, AuditEntry, StaffSession, User
from survey_site.accounts.services import change_role, close_account
from survey_site.common.apart import start_apart
from survey_site.common.errors import ConflictError, GoneError, InvalidInputError
from survey_site.common.logs import RouteFilter
from survey_site.keeping.retention import RetentionRule, retain
from tests.factories.accounts import make_user
from tests.factories.mail import NOBODY, name_mail_server

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
PASSWORD = "quite another 42 words"
ACCEPT = {"username": "nina", "password1": PASSWORD, "password2": PASSWORD}
RESET = {"new_password1": PASSWORD, "new_password2": PASSWORD}


@pytest.fixture
def mails(settings, monkeypatch):
    """What was mailed; what happens apart from a request is done at once, in the test's own transaction."""
    monkeypatch.setattr(link_views, "start_apart", lambda work: work())
    settings.CONCORD_MAILS = True
    settings.CONCORD_SITE_URL = "https://concord.example.org"
    settings.DEFAULT_FROM_EMAIL = "Concord <concord@example.org>"
    return mail.outbox


def shown_link(response):
    """The path of the link that the page shows to be handed over."""
    return re.search(r'value="https?://[^/"]+(/accounts/link/[^"]+)"', response.content.decode())[1]


def invited(admin_client, **form):
    sent = {"name": "Nina", "email": "", "role": "auditor", **form}
    return shown_link(admin_client.post("/accounts/invite/", sent))


def actions():
    return list(AuditEntry.objects.order_by("pk").values_list("action", "actor_name", "subject"))


def test_an_invited_person_makes_their_account_with_the_role_they_were_given(admin_client, client):
    link = invited(admin_client)
    opened = client.get(link)
    assert (opened.status_code, opened.headers["Location"]) == (302, "/accounts/link/")
    assert opened.headers["Referrer-Policy"] == "no-referrer"
    assert "Welcome, Nina" in client.get("/accounts/link/").content.decode()
    assert client.post("/accounts/link/", ACCEPT).headers["Location"] == "/accounts/login/"
    nina = User.objects.get(username="nina")
    assert (nina.role, nina.first_name, nina.check_password(PASSWORD)) == ("auditor", "Nina", True)
    assert client.login(username="nina", password=PASSWORD)
    assert actions() == [("person invited", "adam", "Nina"), ("invitation accepted", "nina", "nina")]


def test_a_link_works_once_and_looking_at_it_does_not_use_it_up(admin_client, client):
    link = invited(admin_client)
    for _ in range(2):
        client.get(link)
    client.post("/accounts/link/", ACCEPT)
    assert client.get(link).status_code == 410
    assert User.objects.filter(username="nina").count() == 1


def test_a_link_ends_after_its_days(settings):
    settings.CONCORD_LINK_DAYS = 3
    link = invite(name="Nina", email="", role="researcher", by=None, now=NOW).link
    open_link(link.secret_hash, now=NOW + timedelta(days=3, seconds=-1))
    with pytest.raises(GoneError, match="The time of this link is over"):
        open_link(link.secret_hash, now=NOW + timedelta(days=3))


def test_weak_passwords_and_taken_names_are_refused_and_leave_the_link_open(admin_client, client):
    make_user(username="Nina")
    client.get(invited(admin_client))
    page = client.post(
        "/accounts/link/", {"username": "nina", "password1": "12345678", "password2": "12345678"}
    )
    assert page.status_code == 422
    assert sorted(page.context["form"].errors) == ["password2", "username"]
    assert client.post("/accounts/link/", {**ACCEPT, "username": "nina2"}).status_code == 302


def test_a_name_taken_at_the_same_moment_is_refused():
    made = invite(name="Nina", email="", role="researcher", by=None, now=NOW)
    make_user(username="nina")
    with pytest.raises(InvalidInputError, match="was just taken"):
        accept_invitation(secret_hash=made.link.secret_hash, username="nina", password=PASSWORD, now=NOW)
    assert AccountLink.objects.get().used_at is None


def test_an_invitation_is_taken_back_and_a_newer_one_takes_its_place(admin_client, client):
    first, second = (invited(admin_client, email="nina@example.org") for _ in range(2))
    assert [client.get(link).status_code for link in (first, second)] == [410, 302]
    admin_client.post(f"/accounts/invitations/{AccountLink.objects.get().pk}/withdraw/")
    assert client.get(second).status_code == 410
    assert actions()[-1] == ("invitation taken back", "adam", "Nina")


def test_a_new_password_by_link_ends_every_log_in(admin_client, client):
    rita = make_user(username="rita", password="what it was before")
    elsewhere = Client()
    elsewhere.force_login(rita)
    client.get(shown_link(admin_client.post(f"/accounts/people/{rita.pk}/reset/")))
    assert client.post("/accounts/link/", RESET).status_code == 302
    assert StaffSession.objects.filter(user=rita).count() == 0
    assert elsewhere.get("/corpora/").status_code == 302
    assert client.login(username="rita", password=PASSWORD)
    expected = [("link to a new password made", "adam", "rita"), ("password set by link", "rita", "rita")]
    assert actions() == expected


def test_a_newer_link_ends_the_older_and_a_closed_account_gets_none():
    rita = make_user(username="rita")
    first, second = (make_reset_link(user=rita, by=None, now=NOW).link for _ in range(2))
    with pytest.raises(GoneError):
        open_link(first.secret_hash, now=NOW)
    User.objects.filter(pk=rita.pk).update(is_active=False)
    with pytest.raises(GoneError):
        open_link(second.secret_hash, now=NOW)
    with pytest.raises(ConflictError, match="is closed"):
        make_reset_link(user=rita, by=None, now=NOW)


@pytest.mark.parametrize("act", ["close", "demote"])
def test_links_end_with_the_admin_who_made_them(admin, act):
    """Else an admin who is none any more could invite themselves again, or set the password of another."""
    eve, rita = make_user(username="eve", role="admin"), make_user(username="rita")
    handed = [
        invite(name="Eve again", email="", role="admin", by=eve, now=NOW),
        make_reset_link(user=rita, by=eve, now=NOW),
    ]
    kept = invite(name="Nina", email="", role="auditor", by=admin, now=NOW)
    if act == "close":
        close_account(user=eve, by=admin, now=NOW)
    else:
        change_role(user=eve, role="researcher", by=admin, now=NOW)
    for one in handed:
        with pytest.raises(GoneError):
            open_link(one.link.secret_hash, now=NOW)
    assert open_link(kept.link.secret_hash, now=NOW) == kept.link
    assert AuditEntry.objects.latest("pk").detail["links ended"] == 2
    with pytest.raises(ConflictError, match="no links any more"):
        invite(name="Eve again", email="", role="admin", by=eve, now=NOW)


def test_where_mail_is_set_the_link_is_mailed_and_not_shown(admin_client, client, mails):
    page = admin_client.post(
        "/accounts/invite/", {"name": "Nina", "email": "n@example.org", "role": "auditor"}
    )
    assert "/accounts/link/" not in page.content.decode()
    (sent,) = mails
    assert (sent.to, sent.subject) == (["n@example.org"], "Concord: your invitation")
    link = re.search(r"https://concord\.example\.org(/accounts/link/\S+)", sent.body)[1]
    assert client.get(link).status_code == 302


def test_a_mail_server_that_fails_leaves_the_link_to_hand_over(admin_client, settings, mails):
    name_mail_server(settings, NOBODY)
    page = admin_client.post(
        "/accounts/invite/", {"name": "Nina", "email": "n@example.org", "role": "auditor"}
    )
    assert "the mail server did not take it (ConnectionRefusedError)" in page.content.decode()
    assert shown_link(page)


def test_who_forgot_a_password_is_mailed_and_strangers_learn_nothing(client, mails):
    make_user(username="rita")
    User.objects.update(email="rita@example.org")
    pages = [
        client.post("/accounts/forgotten/", {"email": email}).content
        for email in ("Rita@example.org", "nobody@example.org")
    ]
    assert pages[0] == pages[1]
    assert [one.to for one in mails] == [["rita@example.org"]]


def test_without_mail_nobody_is_offered_one(client):
    assert client.get("/accounts/forgotten/").status_code == 404
    page = client.get("/accounts/login/").content.decode()
    assert "/accounts/forgotten/" not in page
    assert "An admin of this site can make you a link to a new one" in page


def test_asking_too_often_is_refused(client, mails):
    addresses = [f"{letter}@example.org" for letter in "abcdefg"]
    codes = [client.post("/accounts/forgotten/", {"email": one}).status_code for one in addresses]
    assert codes == [200] * 6 + [429]


def test_nobody_is_flooded_from_many_machines(mails):
    make_user(username="rita")
    User.objects.update(email="rita@example.org")
    spellings = ["rita@example.org", "Rita@example.org", "RITA@EXAMPLE.ORG", "rita@Example.org"]
    codes = [
        Client(REMOTE_ADDR=f"10.0.0.{number}").post("/accounts/forgotten/", {"email": one}).status_code
        for number, one in enumerate(spellings)
    ]
    assert codes == [200] * 3 + [429]
    assert len(mails) == 3


def test_a_stranger_who_asks_ends_no_link_that_an_admin_made(admin, client, mails):
    rita = make_user(username="rita")
    User.objects.filter(pk=rita.pk).update(email="rita@example.org")
    handed = make_reset_link(user=rita, by=admin, now=timezone.now()).link
    client.post("/accounts/forgotten/", {"email": "rita@example.org"})
    asked = AuditEntry.objects.latest("pk")
    assert (asked.actor, asked.actor_name, asked.subject) == (None, "", "rita")
    assert asked.detail == {"asked for": "at the log-in page"}
    reset_password(secret_hash=handed.secret_hash, password=PASSWORD, now=timezone.now())
    assert list(AccountLink.objects.exclude(used_at=None)) == [handed]
    assert AccountLink.objects.filter(used_at=None).count() == 0


@pytest.mark.django_db(transaction=True)
def test_the_answer_waits_for_no_mail(client, mails, monkeypatch):
    """Else its time would tell who has an account: only then is there a mail to hand over."""
    make_user(username="rita")
    User.objects.update(email="rita@example.org")
    answered, done, waited, send = Event(), Event(), [], link_views.mail_forgotten

    def send_once_answered(**values):
        waited.append(answered.wait(10))
        send(**values)
        done.set()

    monkeypatch.setattr(link_views, "mail_forgotten", send_once_answered)
    monkeypatch.setattr(link_views, "start_apart", start_apart)
    assert client.post("/accounts/forgotten/", {"email": "rita@example.org"}).status_code == 200
    answered.set()
    assert done.wait(60)
    assert waited == [True]
    assert [one.to for one in mails] == [["rita@example.org"]]


def test_used_and_expired_links_are_stale_and_retention_deletes_them(admin):
    rita = make_user(username="rita")
    over = invite(name="Otto", email="", role="auditor", by=admin, now=NOW - timedelta(days=8)).link
    used = make_reset_link(user=rita, by=admin, now=NOW).link
    reset_password(secret_hash=used.secret_hash, password=PASSWORD, now=NOW)
    kept = invite(name="Nina", email="", role="auditor", by=admin, now=NOW).link
    assert set(stale_links(NOW)) == {over, used}
    for delete, left in ((False, {over, used, kept}), (True, {kept})):
        list(retain(rule=RetentionRule(days=1), delete=delete, now=NOW))
        assert set(AccountLink.objects.all()) == left


def test_no_secret_is_kept_or_logged(admin_client, client):
    handlers = logging.getLogger().handlers  # that of the site, beside those that tests listen with
    (handler,) = [one for one in handlers if any(isinstance(own, RouteFilter) for own in one.filters)]
    written = io.StringIO()
    before = handler.setStream(written)
    try:
        link = invited(admin_client)
        client.get(link)
        client.get("/accounts/link/")
    finally:
        handler.setStream(before)
    secret = link.split("/")[-2]
    assert "/accounts/link/<str:secret>/" in written.getvalue()
    assert secret not in written.getvalue()
    assert AccountLink.objects.get().secret_hash == hash_secret(secret)
    kept = [
        str(row) for model in (AccountLink, AuditEntry, StaffSession) for row in model.objects.values_list()
    ]
    assert [row for row in kept if secret in row] == []
