"""Two admins take each other's role away at the same moment: one of them stays.

The control test takes the lock away and shows the race that it prevents.
"""

from contextlib import nullcontext, suppress
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace

import pytest

from survey_site.accounts import services
from survey_site.accounts.models import User
from survey_site.accounts.services import change_role
from survey_site.common.errors import ConflictError
from tests.factories.accounts import make_user
from tests.factories.batches import NOW

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def each_other():
    ada, eve = (make_user(username=name, role="admin") for name in ("ada", "eve"))
    return [
        lambda one=one, by=by: change_role(user=one, role="researcher", by=by, now=NOW)
        for one, by in ((ada, eve), (eve, ada))
    ]


@pytest.fixture
def meeting_after_the_check(monkeypatch):
    """Make both wait for each other between finding another admin and writing; under the lock, in vain."""

    def install(seconds):
        barrier, check = Barrier(2), services._require_another_admin

        def check_and_meet(user):
            check(user)
            with suppress(BrokenBarrierError):
                barrier.wait(seconds)

        monkeypatch.setattr(services, "_require_another_admin", check_and_meet)

    return install


def admins():
    return User.objects.filter(role="admin").count()


def test_without_the_lock_nobody_is_left(each_other, meeting_after_the_check, in_threads, monkeypatch):
    monkeypatch.setattr(services, "lock_beside_admins", lambda user: User.objects.get(pk=user.pk))
    monkeypatch.setattr(services, "transaction", SimpleNamespace(atomic=nullcontext))
    monkeypatch.setattr(services, "record_action", lambda **_act: None)
    meeting_after_the_check(60)
    in_threads(*each_other)
    assert admins() == 0


def test_with_the_lock_the_second_is_refused(each_other, meeting_after_the_check, in_threads):
    meeting_after_the_check(1)
    results = in_threads(*each_other)
    assert sorted(type(result).__name__ for result in results) == ["ConflictError", "User"]
    assert [str(result) for result in results if isinstance(result, ConflictError)] != []
    assert admins() == 1
