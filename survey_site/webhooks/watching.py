"""What sets webhooks going: a batch that is launched, and the thread of each worker that delivers."""

import logging
import threading
from datetime import datetime

from django.db import connection
from django.utils import timezone

from survey_site.batches.models import Batch
from survey_site.webhooks.events import emit
from survey_site.webhooks.models import EventKind

EVERY_SECONDS = 5.0
"""Between two looks; one that finds nothing takes three small statements."""
log = logging.getLogger(__name__)


def note_launch(*, batch: Batch, now: datetime, questionnaires: int, **_signal: object) -> None:
    emit(EventKind.LAUNCHED, batch, {"questionnaires": questionnaires}, now=now)


def deliver_from_now_on(**_signal: object) -> None:
    """Deliver at once, and then every so often as long as this process lives."""
    threading.Thread(target=_deliver, name="webhooks", daemon=True).start()


def _deliver() -> None:
    from survey_site.webhooks.delivering import deliver  # with the client, which only workers need

    pause = threading.Event()
    while True:
        try:
            deliver(clock=timezone.now)
        except Exception:
            log.exception("Webhooks were not delivered")
        finally:
            connection.close()
        pause.wait(EVERY_SECONDS)
