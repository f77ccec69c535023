"""What an operator wants to know of an installation: what was found of each subject, and what to do."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from importlib.util import find_spec
from smtplib import SMTPException
from typing import Any, cast
from uuid import uuid4

from django.conf import settings
from django.core import checks
from django.db import Error, connection
from django.db.models import QuerySet

from meta_eval.distances.store.files import StoreError
from meta_eval.errors import MeasureError
from meta_eval.measures import available_measures, make_measure
from meta_eval.measures.added import added_ids, refused_files
from meta_eval.measures.registry import measure_class
from survey_site.celery import app
from survey_site.common.health import Fault, database_fault, storage_fault, waiting_migrations
from survey_site.common.mail import mail_server, mails_are_sent
from survey_site.common.postgresql import POOLER
from survey_site.model_raters.models import ModelRun
from survey_site.operations.broker import (
    is_wanted,
    queue_names,
    read_broker,
    start_broker,
    start_command,
    start_worker,
)
from survey_site.operations.findings import Finding, State
from survey_site.reports.models import Report
from survey_site.scoring.apps import PLUGIN_ACTION
from survey_site.scoring.models import JobStatus, ScoreRun
from survey_site.scoring.storage import distance_store
from survey_site.settings.llm import QUEUE
from survey_site.settings.reading import read_settings

PATIENCE_SECONDS = 3
"""How long broker and workers have to answer."""
_CLOCKS_APART = timedelta(seconds=2)
"""From where on clocks are said to differ: a claim's end is told by one and judged by the other."""
_WITHOUT_HTTPS = frozenset({"security.W004", "security.W008", "security.W012", "security.W016"})
"""What Django says where CONCORD_HTTPS is off."""
_GRAVE = frozenset({"security.W009", "security.W018", "security.W020"})
"""A weak secret key, DEBUG, and no allowed host: Django only warns of them."""


def examine(*, now: Callable[[], datetime]) -> Iterator[Finding]:
    """All findings, in the order in which to mend them. Without a database, what rests on it is left out.

    `now` is a clock and no moment, since this machine's clock is itself looked at.
    """
    yield from _look_at_settings()
    yield _of_fault("storage", storage_fault(), f"{settings.CONCORD_DATA_DIR}, {_free()} free")
    database = database_fault()
    yield _of_fault("database", database, _describe_database())
    if database is None:
        yield _look_at_migrations()
        yield _look_at_clocks(now)
        yield from _look_at_pooler()
    yield from _look_at_distances()
    yield from _look_at_broker()
    if database is None:
        yield from _look_at_queues(now())
    yield from _look_at_plugins()
    yield from _look_at_measures()
    yield from _look_at_language_models()
    yield _look_at_mail()


def _of_fault(subject: str, fault: Fault | None, fine: str) -> Finding:
    if fault is None:
        return Finding(subject, State.FINE, fine)
    return Finding(subject, State.FAULT, fault.message, fault.action)


def _look_at_settings() -> Iterator[Finding]:
    every = checks.run_checks(include_deployment_checks=True)  # in an order that changes from run to run
    found = sorted((one for one in every if not one.is_silenced()), key=lambda one: str(one.id))
    for one in found:
        if one.id not in _WITHOUT_HTTPS:
            grave = one.is_serious() or one.id in _GRAVE
            yield Finding(
                "settings",
                State.FAULT if grave else State.NOTE,
                _first_sentence(str(one.msg)),
                f"{one.id} in Django's list of system checks.",
            )
    if {one.id for one in found} & _WITHOUT_HTTPS:
        yield Finding(
            "settings", State.NOTE, "Not served over HTTPS.", "Set CONCORD_HTTPS where people reach it."
        )
    elif not found:
        yield Finding("settings", State.FINE, "Django's checks for deployment find nothing.")


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).partition(". ")[0].removesuffix(".") + "."


def _free() -> str:
    try:
        return f"{shutil.disk_usage(settings.CONCORD_DATA_DIR).free / 1e9:,.1f} GB"
    except OSError:
        return "nothing"


def _describe_database() -> str:
    name = str(connection.settings_dict["NAME"])
    return f"{connection.display_name}, {name}: a row was written and taken back."


def _look_at_migrations() -> Finding:
    if waiting := waiting_migrations():
        said = f"Migrations that the database lacks: {waiting}."
        return Finding("migrations", State.FAULT, said, "Make a backup, then run manage.py migrate.")
    return Finding("migrations", State.FINE, "All are applied.")


def _look_at_clocks(now: Callable[[], datetime]) -> Finding:
    if connection.vendor == "sqlite":
        return Finding(
            "clock", State.FINE, f"{now():%Y-%m-%d %H:%M:%S %Z}, in {settings.TIME_ZONE} on pages."
        )
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        apart = abs(cursor.fetchone()[0] - now())
    if apart > _CLOCKS_APART:
        said = f"This machine's clock and the database's are {apart.total_seconds():.0f} seconds apart."
        return Finding("clock", State.FAULT, said, "Let both be set by a time server (NTP).")
    return Finding("clock", State.FINE, "This machine's clock and the database's agree.")


def _look_at_pooler() -> Iterator[Finding]:
    """Two connections that are open at once have two sessions, unless a pooler hands one to both in turn."""
    if connection.vendor == "sqlite" or not cast(Any, connection).keeps_plans:
        return
    try:
        with closing(connection.copy()) as one, closing(connection.copy()) as other:
            shared = {_session(one), _session(one)}.intersection((_session(other), _session(other)))
    except Error as error:
        said = f"Two more connections could not be opened: {' '.join(str(error).split())}"
        yield Finding("database", State.FAULT, said, "Let the server, or the pooler before it, take more.")
        return
    if shared:
        said = "A pooler gives each transaction another connection: plans that the site keeps get lost."
        yield Finding("database", State.FAULT, said, POOLER)


def _session(database: Any) -> int:
    with database.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def _look_at_distances() -> Iterator[Finding]:
    """Where the setting names a place, write a file there, find it and remove it."""
    if not settings.CONCORD_DISTANCES_URL:
        return
    where, folder = settings.CONCORD_DISTANCES_URL, f"tried-{uuid4().hex}"
    try:
        files = distance_store().files
        try:
            files.write(f"{folder}/file", b"concord")
            found = files.read(f"{folder}/file")
        finally:
            files.remove_folder(folder)  # one that stays would be taken for a measure
    except StoreError as error:
        action = "Until then runs fail. Check CONCORD_DISTANCES_URL; docs/settings.md says what to install."
        yield Finding("distances", State.FAULT, str(error), action)
        return
    if found != b"concord":
        said = f"{where}: what was written there is not found."
        yield Finding("distances", State.FAULT, said, "Check CONCORD_DISTANCES_URL.")
    else:
        yield Finding("distances", State.FINE, f"{where}: a file was written and removed.")


def _look_at_broker() -> Iterator[Finding]:
    try:
        with app.connection_for_read() as broker:
            broker.ensure_connection(max_retries=1, timeout=PATIENCE_SECONDS)
            where = broker.as_uri()
    except Exception as error:  # each kind of broker has errors of its own
        said = f"{type(error).__name__}: {error}".strip()
        action = f"{start_broker()} Reports wait; manage.py build_reports computes them."
        yield Finding("broker", State.FAULT, f"It does not answer ({said}).", action)
        return
    yield Finding("broker", State.FINE, f"{where} answers.")
    yield from _look_at_workers()


def _look_at_workers() -> Iterator[Finding]:
    """Workers take one job at a time and answer while they compute, for a thread of theirs listens."""
    served = app.control.inspect(timeout=PATIENCE_SECONDS).active_queues() or {}
    if not served:
        action = f"{start_worker()} Until then reports wait."
        yield Finding("workers", State.FAULT, "None answers.", action)
    else:
        yield Finding("workers", State.FINE, f"{len(served)} answer: {', '.join(sorted(served))}.")
    waiting = read_broker().waiting
    for queue in queue_names():
        names = sorted(name for name, queues in served.items() if queue in {one["name"] for one in queues})
        if queue == QUEUE and settings.CONCORD_LLM_MODELS:
            yield _of_queue_of_models(names)
        elif served and not names and is_wanted(queue, waiting.get(queue, 0)):
            action = f"Start one: {start_command(queue)}. Until then work waits there."
            yield Finding("workers", State.FAULT, f"None serves the queue {queue}.", action)


def _of_queue_of_models(names: list[str]) -> Finding:
    if names:
        return Finding("workers", State.FINE, f"For language models: {', '.join(names)}.")
    action = f"Start one: {start_command(QUEUE)}. Until then models rate nothing."
    return Finding("workers", State.FAULT, f"None serves the queue {QUEUE}, where models' runs wait.", action)


def _look_at_queues(now: datetime) -> Iterator[Finding]:
    models = [("reports", Report), ("score runs", ScoreRun)]
    if settings.CONCORD_LLM_MODELS:
        models.append(("models' runs", ModelRun))
    for name, model in models:
        waiting = model._default_manager.filter(status=JobStatus.QUEUED)
        late: QuerySet[Any] = waiting.filter(
            created_at__lt=now - timedelta(minutes=1), requeued_at__isnull=True
        )
        if model is ScoreRun:  # whose parts others compute needs nobody
            late = late.filter(waits_for_parts=False)
        failed = model._default_manager.filter(status=JobStatus.FAILED).count()
        said = f"{name}: {waiting.count()} wait, {late.count()} of them for over a minute, {failed} failed."
        state = State.NOTE if late.exists() or failed else State.FINE
        yield Finding(
            "queue", state, said, "manage.py requeue_stale hands waiting work over again." * late.exists()
        )


def _look_at_plugins() -> Iterator[Finding]:
    """Measures of one's own: which are there, and which file or installed distribution gives none."""
    for one in refused_files():
        yield Finding("plug-ins", State.FAULT, one.reason, PLUGIN_ACTION)
    found = []
    for name in added_ids():
        try:
            found.append(measure_class(name).info.id)
        except MeasureError as error:
            action = "All else works without it. Mend that distribution or uninstall it, and restart."
            yield Finding("plug-ins", State.FAULT, str(error), action)
    if found:
        yield Finding("plug-ins", State.FINE, f"{', '.join(found)} can be computed.")


def _look_at_measures() -> Iterator[Finding]:
    if find_spec("torch") is None:
        said = "torch is not installed: neural measures cannot be computed here."
        action = "make setup-neural; in containers set CONCORD_WORKERS in .env (docs/gpu.md)."
        yield Finding("models", State.NOTE, said, action)
        return
    yield _look_at_gpu()
    yield _look_at_models()


def _look_at_language_models() -> Iterator[Finding]:
    """Which may rate batches, and whether what speaks to them is installed; nothing is sent to them."""
    if not settings.CONCORD_LLM_MODELS:
        return
    subject, where = (
        "language models",
        f"{', '.join(settings.CONCORD_LLM_MODELS)} at {settings.CONCORD_LLM_URL}",
    )
    if find_spec("httpx2") is None:
        said = f"{where} cannot be asked: httpx2 is not installed."
        yield Finding(subject, State.FAULT, said, "make setup")
        return
    key = "with a key" if read_settings()["CONCORD_LLM_KEY"].strip() else "without a key"
    yield Finding(subject, State.FINE, f"{where}, asked {key} once an admin lets one rate a batch.")


def _look_at_gpu() -> Finding:
    from meta_eval.kernels.config import describe_gpus

    version, names = describe_gpus()
    if names:
        return Finding("GPU", State.FINE, f"torch {version}: {', '.join(names)}.")
    return Finding("GPU", State.NOTE, f"torch {version} finds none; neural measures run on the CPU.")


def _look_at_models() -> Finding:
    """Whether the models that measures take of themselves, for English, are here already."""
    from huggingface_hub import constants, try_to_load_from_cache

    wanted = sorted(set(_default_models()))
    missing = [name for name in wanted if not isinstance(try_to_load_from_cache(name, "config.json"), str)]
    if not missing:
        return Finding("models", State.FINE, f"{', '.join(wanted)} are in {constants.HF_HUB_CACHE}.")
    action = "They are fetched at first use. Without a network: hf download NAME elsewhere, and set HF_HOME."
    return Finding("models", State.NOTE, f"Not on this machine: {', '.join(missing)}.", action)


def _look_at_mail() -> Finding:
    """Connect to the mail server, and log in where it wants that; nothing is sent."""
    if not mails_are_sent():
        said = "No mail server is set: links to accounts are handed over, notices stand on their page."
        return Finding("mail", State.NOTE, said, "Set CONCORD_MAIL_URL where mails are wanted.")
    server = mail_server()
    server.timeout = PATIENCE_SECONDS
    try:
        with server:
            pass
    except (OSError, SMTPException) as error:  # its text may hold the user's name
        said = f"The mail server does not let us in ({type(error).__name__})."
        return Finding("mail", State.FAULT, said, "Check CONCORD_MAIL_URL, and that the server runs.")
    where = f"{server.host}, port {server.port}" if hasattr(server, "host") else "The mail server"
    return Finding("mail", State.FINE, f"{where} answers. Links lead to {settings.CONCORD_SITE_URL}.")


def _default_models() -> Iterator[str]:
    for known in available_measures():
        if name := getattr(make_measure(known.id).in_languages(()), "model", None):
            yield name
