"""The same code comes twice at the same moment: one log-in gets in.

The control test takes the lock away and shows the race that it prevents.
"""

from contextlib import nullcontext, suppress
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace

import pytest
from django_otp.plugins.otp_totp import models
from django_otp.plugins.otp_totp.models import TOTPDevice

from survey_site.accounts import second_step
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
