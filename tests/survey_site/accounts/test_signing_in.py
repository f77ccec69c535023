"""Logging in with a second step: what is asked, what is refused, and that no way leads around it."""

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.core.management import call_command
from django.test import Client

from survey_site.accounts import login_views
from survey_site.accounts.links import make_reset_link, reset_password
from survey_site.accounts.models import StaffSession, User
from survey_site.accounts.services import change_password, close_account
from survey_site.accounts.tokens import make_token
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.second_step import App, give_second_step

pytestmark = pytest.mark.django_db
PASSWORD, NEW = "what it was before", "quite another 42 words"
LOG_IN, CODE = "/accounts/login/", "/accounts/login/code/"


@pytest.fixture
def rita(app):
    user = make_user(username="rita", password=PASSWORD)
    user.codes = give_second_step(user, app)
    return user


def typed_password(to="/corpora/"):
    client = Client()
    form = {"username": "rita", "password": PASSWORD, "next": to}
    assert client.post(LOG_IN, form).headers["Location"] == CODE
    return client


def sends(client, code):
    """Where the code leads; nowhere if it is refused."""
    return client.post(CODE, {"code": code}).headers.get("Location", "")


def test_the_code_comes_after_the_password_and_leads_where_one_wanted_to_go(rita, app):
    client = typed_password()
    assert client.get("/corpora/").headers["Location"] == f"{LOG_IN}?next=/corpora/"
    assert StaffSession.objects.filter(user=rita).count() == 0
    assert client.get(CODE).status_code == 200
    assert sends(client, app.code()) == "/corpora/"
    assert client.get("/corpora/").status_code == 200
    assert login_views.WAITING not in client.session


def test_a_code_with_a_space_works_and_one_of_another_moment_or_secret_does_not(rita, app):
    client = typed_password()
    wrong = [app.code(-3), app.code(3), App("00" * 20, app.at).code(), "", "12345", "١٢٣٤٥٦"]
    assert [sends(client, code) for code in wrong] == [""] * 6
    code = app.code()
    assert sends(client, f"{code[:3]} {code[3:]}") == "/corpora/"


def test_a_code_is_used_once(rita, app):
    code = app.code()
    assert sends(typed_password(), code) == "/corpora/"
    second = typed_password()
    assert sends(second, code) == ""
    app.wait()
    assert sends(second, app.code()) == "/corpora/"


def test_the_code_that_set_it_up_logs_nobody_in(rita, app):
    assert sends(typed_password(), app.code(-1)) == ""


def test_a_recovery_code_works_once_however_it_is_typed(rita):
    assert sends(typed_password(), f" {rita.codes[0].upper().replace('-', ' ')} ") == "/corpora/"
    assert sends(typed_password(), rita.codes[0]) == ""


def test_who_has_few_recovery_codes_left_is_told(rita):
    told = []
    for code in rita.codes[6:]:
        client = typed_password()
        client.post(CODE, {"code": code})
        told.append([str(one) for one in client.get("/").context["messages"]])
    for code in rita.codes[:6]:
        client = typed_password()
        client.post(CODE, {"code": code})
    last = [str(one) for one in client.get("/").context["messages"]]
    assert told == [[]] * 4
    assert last == ["You have no recovery codes left: renew them on Your account."]


def test_without_the_password_there_is_no_page_for_a_code(rita, app, client):
    assert client.get(CODE).headers["Location"] == LOG_IN
    assert sends(client, app.code()) == LOG_IN
    assert StaffSession.objects.filter(user=rita).count() == 0


def test_a_right_password_waits_ten_minutes_for_its_code(rita, app, monkeypatch):
    client = typed_password()
    monkeypatch.setattr(
        login_views.timezone, "now", lambda real=login_views.timezone.now: real() + timedelta(minutes=10)
    )
    assert sends(client, app.code()) == LOG_IN


@pytest.mark.parametrize("change", ["password", "closed", "reset"])
def test_what_changes_the_account_meanwhile_ends_the_waiting(rita, app, admin, admin_client, change):
    client = typed_password()
    if change == "password":
        change_password(user=rita, password=NEW, session="", now=NOW)
    elif change == "closed":
        close_account(user=rita, by=admin, now=NOW)
    else:
        admin_client.post(f"/accounts/people/{rita.pk}/second-step/")
    assert sends(client, app.code()) == LOG_IN


def test_wrong_codes_pause_the_account_with_wrong_passwords(rita, app, settings):
    settings.AXES_ENABLED = True
    client = typed_password()
    for _ in range(5):
        Client().post(LOG_IN, {"username": "rita", "password": "wrong"})
    answers = [client.post(CODE, {"code": "000000"}).status_code for _ in range(5)]
    assert answers == [422] * 4 + [429]
    refused = client.post(CODE, {"code": app.code()})
    assert (refused.status_code, "paused for 15 minutes" in refused.content.decode()) == (429, True)
    assert Client().post(LOG_IN, {"username": "rita", "password": PASSWORD}).status_code == 429
    assert [one.username for one in AccessAttempt.objects.all()] == ["rita"]
    call_command("axes_reset_username", "rita")
    assert sends(client, app.code()) == "/corpora/"


def test_of_a_wrong_code_nothing_is_kept(rita, settings):
    """A recovery code with one wrong letter would tell nearly all of it."""
    settings.AXES_ENABLED = True
    sends(typed_password(), "abcd-efgh")
    kept = AccessAttempt.objects.get()
    assert ("code=*" in kept.post_data, "abcd" in kept.post_data) == (True, False)


def test_a_right_password_alone_does_not_forget_wrong_codes(rita, app, settings):
    settings.AXES_ENABLED = True
    for _ in range(9):
        sends(typed_password(), "000000")
    typed_password()
    assert AccessAttempt.objects.get().failures_since_start == 9
    assert sends(typed_password(), app.code()) == "/corpora/"
    assert AccessAttempt.objects.count() == 0


def test_a_link_to_a_new_password_does_not_lead_around_it(rita, app, admin, client):
    made = make_reset_link(user=rita, by=admin, now=login_views.timezone.now())
    client.get(made.path)
    client.post("/accounts/link/", {"new_password1": NEW, "new_password2": NEW})
    assert client.post(LOG_IN, {"username": "rita", "password": NEW}).headers["Location"] == CODE


@pytest.mark.parametrize(("by_admin", "left"), [(False, 1), (True, 0)])
def test_no_link_that_one_asked_for_oneself_ends_a_pause(rita, settings, admin, by_admin, left):
    settings.AXES_ENABLED = True
    sends(typed_password(), "000000")
    made = make_reset_link(user=rita, by=admin if by_admin else None, now=NOW)
    reset_password(secret_hash=made.link.secret_hash, password=NEW, now=NOW)
    assert AccessAttempt.objects.count() == left


def test_django_s_administration_is_behind_the_same_log_in(rita, app):
    User.objects.filter(pk=rita.pk).update(is_superuser=True, is_staff=True)
    asked = Client().get("/admin/", follow=True)
    assert asked.redirect_chain[-1][0] == "/accounts/login/?next=/admin/"
    posted = Client().post("/admin/login/?next=/admin/", {"username": "rita", "password": PASSWORD})
    assert posted.headers["Location"] == "/accounts/login/?next=/admin/"
    client = typed_password("/admin/")
    assert client.get("/admin/").status_code == 302
    assert sends(client, app.code()) == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_who_is_no_superuser_is_told_so_there(researcher_client):
    assert researcher_client.get("/admin/", follow=True).status_code == 403


def test_the_api_s_page_asks_for_it_and_tokens_are_asked_for_none(rita):
    client = typed_password()
    assert client.get("/api/v1/").headers["Location"] == f"{LOG_IN}?next=/api/v1/"
    made = make_token(user=rita, name="mine", scopes=["read"], days=1, now=login_views.timezone.now())
    answer = Client().get("/api/v1/corpora/", headers={"authorization": f"Bearer {made.secret}"})
    assert answer.status_code == 200
