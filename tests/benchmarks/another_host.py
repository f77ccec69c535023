"""A worker on another host joins a run in the middle, and ends it alone.

    python -m tests.benchmarks.another_host        as root, with `ip` and its network namespaces

The other host is a network namespace: it has a network of its own, and reaches PostgreSQL and RabbitMQ, which
this command brings, through a virtual cable alone. A run of scores in parts begins on a worker here. Once a
fifth of its parts is done the worker here is killed, and one over there comes. The run must end, with the
bits of the run that the worker here computed alone before. The distances lie in a folder that both have.
"""

import argparse
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.benchmarks.own_servers import Postgres, Rabbit, worker

HERE, THERE = "10.213.7.1", "10.213.7.2"
MEASURE, PARTS_OF = "chrf", "200"
SHARE = 0.2
PATIENCE_SECONDS = 300.0


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter).parse_args()
    if os.geteuid() != 0 or not shutil.which("ip"):
        raise SystemExit("Only root may make a network namespace, with the program ip.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is ended then too
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ccb-", dir="/tmp")))
        folder.chmod(0o755)  # the database's user looks for its own folder in it
        host = stack.enter_context(another_host())
        for name in ("postgres", "broker"):
            (folder / name).mkdir()
        database, broker = Postgres(folder / "postgres", HERE), Rabbit(folder / "broker", HERE)
        stack.callback(database.kill)
        stack.callback(broker.end)
        database.start()
        broker.start()
        os.environ.update(
            DJANGO_SETTINGS_MODULE="survey_site.settings",
            SECRET_KEY=secrets.token_urlsafe(50),
            DATABASE_URL=database.url,
            CELERY_BROKER_URL=broker.url,
            CONCORD_DATA_DIR=str(folder),
            CONCORD_SHARD_PAIRS=PARTS_OF,
            LOG_LEVEL="ERROR",
            OMP_NUM_THREADS="1",
        )
        compare(stack, folder, host)


@contextmanager
def another_host() -> Iterator[str]:
    """The name of a network namespace at the other end of a cable of our own."""
    name, cable = f"cc{os.getpid()}", f"ccv{os.getpid()}"
    _ip("netns", "add", name)
    try:
        _ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("addr", "add", f"{HERE}/30", "dev", cable)
        _ip("link", "set", cable, "up")
        _ip("-n", name, "addr", "add", f"{THERE}/30", "dev", "eth0")
        _ip("-n", name, "link", "set", "eth0", "up")
        _ip("-n", name, "link", "set", "lo", "up")
        yield name
    finally:
        _ip("netns", "del", name)  # the cable goes with it


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def compare(stack: ExitStack, folder: Path, host: str) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    from meta_eval.corpus.jsonl import read_jsonl
    from survey_site.corpus.services import import_corpus
    from survey_site.demo.services import CORPUS_FILE

    call_command("migrate", interactive=False, verbosity=0)
    texts = read_jsonl(CORPUS_FILE)
    corpus = import_corpus(corpus=texts, name="Demo", source="jsonl", now=timezone.now()).corpus
    here, there = worker(0, folder, dict(os.environ)), worker(1, folder, dict(os.environ))
    there.command = ["ip", "netns", "exec", host, *there.command]
    for one in (here, there):
        stack.callback(one.kill)
    here.start()
    wait_until_done(request(folder, corpus), 1.0)
    alone = bits(folder)
    run = request(folder, corpus)
    done, parts = wait_until_done(run, SHARE)
    if done == parts:
        raise SystemExit("The run was over before another worker could come.")
    here.kill()
    there.start()
    began = time.monotonic()
    seen: set[str] = set()
    wait_until_done(run, 1.0, seen)
    if seen != {THERE}:
        raise SystemExit(f"The database saw other hosts than {THERE}: {sorted(seen)}")
    _say(f"{done} of {parts} parts were done here, the others by {THERE}")
    _say(f"the worker there was started {time.monotonic() - began:.0f} s before the end")
    if bits(folder) != alone:
        raise SystemExit("The run that two hosts computed has other bits.")
    _say("the scores have the bits of the run that one worker computed here")


def _addresses_of_others() -> set[str]:
    """Where the database's clients are, but for this process."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "select distinct host(client_addr) from pg_stat_activity where client_addr is not null"
            " and pid <> pg_backend_pid()"
        )
        return {address for (address,) in cursor.fetchall()}


def request(folder: Path, corpus):
    """The run, from nothing."""
    from django.utils import timezone

    from survey_site.scoring.adapters import MeasureChoice
    from survey_site.scoring.models import ScoreRun
    from survey_site.scoring.services import request_automatic
    from survey_site.scoring.tasks import enqueue_run

    ScoreRun.objects.all().delete()
    for name in ("distances", "contributions"):
        shutil.rmtree(folder / name, ignore_errors=True)
    run = request_automatic(corpus_row=corpus, choice=MeasureChoice(spec=MEASURE), now=timezone.now())
    enqueue_run(run)
    return run


def wait_until_done(run, share: float, seen: set[str] | None = None) -> tuple[int, int]:
    """Wait until this share of the parts is done, and with 1 the run. Parts done, and all of them.

    seen: gets the addresses from which others are connected to the database meanwhile.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        run.refresh_from_db()
        if run.is_failed:
            raise SystemExit(run.error)
        if seen is not None:
            seen |= _addresses_of_others()
        done, parts = run.shards.filter(status="done").count(), run.shards.count()
        if run.is_done or (share < 1 and parts and done >= share * parts):
            return done, parts
        time.sleep(0.02)
    raise SystemExit("It took too long.")


def bits(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted((folder / "contributions").rglob("*.parquet")))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
