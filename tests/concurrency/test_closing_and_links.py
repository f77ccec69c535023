"""Somebody uses a link to a new password while an admin closes their account: neither waits for ever.

Each comes as far as a lock lets them, to where the other may hold what they want next.
"""

from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import pytest

from survey_site.accounts import links, services
from survey_site.accounts.links import make_reset_link, reset_password
from survey_site.accounts.models import AccountLink, User
from survey_site.accounts.services import close_account
from tests.factories.accounts import make_user
from tests.factories.batches import NOW

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def meeting_between_their_locks(monkeypatch):
    """Make both wait for each other between their two locks; in vain under one order."""
    barrier = Barrier(2)

    def meet():
        with suppress(BrokenBarrierError):
            barrier.wait(1)

    lock, end = links._lock, services.end_sessions

    def lock_and_meet(*args):
        found = lock(*args)
        meet()
        return found

    def meet_and_end(user):
        meet()
        return end(user)

    monkeypatch.setattr(links, "_lock", lock_and_meet)
    monkeypatch.setattr(services, "end_sessions", meet_and_end)


@pytest.mark.usefixtures("meeting_between_their_locks")
def test_a_link_is_used_while_the_account_is_closed(in_threads):
    admin, rita = make_user(username="ada", role="admin"), make_user(username="rita")
    link = make_reset_link(user=rita, by=admin, now=NOW).link
    used, closed = in_threads(
        lambda: reset_password(secret_hash=link.secret_hash, password="quite another 42 words", now=NOW),
        lambda: close_account(user=rita, by=admin, now=NOW),
    )
    assert type(used).__name__ in {"User", "GoneError"}
    assert closed == rita
    assert not User.objects.get(pk=rita.pk).is_active
    assert AccountLink.objects.filter(used_at=None).count() == 0
