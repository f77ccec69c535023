"""Two or more real connections at once. Threads meet at barriers; nothing sleeps and hopes."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from survey_site.common.prepared import Prepared
from survey_site.survey.rating import places

WAIT_SECONDS = 60


@pytest.fixture
def in_threads():
    """Run functions at once, each in a thread with its own connection; gives results or exceptions."""

    def run(*functions):
        barrier = Barrier(len(functions))

        def call(function):
            try:
                barrier.wait(WAIT_SECONDS)
                return function()
            except Exception as error:
                return error
            finally:
                connections.close_all()

        with ThreadPoolExecutor(len(functions)) as pool:
            return list(pool.map(call, functions))

    return run


@pytest.fixture
def without_locks(monkeypatch):
    """The same rows as ever, and nobody's lock on them."""

    def ask(statement, **values):
        queryset = statement._build(**values)
        queryset.query.select_for_update = False
        return list(queryset)

    monkeypatch.setattr(Prepared, "rows", ask)
    monkeypatch.setattr(places, "lock_first_row", lambda queryset: queryset.first())
