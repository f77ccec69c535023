"""Codes that come at the same moment: the same one lets one log-in in, and a pause lets no guess pass it.

The control tests take the lock away and show the race that it prevents.
"""

from contextlib import nullcontext, suppress
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace

import pytest
from django.test import Client
from django_otp.plugins.otp_totp import models
from django_otp.plugins.otp_totp.models import TOTPDevice

from survey_site.accounts import login_views, second_step
from survey_site.accounts.models import User
from survey_site.accounts.second_step import check_code
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.second_step import App, give_second_step

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def twice(monkeypatch):
    """Two who send the same code of the app, or the same recovery code."""
    app = App()
    monkeypatch.setattr(models, "time", app)
    user = make_user()
    recovery = give_second_step(user, app)[0]
    codes = {"app": app.code(), "recovery": recovery}
    return lambda kind: [lambda: check_code(user=user, code=codes[kind], now=NOW)] * 2


@pytest.fixture
def meeting_before_the_check(monkeypatch):
    """Make both wait for each other once they know which code was used last; under the lock, in vain."""

    def install(seconds):
        barrier, verify = Barrier(2), TOTPDevice.verify_token

        def meet_and_verify(device, token):
            with suppress(BrokenBarrierError):
                barrier.wait(seconds)
            return verify(device, token)

        monkeypatch.setattr(TOTPDevice, "verify_token", meet_and_verify)

    return install


def test_without_the_lock_both_get_in(twice, meeting_before_the_check, in_threads, monkeypatch):
    monkeypatch.setattr(second_step, "lock_row", lambda rows: rows.get())
    monkeypatch.setattr(second_step, "transaction", SimpleNamespace(atomic=nullcontext))
    meeting_before_the_check(60)
    assert in_threads(*twice("app")) == [True, True]


def test_with_the_lock_one_gets_in(twice, meeting_before_the_check, in_threads):
    meeting_before_the_check(1)
    assert sorted(in_threads(*twice("app"))) == [False, True]


def test_a_recovery_code_lets_one_in(twice, in_threads):
    assert sorted(in_threads(*twice("recovery"))) == [False, True]


@pytest.fixture
def guesses(twice, settings, monkeypatch, in_threads):
    """Two wrong codes at once where one pauses the account; returns how many of them were looked at."""
    settings.AXES_ENABLED, settings.AXES_FAILURE_LIMIT = True, 1
    twice("app")
    user = User.objects.get()
    user.set_password("what it was before")
    user.save()

    def send(seconds):
        barrier, looked_at = Barrier(2), []

        def meet_and_check(**asked):
            looked_at.append(asked["code"])
            with suppress(BrokenBarrierError):
                barrier.wait(seconds)
            return check_code(**asked)

        monkeypatch.setattr(login_views, "check_code", meet_and_check)
        clients = [Client(), Client()]
        for client in clients:
            client.post("/accounts/login/", {"username": user.username, "password": "what it was before"})
        in_threads(
            *[lambda one=one: one.post("/accounts/login/code/", {"code": "000000"}) for one in clients]
        )
        return len(looked_at)

    return send


def test_without_the_lock_guesses_at_once_pass_the_pause(guesses, monkeypatch):
    monkeypatch.setattr(login_views, "lock_row", lambda rows: rows.get())
    monkeypatch.setattr(login_views, "transaction", SimpleNamespace(atomic=nullcontext))
    assert guesses(60) == 2


def test_with_the_lock_no_guess_passes_the_pause(guesses):
    assert guesses(1) == 1
