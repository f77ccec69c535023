"""Queues in which parts of runs wait for workers; that of language models is in `llm` beside this."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured

DEFAULT = "celery"
CPU, GPU = "cpu", "gpu"
SHARED = (CPU, GPU)


def shard_queues(values: Mapping[str, Any]) -> list[str]:
    """The queues that have workers of their own, checked when the site starts."""
    queues: list[str] = values["CONCORD_SHARD_QUEUES"]
    if unknown := sorted(set(queues) - set(SHARED)):
        raise ImproperlyConfigured(
            f"CONCORD_SHARD_QUEUES names {', '.join(unknown)}: it may hold cpu and gpu, with a comma between."
        )
    if values["CONCORD_SHARD_PAIRS"] < 1:
        raise ImproperlyConfigured("CONCORD_SHARD_PAIRS must be 1 or more.")
    return queues
