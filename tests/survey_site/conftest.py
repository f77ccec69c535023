"""Rows that all tests of a module read: made once, since making them costs more than reading them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction

Maker = Callable[[Callable[[], Any]], Any]


@pytest.fixture(scope="module")
def make_once(django_db_setup: None, django_db_blocker: Any) -> Iterator[Maker]:
    """Call it with what makes rows: every test of the module finds them as they were made.

    They stand in a transaction around the module's tests; what a test changes is rolled back after it, as
    always. An object in memory is not: a test reads the row anew. A module that uses this does so in all of
    its tests (`pytest.mark.usefixtures`), so that each finds the same rows in any order.
    """

    def make(maker: Callable[[], Any]) -> Any:
        with django_db_blocker.unblock():
            return maker()

    around = transaction.atomic()
    around._from_testcase = True  # as in Django's own TestCase: a durable block may stand inside
    with django_db_blocker.unblock():
        around.__enter__()
    yield make
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)
