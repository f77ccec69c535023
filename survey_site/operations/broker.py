"""The broker as its clients see it: whether it answers, and how many messages wait in each queue."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.conf import settings

from survey_site.celery import app
from survey_site.settings.llm import QUEUE as LLM
from survey_site.settings.queues import DEFAULT

PATIENCE_SECONDS = 2


@dataclass(frozen=True)
class Broker:
    """`fault` says why it does not answer; else `waiting` has the messages in each queue."""

    address: str
    fault: str = ""
    waiting: Mapping[str, int] = field(default_factory=dict)


def read_broker() -> Broker:
    address = ""
    try:
        with app.connection_for_read(connect_timeout=PATIENCE_SECONDS) as broker:
            address = broker.as_uri()
            broker.ensure_connection(max_retries=1, timeout=PATIENCE_SECONDS)
            waiting = {name: _length(broker, name) for name in queue_names()}
    except Exception as error:  # each kind of broker has errors of its own
        return Broker(address, fault=f"{type(error).__name__}: {error}".strip().rstrip("."))
    return Broker(address, waiting=waiting)


def is_wanted(queue: str, waiting: int) -> bool:
    """Whether a worker must serve it: something waits there, or the settings send work there."""
    wanted = {DEFAULT, *settings.CONCORD_SHARD_QUEUES, *([LLM] if settings.CONCORD_LLM_MODELS else [])}
    return bool(waiting) or queue in wanted


def is_embedded() -> bool:
    """Whether the broker is that of one machine, a socket in its data folder: `manage.py serve` brings it."""
    return str(settings.CELERY_BROKER_URL).startswith("redis+socket://")


def start_broker() -> str:
    """What to do where no broker answers."""
    if is_embedded():
        return "Start manage.py serve, which brings one, or set CELERY_BROKER_URL."
    return "Start it, or set CELERY_BROKER_URL."


def start_worker() -> str:
    """What to do where no worker answers."""
    one = "Start one: celery -A survey_site worker"
    return f"{one}, or manage.py serve, which brings one." if is_embedded() else f"{one}."


def start_command(queue: str) -> str:
    """How to start a worker of the queue, by a name of its own beside others of the machine."""
    return f"celery -A survey_site worker --queues {queue} -n {queue}@%h"


def queue_names() -> list[str]:
    return [queue.name for queue in settings.CELERY_TASK_QUEUES]


def _length(broker: "object", name: str) -> int:
    """Messages that no worker has taken; none in a queue that nobody has used yet."""
    channel = broker.channel()  # type: ignore[attr-defined]  # a refusal closes it
    try:
        return int(channel.queue_declare(queue=name, passive=True).message_count)
    except broker.channel_errors:  # type: ignore[attr-defined]
        return 0
    finally:
        channel.close()
