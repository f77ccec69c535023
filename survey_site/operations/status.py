"""What the status page says of each part of the site, with what to do.

It asks what answers at once: no worker is waited for, no mail server and no model is tried, as `manage.py
doctor` does.
"""

import shutil
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from meta_eval.version import __version__
from survey_site.common.health import database_fault, storage_fault, waiting_migrations
from survey_site.common.moments import in_words
from survey_site.operations.broker import (
    Broker,
    is_wanted,
    queue_names,
    read_broker,
    start_broker,
    start_command,
    start_worker,
)
from survey_site.operations.findings import Finding, State
from survey_site.operations.models import WorkerSeen
from survey_site.operations.queries import last_backup, living, workers_seen

DATABASE = "Database"
BACKUP_AFTER = timedelta(hours=26)
"""How old the last backup may be where one is made each night."""


def look_at_site(*, now: datetime) -> Iterator[Finding]:
    yield Finding("Web server", State.FINE, f"Concord {__version__} answers.")
    database = _of_database()
    yield database
    yield _of_disk()
    broker = read_broker()
    yield _of_broker(broker)
    if database.state is not State.FINE:  # the tables that all else is read from may not be there
        return
    alive = living(workers_seen(), now)
    yield _of_workers(alive)
    if not broker.fault:
        yield from _of_queues(broker, alive)
    yield _of_backup(now)


def database_is_fine(findings: Sequence[Finding]) -> bool:
    """Whether what else the page shows can be read."""
    return all(one.state is State.FINE for one in findings if one.subject == DATABASE)


def _of_database() -> Finding:
    if fault := database_fault():
        return Finding(DATABASE, State.FAULT, fault.message, fault.action)
    if waiting := waiting_migrations():
        said = f"It lacks {waiting} migration{'s' * (waiting != 1)} of this version."
        return Finding(DATABASE, State.FAULT, said, "Make a backup, then run manage.py migrate.")
    said = f"{connection.display_name} takes writes and has every migration."
    return Finding(DATABASE, State.FINE, said)


def _of_disk() -> Finding:
    if fault := storage_fault():
        return Finding("Disk", State.FAULT, fault.message, fault.action)
    usage = shutil.disk_usage(settings.CONCORD_DATA_DIR)
    said = f"{usage.free / 1e9:,.1f} GB of {usage.total / 1e9:,.1f} GB are free where the data folder is."
    return Finding("Disk", State.FINE, said)


def _of_broker(broker: Broker) -> Finding:
    if broker.fault:
        action = f"{start_broker()} Raters notice nothing; reports wait until it is back."
        return Finding("Broker", State.FAULT, f"It does not answer ({broker.fault}).", action)
    return Finding("Broker", State.FINE, f"{broker.address} answers.")


def _of_workers(alive: Sequence[WorkerSeen]) -> Finding:
    if alive:
        return Finding("Workers", State.FINE, f"Seen in the last half minute: {len(alive)}.")
    action = f"{start_worker()} Until then reports wait."
    return Finding("Workers", State.FAULT, "None was seen in the last half minute.", action)


def _of_queues(broker: Broker, alive: Sequence[WorkerSeen]) -> Iterator[Finding]:
    served = {queue for one in alive for queue in one.queues.split(",")}
    for name in queue_names():
        waiting = broker.waiting.get(name, 0)
        subject = f"Queue {name}"
        said = f"{waiting} message{'s' * (waiting != 1)} wait{'s' * (waiting == 1)}."
        if name in served:
            yield Finding(subject, State.FINE, said)
        elif waiting or (alive and is_wanted(name, waiting)):
            action = f"Start a worker for it: {start_command(name)}."
            state = State.FAULT if waiting else State.NOTE
            yield Finding(subject, state, f"{said} No worker serves it.", action)


def _of_backup(now: datetime) -> Finding:
    action = "Run manage.py backup FOLDER each night, and copy the file to another machine."
    made = last_backup()
    if made is None:
        return Finding("Backup", State.NOTE, "This site has made none yet.", action)
    said = f"The last is {made.file}, {made.size / 1e6:,.1f} MB, of {in_words(made.made_at)}."
    if now - made.made_at > BACKUP_AFTER:
        return Finding("Backup", State.NOTE, said, action)
    return Finding("Backup", State.FINE, said)
