"""What Prometheus is told of the site. Figures are of the whole site, so one address is asked, once.

The database has what can be counted there; how requests ended is what the web processes counted. Nothing
tells of one rater or one text.
"""

import hmac
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from meta_eval.version import __version__
from survey_site.common.limits import address_of
from survey_site.common.request_times import BOUNDS, read_times
from survey_site.operations.broker import read_broker
from survey_site.operations.exposition import Family, Sample, exposition, histogram
from survey_site.operations.queries import (
    batches_by_status,
    claims_by_state,
    jobs_by_kind,
    last_backup,
    part_times,
    ratings_by_kind,
    workers_seen,
)
from survey_site.settings.metrics import is_within

KEPT_SECONDS = 5
"""For so long a process gives the same answer again: whoever asks, and however often, costs no more."""
_BEARER = "Bearer "


def may_read_metrics(request: HttpRequest) -> bool:
    """Whether the request brings the token, or comes from a network that needs none."""
    sent, token = request.headers.get("Authorization", ""), settings.CONCORD_METRICS_TOKEN
    if token and sent.startswith(_BEARER):
        return hmac.compare_digest(sent.removeprefix(_BEARER).encode(), token.encode())
    return is_within(address_of(request), settings.CONCORD_METRICS_NETWORKS)


def read_metrics(*, now: datetime) -> str:
    def read() -> str:
        return exposition(_families(now))

    return str(cache.get_or_set("operations.metrics", read, KEPT_SECONDS))


def _families(now: datetime) -> Iterator[Family]:
    yield Family("concord_info", "gauge", "The version that answers.", [Sample(1, {"version": __version__})])
    yield _by("concord_batches", "Batches by status.", "status", batches_by_status())
    yield _by("concord_claims", "Claims of questionnaires by state.", "state", claims_by_state())
    yield _by(
        "concord_answers",
        "Answers of raters: standing ratings, marks, and all acknowledged ones, changed ones too.",
        "kind",
        ratings_by_kind(),
    )
    yield from _of_jobs(now)
    yield from _of_parts(now)
    yield from _of_broker()
    yield from _of_machines()
    yield from _of_requests()


def _by(name: str, told: str, label: str, values: Mapping[str, float]) -> Family:
    return Family(name, "gauge", told, [Sample(value, {label: key}) for key, value in values.items()])


def _of_jobs(now: datetime) -> Iterator[Family]:
    kinds = list(jobs_by_kind(now))
    counts = [
        Sample(count, {"kind": one.kind, "state": state})
        for one in kinds
        for state, count in one.counts.items()
    ]
    yield Family("concord_jobs", "gauge", "Background jobs by kind and state.", counts)
    ages = [
        Sample(age, {"kind": one.kind, "state": state}) for one in kinds for state, age in one.oldest.items()
    ]
    told = "Seconds for which the oldest job has waited or been at work."
    yield Family("concord_oldest_job_seconds", "gauge", told, ages)


def _of_parts(now: datetime) -> Iterator[Family]:
    times = list(part_times(now))
    for name, told, values in (
        ("concord_recent_parts", "Parts of runs that were done in the last hour.", "parts"),
        ("concord_recent_part_seconds", "Seconds that these parts took together.", "seconds"),
        ("concord_longest_recent_part_seconds", "Seconds that the longest of them took.", "longest"),
    ):
        yield _by(name, told, "queue", {one.queue: getattr(one, values) for one in times})


def _of_broker() -> Iterator[Family]:
    broker = read_broker()
    yield Family("concord_broker_up", "gauge", "Whether the broker answers.", [Sample(not broker.fault, {})])
    yield _by("concord_queue_messages", "Messages that no worker has taken.", "queue", broker.waiting)


def _of_machines() -> Iterator[Family]:
    seen = [
        Sample(one.seen_at.timestamp(), {"worker": one.name, "queues": one.queues}) for one in workers_seen()
    ]
    told = "When each worker last said that it lives, in seconds since 1970."
    yield Family("concord_worker_seen_timestamp_seconds", "gauge", told, seen)
    made = last_backup()
    yield Family(
        "concord_last_backup_timestamp_seconds",
        "gauge",
        "When manage.py backup last wrote a backup, in seconds since 1970.",
        [Sample(made.made_at.timestamp(), {})] if made else [],
    )
    try:
        free = [Sample(shutil.disk_usage(settings.CONCORD_DATA_DIR).free, {})]
    except OSError:
        free = []
    yield Family("concord_data_free_bytes", "gauge", "Free bytes of the data folder's disk.", free)


def _of_requests() -> Iterator[Family]:
    times = list(read_times())
    answers = [
        Sample(count, {"route": one.route, "status": str(status or "other")})
        for one in times
        for status, count in one.statuses.items()
    ]
    told = "Requests by route and status; 4xx and 503 are refusals."
    yield Family("concord_responses_total", "counter", told, answers)
    taken = [
        sample
        for one in times
        for sample in histogram({"route": one.route}, BOUNDS, one.buckets, one.seconds)
    ]
    yield Family("concord_request_seconds", "histogram", "Seconds that requests took, by route.", taken)
