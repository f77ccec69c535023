"""That a worker lives, written down by a thread of it, since the worker itself may be busy for an hour."""

import logging
import threading
from datetime import datetime, timedelta
from typing import Any

from django.db import Error, connection
from django.utils import timezone

from meta_eval.version import __version__
from survey_site.operations.models import WorkerSeen

EVERY_SECONDS = 10.0
LIVES_FOR = timedelta(seconds=35)
"""How long after its last word a worker is taken to live."""
FORGOTTEN_AFTER = timedelta(days=1)
"""How long one that ended without a word is still shown."""
log = logging.getLogger(__name__)


def show_presence(name: str, queues: str, *, started_at: datetime, now: datetime) -> None:
    """Say that the worker lives; those of whom nobody has heard for long are forgotten."""
    values = {"queues": queues, "version": __version__, "started_at": started_at, "seen_at": now}
    WorkerSeen.objects.update_or_create(name=name, defaults=values)
    WorkerSeen.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()


def show_from_now_on(sender: Any, **_signal: object) -> None:
    """Say so at once, and then every few seconds as long as this process lives."""
    queues = ",".join(sorted(sender.app.amqp.queues.consume_from))
    threading.Thread(target=_show, args=(sender.hostname, queues), name="presence", daemon=True).start()


def leave(sender: Any, **_signal: object) -> None:
    """A worker that ends as it should is no longer shown."""
    name = getattr(sender, "hostname", "")
    try:
        WorkerSeen.objects.filter(name=name).delete()
    except Error as error:
        log.warning("%s is still shown among the workers: %s", name, error)


def _show(name: str, queues: str) -> None:
    pause, started_at = threading.Event(), timezone.now()
    while True:
        try:
            show_presence(name, queues, started_at=started_at, now=timezone.now())
        except Error as error:
            log.warning("Nobody was told that this worker lives: %s", error)
        finally:
            connection.close()
        pause.wait(EVERY_SECONDS)
