"""How a worker waits for a broker that is away.

Celery waits two seconds longer after each failed try, up to thirty, and no setting changes that: after an
outage of four minutes a worker would stand still for up to thirty seconds more.
"""

from functools import partial
from typing import Any

from celery.worker.consumer import Consumer

MOST_SECONDS = 4.0
"""Between two tries to reach the broker."""


class PromptConsumer(Consumer):  # type: ignore[misc]
    """Celery's consumer, which tries again after at most MOST_SECONDS."""

    def ensure_connected(self, conn: Any) -> Any:
        conn.ensure_connection = partial(conn.ensure_connection, interval_max=MOST_SECONDS)
        return super().ensure_connected(conn)
