"""A worker whose broker is away asks for it again soon, however long it has been away."""

import socket
from types import SimpleNamespace

import pytest
from celery.utils.imports import symbol_by_name
from kombu.exceptions import OperationalError

from survey_site.celery import app
from survey_site.common.consumer import MOST_SECONDS


@pytest.fixture
def nobody():
    """The address of a broker that does not run: it is ours, so that nobody else listens there."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield "amqp://{}:{}//".format(*held.getsockname())


@pytest.fixture
def tries(monkeypatch):
    """So many a worker makes here; the site's own makes them for ever."""
    never = app.conf.broker_connection_max_retries
    assert never is None
    app.conf.broker_connection_max_retries = 12
    yield 12
    app.conf.broker_connection_max_retries = never


def test_a_worker_tries_again_soon_however_long_the_broker_is_away(nobody, tries, monkeypatch):
    slept = []
    monkeypatch.setattr("kombu.utils.functional.sleep", slept.append)
    with app.connection(nobody) as connection, pytest.raises(OperationalError):
        _consumer().ensure_connected(connection)
    seconds = [2.0] + [MOST_SECONDS] * (tries - 1)
    assert slept == [part for pause in seconds for part in [1.0] * int(pause) + [0.0]]


def _consumer():
    """As a worker makes it, of the class that the setting names."""
    return symbol_by_name(app.conf.worker_consumer)(
        on_task_request=None,
        app=app,
        pool=SimpleNamespace(num_processes=1, is_green=False),
        controller=SimpleNamespace(use_eventloop=False),
        timer=SimpleNamespace(),
    )
