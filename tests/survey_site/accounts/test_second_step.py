"""The second step of an account: set up, recovery codes, switched off, reset, and who must have it."""

import re
from datetime import timedelta

import pytest
from django.contrib import admin as admin_site
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from survey_site.accounts import second_step_views
from survey_site.accounts.models import AuditEntry, RecoveryCode, StaffSession, User
from survey_site.accounts.second_step import check_code, setup_address
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.second_step import KEY, App, give_second_step

pytestmark = pytest.mark.django_db
PASSWORD = "what it was before"
PAGE = "/accounts/you/second-step/"


@pytest.fixture
def rita():
    return make_user(username="rita", password=PASSWORD)


@pytest.fixture
def with_step(rita, app):
    give_second_step(rita, app)
    return rita


def logged_in(user):
    client = Client()
    client.force_login(user)
    return client


def actions():
    return list(AuditEntry.objects.order_by("pk").values_list("action", "actor_name", "subject", "detail"))


def confirmed(code, password=PASSWORD):
    return {"password": password, "code": code}


def test_codes_are_those_of_the_standard():
    assert [App(at=at).code() for at in (59, 1111111109, 20000000000)] == ["287082", "081804", "353130"]


def test_the_page_shows_a_picture_and_the_secret_and_asks_no_other_machine(rita):
    page = logged_in(rita).get(PAGE).content.decode()
    secret = re.search(r'<code class="secret">([A-Z2-7 ]+)</code>', page)[1]
    assert len(secret.replace(" ", "")) == 32
    picture = page[page.index('class="qr-code"') : page.index("Secret:")]
    assert (picture.count("<svg"), "style=" in picture, "://" in picture) == (1, False, False)
    assert setup_address(rita, KEY) == (
        "otpauth://totp/Concord%3Arita?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6"
        "&period=30&issuer=Concord"
    )


def test_setting_it_up_needs_password_and_code_and_shows_ten_recovery_codes_once(rita, app):
    here, there = logged_in(rita), logged_in(rita)
    app.key = App.typed(re.search(r'class="secret">([A-Z2-7 ]+)<', here.get(PAGE).content.decode())[1]).key
    assert here.post(PAGE, confirmed(app.code(), "a guess")).status_code == 422
    assert here.post(PAGE, confirmed(app.code(5))).status_code == 422
    assert (TOTPDevice.objects.count(), actions()) == (0, [])
    done = here.post(PAGE, confirmed(app.code()))
    assert done.status_code == 200
    codes = done.context["codes"]
    assert [bool(re.fullmatch(r"[a-z2-7]{4}(-[a-z2-7]{4}){5}", one)) for one in codes] == [True] * 10
    assert len(set(codes)) == RecoveryCode.objects.filter(user=rita).count() == 10
    stored = " ".join(RecoveryCode.objects.values_list("code_hash", flat=True))
    assert [one for one in codes if one in stored or one.replace("-", "") in stored] == []
    assert codes[0] not in here.get(PAGE).content.decode()
    assert [client.get("/corpora/").status_code for client in (here, there)] == [200, 302]
    assert StaffSession.objects.filter(user=rita).count() == 1
    assert actions() == [("second step switched on", "rita", "rita", {})]
    assert here.post(PAGE, confirmed(app.code(1))).status_code == 409


def test_the_secret_stays_the_same_until_it_is_confirmed_and_goes_then(rita, app):
    client = logged_in(rita)
    first, again = (re.search(r'"secret">([^<]+)<', client.get(PAGE).content.decode())[1] for _ in range(2))
    assert first == again
    app.key = App.typed(first).key
    client.post(PAGE, confirmed(app.code()))
    assert "second-step-secret" not in client.session


def test_a_secret_that_was_not_confirmed_is_forgotten_after_an_hour(rita, monkeypatch):
    client = logged_in(rita)
    shown = client.get(PAGE).content.decode()
    later = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr(second_step_views.timezone, "now", lambda: later)
    both = [re.search(r'"secret">([^<]+)<', page)[1] for page in (shown, client.get(PAGE).content.decode())]
    assert both[0] != both[1]


def test_new_recovery_codes_take_the_place_of_all_earlier_ones(rita, app):
    old = give_second_step(rita, app)
    client = logged_in(rita)
    assert client.post(f"{PAGE}codes/", confirmed("000000")).status_code == 422
    new = client.post(f"{PAGE}codes/", confirmed(app.code())).context["codes"]
    assert [check_code(user=rita, code=one, now=NOW) for one in (old[0], new[0])] == [False, True]
    assert [action for action, *_ in actions()][1:] == ["recovery codes renewed", "recovery code used"]


def test_switching_off_needs_password_and_code_and_ends_other_log_ins(with_step, app, settings):
    settings.CONCORD_MAILS = True
    settings.CONCORD_SITE_URL = "https://concord.example.org"
    User.objects.update(email="rita@example.org")
    here, there = logged_in(with_step), logged_in(with_step)
    assert here.post(f"{PAGE}off/", confirmed(app.code(), "a guess")).status_code == 422
    assert here.post(f"{PAGE}off/", confirmed("000000")).status_code == 422
    assert here.post(f"{PAGE}off/", confirmed(app.code())).headers["Location"] == "/accounts/you/"
    assert (TOTPDevice.objects.count(), RecoveryCode.objects.count()) == (0, 0)
    assert [client.get("/corpora/").status_code for client in (here, there)] == [200, 302]
    assert actions()[1:] == [("second step switched off", "rita", "rita", {})]
    assert [(one.to, "password alone" in one.body) for one in mail.outbox] == [(["rita@example.org"], True)]
    assert here.post(f"{PAGE}off/", confirmed(app.code())).status_code == 422


def test_password_and_code_cannot_be_guessed_at_an_open_screen(with_step):
    client = logged_in(with_step)
    codes = [client.post(f"{PAGE}off/", confirmed("000000")).status_code for _ in range(11)]
    assert codes == [422] * 10 + [429]


def test_an_admin_resets_it_and_never_sees_it(with_step, app, admin_client):
    client = logged_in(with_step)
    page = f"/accounts/people/{with_step.pk}/"
    shown = admin_client.get(page).content.decode()
    assert "Reset it" in shown
    assert TOTPDevice.objects.get().key not in shown
    assert not admin_site.site.is_registered(TOTPDevice)
    assert admin_client.post(f"{page}second-step/").headers["Location"] == page
    assert (TOTPDevice.objects.count(), RecoveryCode.objects.count()) == (0, 0)
    assert client.get("/corpora/").status_code == 302
    assert actions()[1:] == [("second step reset", "adam", "rita", {})]
    assert admin_client.post(f"{page}second-step/").status_code == 409


def test_nobody_resets_their_own_without_password_and_code(admin, app):
    give_second_step(admin, app)
    client = logged_in(admin)
    refused = client.post(f"/accounts/people/{admin.pk}/second-step/")
    assert (refused.status_code, TOTPDevice.objects.count()) == (409, 1)
    assert "Reset it" not in client.get(f"/accounts/people/{admin.pk}/").content.decode()


def test_a_command_resets_that_of_the_last_admin(with_step, capsys):
    call_command("reset_second_step", "rita")
    assert "rita logs in with the password alone" in capsys.readouterr().out
    assert actions()[1:] == [("second step reset", "", "rita", {})]
    with pytest.raises(CommandError, match="“rita” has no second step"):
        call_command("reset_second_step", "rita")
    with pytest.raises(CommandError, match="There is no account “nobody”"):
        call_command("reset_second_step", "nobody")


@pytest.mark.parametrize(
    ("required", "role", "reached"),
    [
        ("none", "admin", True),
        ("admins", "admin", False),
        ("admins", "researcher", True),
        ("all", "auditor", False),
    ],
)
def test_who_has_to_set_it_up_reaches_nothing_else_until_then(settings, app, required, role, reached):
    settings.CONCORD_REQUIRE_SECOND_STEP = required
    user = make_user(username="uma", role=role)
    client = logged_in(user)
    for path in ("/", "/corpora/", "/accounts/you/", "/accounts/you/tokens/", "/api/v1/", "/help/"):
        for answer in (client.get(path), client.post(path)):
            assert (answer.headers.get("Location") != PAGE) is reached, path
    assert client.get("/s/none/").status_code == 404
    assert client.get(PAGE).status_code == 200
    give_second_step(user, app)
    assert logged_in(user).get("/corpora/").status_code == 200
    assert client.post("/accounts/logout/").headers["Location"] == "/"


def test_a_superuser_counts_as_admin_there(settings):
    settings.CONCORD_REQUIRE_SECOND_STEP = "admins"
    root = make_user(username="root")
    User.objects.filter(pk=root.pk).update(is_superuser=True, is_staff=True)
    assert logged_in(root).get("/admin/").headers["Location"] == PAGE


def test_who_must_have_one_and_switches_it_off_is_led_back_to_set_it_up(with_step, app, settings):
    settings.CONCORD_REQUIRE_SECOND_STEP = "all"
    client = logged_in(with_step)
    assert client.post(f"{PAGE}off/", confirmed(app.code())).headers["Location"] == PAGE


def test_the_list_of_accounts_says_who_has_one(with_step, admin_client):
    rows = re.findall(r"<tr>.*?</tr>", admin_client.get("/accounts/").content.decode(), flags=re.DOTALL)
    assert [("rita" in row, ">On</td>" in row) for row in rows[1:]] == [(False, False), (True, True)]
