"""A site that serves is not restored; told to, it is, and nothing that a rater was told is kept is lost.

The web server is a real one, and so are its clients: they speak HTTP alone, and write down what was kept.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.cookiejar import CookieJar
from itertools import count
from threading import Event, Thread
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest
from django.db import connection, connections
from django.urls import reverse

from survey_site.operations.archive import BackupError
from survey_site.operations.backup import make_backup
from survey_site.operations.in_use import signs_of_use
from survey_site.operations.models import WorkerSeen
from survey_site.operations.restoring import restore_backup
from survey_site.operations.servers import free_port
from survey_site.settings.table import BASE_DIR
from survey_site.survey.models import RatingHistory
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus
from tests.factories.processes import PATIENCE_SECONDS, database_url, wait_for

pytestmark = pytest.mark.django_db(transaction=True)
MOMENT = datetime(2026, 5, 3, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
RATERS = 3


@pytest.fixture(autouse=True)
def _programs():
    if connection.vendor == "postgresql" and shutil.which("pg_dump") is None:
        pytest.skip("PostgreSQL's client programs are not installed here")


@pytest.fixture
def data(settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path / "data"
    settings.CONCORD_DATA_DIR.mkdir()
    return settings.CONCORD_DATA_DIR


@pytest.fixture
def start(data, settings):
    """Start a process of the site on the test's database; it is ended with the test."""
    started = []

    def run(*command):
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "survey_site.settings",
            "SECRET_KEY": settings.SECRET_KEY,
            "DATABASE_URL": database_url(),
            "CONCORD_DATA_DIR": str(data),
            "CONCORD_POSTS_PER_RATER": "1000000",
            "CELERY_BROKER_URL": f"redis+socket://{data}/none.sock",
        }
        with (data.parent / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=BASE_DIR,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        started.append(process)

    yield run
    for process in started:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)


@pytest.fixture
def server(start):
    """A web server of two processes of which nobody has asked a page yet."""
    port = free_port(0)
    threads = ("--worker-class", "gthread", "--workers", "2", "--threads", "4")
    start("gunicorn", "survey_site.wsgi", "--bind", f"127.0.0.1:{port}", *threads)
    wait_for(lambda: answers(f"http://127.0.0.1:{port}/health/alive/"))
    return f"http://127.0.0.1:{port}"


def answers(address):
    try:
        with urlopen(address, timeout=5):
            return True
    except OSError:
        return False


class RatingClient(Thread):
    """A rater who changes their mind without end, and counts how many changes of each pair were kept."""

    def __init__(self, site, join, stop):
        super().__init__(daemon=True)
        self.site, self.join_path, self.stop = site, join, stop
        self.kept, self.values = Counter(), (1, 2)  # in turn, so that each is a change
        self.opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def run(self):
        page = self._ask(self.join_path)[1]
        start = dict(re.findall(r'type="hidden" name="(csrfmiddlewaretoken|key)" value="([^"]*)"', page))
        address, page = self._ask(f"{self.join_path}start/", start)
        headers = {
            "X-CSRFToken": re.search(r'name="csrfmiddlewaretoken" value="([^"]*)"', page)[1],
            "Accept": "application/json",
        }
        items = list(dict.fromkeys(re.findall(r'name="rating-([^"]+)"', page)))
        for turn in count(1):
            if self.stop.is_set():
                return
            item, value = items[turn % len(items)], self.values[turn // len(items) % 2]
            with suppress(OSError):  # it was not kept, or nobody was told so
                fields = {"item": item, "value": value, "tab": "a-tab", "turn": turn}
                self._ask(f"{address}rate/", fields, headers)
                self.kept[item] += 1

    def _ask(self, path, fields=None, headers=None):
        body = urlencode(fields).encode() if fields else None
        address = path if path.startswith("http") else self.site + path
        with self.opener.open(Request(address, body, headers or {}), timeout=60) as reply:
            return reply.geturl(), reply.read().decode()


def changes():
    """How often each pair was rated, by its code."""
    try:
        codes = RatingHistory.objects.values_list("assignment_item__code", flat=True)
        return Counter(codes)
    finally:
        connections.close_all()


def test_under_traffic_it_is_refused_or_nothing_is_lost_without_a_word(server, tmp_path):
    batch = make_batch(corpus=make_corpus(documents=4), raters=RATERS)
    backup, stop = tmp_path / "before.tar.gz", Event()
    clients = [RatingClient(server, reverse("survey:join", args=[batch.token]), stop) for _ in range(RATERS)]

    def wait_for_more(values):
        """From now on with other values, which differ from those that a restore brings."""
        for client in clients:
            client.values = values
        before = [client.kept.total() for client in clients]
        wait_for(lambda: all(one.kept.total() > kept for one, kept in zip(clients, before, strict=True)))

    for client in clients:
        client.start()
    try:
        wait_for_more((1, 2))
        make_backup(backup, now=MOMENT)
        wait_for_more((3, 4))
        with pytest.raises(BackupError, match=r"The site is in use: .*Nothing was changed"):
            restore_backup(backup, now=MOMENT, replace=True)
        done = restore_backup(backup, now=MOMENT + HOUR, replace=True, while_in_use=True)
        wait_for_more((5, 6))
    finally:
        stop.set()
        for client in clients:
            client.join(PATIENCE_SECONDS)
    site = changes()
    restore_backup(done.kept, now=MOMENT + 2 * HOUR, replace=True, while_in_use=True)
    replaced = changes()
    restore_backup(backup, now=MOMENT + 3 * HOUR, replace=True, while_in_use=True)
    twice = changes()  # these are in both
    acknowledged = sum((client.kept for client in clients), Counter())
    assert acknowledged.total() > twice.total() > 0
    assert acknowledged - (site + replaced - twice) == Counter()


def test_a_web_server_of_which_nobody_asks_anything_is_seen(server, tmp_path):
    make_backup(tmp_path / "one.tar.gz", now=MOMENT)
    with pytest.raises(BackupError, match="a web server or worker runs with the data folder"):
        restore_backup(tmp_path / "one.tar.gz", now=MOMENT)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite is of one machine")
def test_a_quiet_web_server_of_another_machine_is_seen(server, settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path / "of another machine"
    settings.CONCORD_DATA_DIR.mkdir()
    make_backup(tmp_path / "one.tar.gz", now=MOMENT)
    with pytest.raises(BackupError, match=r"other connections? to the database"):
        restore_backup(tmp_path / "one.tar.gz", now=MOMENT)


def test_a_worker_is_seen_while_it_waits_for_its_broker(start, data):
    def signs():
        with signs_of_use(MOMENT) as found:
            return found

    assert signs() == []
    start("celery", "--app", "survey_site", "worker", "--pool", "solo")
    wait_for(lambda: f"a web server or worker runs with the data folder {data}" in signs())


def test_a_worker_that_spoke_just_now_is_seen(data, tmp_path):
    make_backup(tmp_path / "one.tar.gz", now=MOMENT)
    facts = {"queues": "celery", "version": "1", "started_at": MOMENT}
    WorkerSeen.objects.create(name="celery@other", seen_at=MOMENT - timedelta(seconds=20), **facts)
    with pytest.raises(BackupError, match="the worker celery@other lived 20 s ago"):
        restore_backup(tmp_path / "one.tar.gz", now=MOMENT)
    restore_backup(tmp_path / "one.tar.gz", now=MOMENT + HOUR)


def test_somebody_else_in_the_database_is_seen(data, tmp_path):
    """Such as a shell, or an import: no process that serves."""
    make_backup(tmp_path / "one.tar.gz", now=MOMENT)
    opened, over = Event(), Event()

    def look():
        WorkerSeen.objects.count()
        opened.set()
        over.wait(PATIENCE_SECONDS)
        connections.close_all()

    other = Thread(target=look)
    other.start()
    assert opened.wait(PATIENCE_SECONDS)
    try:
        with pytest.raises(BackupError, match=r"another process has|1 other connection to"):
            restore_backup(tmp_path / "one.tar.gz", now=MOMENT)
    finally:
        over.set()
        other.join()
    restore_backup(tmp_path / "one.tar.gz", now=MOMENT)
