"""Work that whoever asked for it does not wait for, so that the time of the answer tells nothing about it."""

import logging
from collections.abc import Callable
from threading import Thread

from django.db import connections

log = logging.getLogger(__name__)


def start_apart(work: Callable[[], object]) -> None:
    """Begin `work` in a thread with database connections of its own; what goes wrong is in the log."""
    Thread(target=_do, args=[work]).start()


def _do(work: Callable[[], object]) -> None:
    try:
        work()
    except Exception:
        log.exception("Work apart from a request failed")
    finally:
        connections.close_all()
