"""The page Accounts, one's own account, and log-ins: what they do, and what they refuse."""

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from survey_site.accounts.models import AuditEntry, StaffSession, User
from survey_site.accounts.services import change_role, close_account
from survey_site.accounts.sessions import describe_browser, hashed_key
from survey_site.common.errors import ConflictError
from tests.factories.accounts import make_user
from tests.factories.batches import NOW

pytestmark = pytest.mark.django_db
PASSWORD, NEW = "what it was before", "quite another 42 words"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def actions():
    rows = AuditEntry.objects.order_by("pk").values_list("action", "actor_name", "subject", "detail")
    return [tuple(row) for row in rows]


def logged_in(username, agent=FIREFOX):
    client = Client(headers={"user-agent": agent})
    client.post("/accounts/login/", {"username": username, "password": PASSWORD})
    return client


def test_the_list_says_who_has_which_role_and_state(admin_client):
    make_user(username="rita")
    User.objects.filter(username="rita").update(is_active=False)
    page = admin_client.get("/accounts/")
    assert [(one.username, one.role_name, one.is_active) for one in page.context["page"]] == [
        ("adam", "Admin", True),
        ("rita", "Researcher", False),
    ]


def test_a_changed_role_holds_from_the_next_page_on(admin_client, researcher_client, researcher):
    assert researcher_client.get("/corpora/import/").status_code == 200
    admin_client.post(f"/accounts/people/{researcher.pk}/role/", {"role": "auditor"})
    assert researcher_client.get("/corpora/import/").status_code == 403
    assert actions() == [("role changed", "adam", "rita", {"role": "Researcher → Auditor"})]


def test_a_superuser_who_is_made_something_else_is_none_any_more(admin):
    root = make_user(username="root")
    User.objects.filter(pk=root.pk).update(is_superuser=True, is_staff=True)
    changed = change_role(user=root, role="researcher", by=admin, now=NOW)
    assert (changed.is_superuser, changed.is_staff, changed.held_role) == (False, False, "researcher")


@pytest.mark.parametrize("act", ["role", "access"])
def test_the_last_admin_stays(admin_client, admin, act):
    make_user(username="gone", role="admin")
    User.objects.filter(username="gone").update(is_active=False)
    form = {"role": "researcher"} if act == "role" else {"close": "yes"}
    page = admin_client.post(f"/accounts/people/{admin.pk}/{act}/", form)
    assert page.status_code == 409
    assert "“adam” is the last admin" in page.content.decode()
    admin.refresh_from_db()
    assert (admin.role, admin.is_active, actions()) == ("admin", True, [])


def test_a_closed_account_is_out_at_once_and_can_be_opened_again(admin_client):
    rita = make_user(username="rita", password=PASSWORD)
    client = logged_in("rita")
    admin_client.post(f"/accounts/people/{rita.pk}/access/", {"close": "yes"})
    assert client.get("/corpora/").status_code == 302
    assert logged_in("rita").get("/corpora/").status_code == 302
    admin_client.post(f"/accounts/people/{rita.pk}/access/", {"open": "yes"})
    assert logged_in("rita").get("/corpora/").status_code == 200
    assert [action for action, *_ in actions()] == ["account closed", "account opened again"]


def test_closing_twice_is_written_down_once(admin):
    rita = make_user(username="rita")
    for _ in range(2):
        close_account(user=rita, by=admin, now=NOW)
    assert len(actions()) == 1


def test_changing_the_password_ends_every_other_log_in():
    make_user(username="rita", password=PASSWORD)
    here, there = logged_in("rita"), logged_in("rita")
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert here.post("/accounts/you/password/", form).status_code == 302
    assert StaffSession.objects.count() == 1
    assert [client.get("/corpora/").status_code for client in (here, there)] == [200, 302]
    assert User.objects.get().check_password(NEW)
    assert actions() == [("password changed", "rita", "rita", {})]


def test_the_old_password_is_asked_for_and_not_to_be_guessed():
    make_user(username="rita", password=PASSWORD)
    client = logged_in("rita")
    form = {"old_password": "a guess", "new_password1": NEW, "new_password2": NEW}
    codes = [client.post("/accounts/you/password/", form).status_code for _ in range(11)]
    assert codes == [422] * 10 + [429]
    assert User.objects.get().check_password(PASSWORD)


def test_log_ins_are_listed_and_one_or_all_others_end():
    make_user(username="rita", password=PASSWORD)
    here, *others = (logged_in("rita") for _ in range(3))
    page = here.get("/accounts/you/")
    assert [one.browser for one in page.context["sessions"]] == ["Firefox on Linux"] * 3
    one = hashed_key(others[0].cookies["sessionid"].value)
    here.post("/accounts/you/sessions/", {"only": one})
    assert [client.get("/corpora/").status_code for client in (here, *others)] == [200, 302, 200]
    here.post("/accounts/you/sessions/")
    assert [client.get("/corpora/").status_code for client in (here, *others)] == [200, 302, 302]
    assert [action for action, *_ in actions()] == ["log-ins ended"] * 2


def test_nobody_ends_the_log_in_of_somebody_else(researcher_client, admin_client, admin):
    key = StaffSession.objects.get(user=admin).pk
    researcher_client.post("/accounts/you/sessions/", {"only": key})
    assert admin_client.get("/corpora/").status_code == 200


def test_the_table_of_sessions_holds_no_key_that_a_cookie_could_carry(researcher_client):
    key = researcher_client.cookies["sessionid"].value
    row = StaffSession.objects.get()
    assert row.pk == hashed_key(key)
    assert key not in str(StaffSession.objects.values_list()[0])
    thief = Client()
    thief.cookies["sessionid"] = row.pk
    assert thief.get("/corpora/").status_code == 302


def test_a_log_in_that_was_ended_does_not_come_back_with_its_next_page(researcher_client, researcher):
    researcher_client.get("/corpora/")
    StaffSession.objects.all().delete()
    researcher_client.get("/corpora/")
    assert StaffSession.objects.filter(user=researcher).count() == 0


def test_the_last_use_is_noted_at_most_every_ten_minutes(researcher_client):
    before = StaffSession.objects.get().seen_at
    researcher_client.get("/corpora/")
    assert StaffSession.objects.get().seen_at == before
    session = researcher_client.session
    session["seen"] = (timezone.now() - timedelta(minutes=11)).isoformat()
    session.save()
    researcher_client.get("/corpora/")
    assert StaffSession.objects.get().seen_at >= before


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140 Safari/537.36 Edg/140",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 15) AppleWebKit/605 Version/18 Safari/605",
            "Safari on macOS",
        ),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537 Chrome/140 Mobile Safari/537", "Chrome on Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18 like Mac OS X) Version/18 Safari/604", "Safari on iPhone"),
        ("curl/8", ""),
    ],
)
def test_browsers_are_known_by_name(agent, words):
    assert describe_browser(agent) == words


def test_notices_by_mail_need_an_address():
    rita, client = make_user(username="rita", password=PASSWORD), logged_in("rita")
    assert client.post("/accounts/you/details/", {"notices_by_mail": "on"}).status_code == 422
    form = {"notices_by_mail": "on", "email": "rita@example.org", "current_password": PASSWORD}
    assert client.post("/accounts/you/details/", form).status_code == 302
    rita.refresh_from_db()
    assert (rita.email, rita.notices_by_mail) == ("rita@example.org", True)


@pytest.fixture
def with_address(settings):
    """A person who has an e-mail address, logged in, on a site that sends mails."""
    settings.CONCORD_MAILS, settings.DEFAULT_FROM_EMAIL = True, "concord@example.org"
    make_user(username="rita", password=PASSWORD)
    User.objects.update(email="rita@example.org")
    return logged_in("rita")


def test_another_address_is_written_down_and_the_one_before_is_told(with_address):
    form = {"email": "new@example.org", "current_password": PASSWORD}
    assert with_address.post("/accounts/you/details/", form).status_code == 302
    assert actions() == [("e-mail address changed", "rita", "rita", {})]
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["rita@example.org"], "Concord: another e-mail address")
    assert "“rita”" in sent.body
    assert "new@example.org" not in sent.body


def test_another_address_needs_the_password_which_is_not_to_be_guessed(with_address):
    """Whoever sits at an open screen could have a link to a new password mailed to themselves."""
    form = {"email": "thief@example.net"}
    page = with_address.post("/accounts/you/details/", form)
    assert page.context["details_form"].errors == {"current_password": ["A new address needs your password."]}
    guess = {**form, "current_password": "a guess"}
    codes = [with_address.post("/accounts/you/details/", guess).status_code for _ in range(11)]
    assert codes == [422] * 10 + [429]
    assert (User.objects.get().email, actions(), mail.outbox) == ("rita@example.org", [], [])


def test_what_is_mailed_changes_without_a_password(with_address):
    form = {"email": "rita@example.org", "notices_by_mail": "on"}
    assert with_address.post("/accounts/you/details/", form).status_code == 302
    assert (User.objects.get().notices_by_mail, actions(), mail.outbox) == (True, [], [])


def test_djangos_own_pages_show_accounts_and_change_none(client, admin):
    User.objects.filter(pk=admin.pk).update(is_superuser=True, is_staff=True)
    client.force_login(User.objects.get())
    assert client.get(f"/admin/accounts/user/{admin.pk}/change/").status_code == 200
    assert client.post(f"/admin/accounts/user/{admin.pk}/change/", {"role": "auditor"}).status_code == 403


def test_the_rule_of_the_last_admin_counts_those_who_are_let_in(admin):
    other = make_user(username="eve", role="admin")
    close_account(user=other, by=admin, now=NOW)
    with pytest.raises(ConflictError, match="last admin"):
        change_role(user=admin, role="auditor", by=admin, now=NOW)
