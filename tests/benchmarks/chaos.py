"""Does anything get lost where everything is killed, while raters rate and reports are computed?

    python -m tests.benchmarks.chaos --database postgres --seeds 1 2 3 --kills 50
    python -m tests.benchmarks.chaos --database sqlite --seeds 1
    python -m tests.benchmarks.chaos --each 2 --raters 8 --resamples 1000 --pairs 1000     a short one

It brings its own servers: PostgreSQL (or SQLite), RabbitMQ (Valkey where that is not installed, which it then
says, or by `--broker`), two workers, and a web server of two processes. The raters of the rehearsal rate, in
one batch after the other; meanwhile a report on another batch is computed from nothing again and again, its
scores cut into many parts. All the time one of them is killed with SIGKILL at a moment and of a kind that the
seed draws, and started again. Then everything that the rehearsal checks is checked, and every report must
have the bits of the one that was computed undisturbed. The exit status is 1 where something does not hold.
"""

import argparse
import os
import secrets
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Lock, Thread

from tests.benchmarks.own_servers import (
    PATIENCE_SECONDS,
    NotHereError,
    Postgres,
    Rabbit,
    Server,
    Valkey,
    free_port,
    worker,
)
from tests.benchmarks.own_site import UNLIMITED
from tests.benchmarks.repeated_report import Reports, patiently


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is ended then too
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ccb-", dir="/tmp")))
        folder.chmod(0o755)  # the database's user looks for its own folder in it
        database, broker = _servers(stack, folder, options)
        (folder := folder / "data").mkdir()  # which the site closes to all other users
        _set_environment(folder, database, broker, options.pairs)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", interactive=False, verbosity=0)
        from survey_site.operations import servers
        from survey_site.rehearsal import person, scripts

        servers.READY_SECONDS = person.PATIENCE_SECONDS = PATIENCE_SECONDS
        expire_claim = scripts.expire_claim
        scripts.expire_claim = lambda **claim: patiently(partial(expire_claim, **claim))
        failed = [seed for seed in options.seeds if not _try(folder, database, broker, seed, options)]
    if failed:
        raise SystemExit(f"Something did not hold with the seeds {failed}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--database", choices=("postgres", "sqlite"), default="postgres")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--broker", choices=("rabbitmq", "valkey"), default="rabbitmq")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument(
        "--each", type=int, help="so many kills of each kind instead, in an order that is drawn"
    )
    parser.add_argument("--raters", type=int, default=40, help="of a batch")
    parser.add_argument("--resamples", type=int, default=2000, help="of a report")
    parser.add_argument("--pairs", type=int, default=200, help="of a part of a report's scores, at most")
    return parser.parse_args()


def _servers(stack: ExitStack, folder: Path, options: argparse.Namespace) -> tuple[Postgres | None, Server]:
    database = None
    if options.database == "postgres":
        (folder / "postgres").mkdir()
        database = Postgres(folder / "postgres")
        stack.callback(database.kill)
        database.start()
    else:
        _say("SQLite is a file: there is no server of it to kill")
    (folder / "broker").mkdir()
    broker = _broker(stack, folder / "broker", options.broker)
    broker.start()
    return database, broker


def _broker(stack: ExitStack, folder: Path, wanted: str) -> Server:
    if wanted == "rabbitmq":
        try:
            rabbit = Rabbit(folder)
        except NotHereError as error:
            _say(f"{error}: the broker that is killed is Valkey")
        else:
            stack.callback(rabbit.end)
            return rabbit
    valkey = Valkey(folder)
    stack.callback(valkey.kill)
    return valkey


def _set_environment(folder: Path, database: Postgres | None, broker: Server, pairs: int) -> None:
    os.environ.pop("DATABASE_URL", None)
    os.environ.update(
        DJANGO_SETTINGS_MODULE="survey_site.settings",
        SECRET_KEY=secrets.token_urlsafe(50),
        CELERY_BROKER_URL=broker.url,
        CONCORD_DATA_DIR=str(folder),
        CONCORD_HTTPS="false",
        CONCORD_SHARD_PAIRS=str(pairs),
        CONCORD_JOINS_PER_ADDRESS=UNLIMITED,  # all raters come from one address
        CONCORD_POSTS_PER_RATER=UNLIMITED,
        ALLOWED_HOSTS="127.0.0.1",
        LOG_LEVEL="ERROR",
        OMP_NUM_THREADS="1",
        **({"DATABASE_URL": database.url} if database else {}),
    )


def _try(folder: Path, database: Postgres | None, broker: Server, seed: int, options) -> bool:
    """One seed from beginning to end."""
    from survey_site.rehearsal.site import WebServer

    with ExitStack() as stack:
        web = WebServer(free_port(), 2, folder, dict(os.environ))
        stack.callback(web.stop)
        web.start()
        workers = [worker(number, folder, dict(os.environ)) for number in range(2)]
        for one in workers:
            stack.callback(one.kill)
            one.start()
        reports = Reports(folder, seed, options.resamples)
        _say(f"seed {seed}: an undisturbed report took {reports.compute():.0f} s, in {reports.parts} parts")
        killer = Killer(seed=seed, web=web, workers=workers, broker=broker, database=database)
        killer.plan(options.kills, options.each)
        return _disturbed(killer, reports, web, seed, options.raters)


def _disturbed(killer: "Killer", reports: "Reports", web, seed: int, raters: int) -> bool:
    over = Event()
    # Daemons, so that the command ends where it is told to.
    computing = Thread(target=reports.compute_until, args=(over,), daemon=True)
    killing = Thread(target=killer.kill_all, daemon=True)
    holds, rounds = True, 0
    for thread in (computing, killing):
        thread.start()
    while killing.is_alive() or not rounds:
        rounds += 1
        holds &= _rate(killer, web, seed * 1000 + rounds, raters)
    over.set()
    for thread in (computing, killing):
        thread.join()
    told = ", ".join(f"{count} {name}" for name, count in sorted(killer.counts.items()))
    _say(f"seed {seed}: {sum(killer.counts.values())} kills ({told}), {rounds} batches of raters")
    told = f"{reports.retried} tried again by hand, {reports.other} with other bits"
    _say(f"seed {seed}: {reports.done} reports, {told}")
    return holds and not killer.failed and bool(reports.done) and not reports.other


def _rate(killer: "Killer", web, seed: int, raters: int) -> bool:
    """A batch of the rehearsal, rated while servers are killed, then checked while they are not."""
    from django.utils import timezone

    from survey_site.rehearsal.crowd import Crowd
    from survey_site.rehearsal.findings import Evidence
    from survey_site.rehearsal.invariants import check_invariants
    from survey_site.rehearsal.scripts import plan_scripts
    from survey_site.rehearsal.services import make_rehearsal_batch
    from survey_site.rehearsal.snapshot import read_snapshot

    with killer.calm():
        batch = make_rehearsal_batch(raters=raters, seed=seed, now=timezone.now())
    crowd = Crowd(plan_scripts(raters=raters, seed=seed), batch, web.address)
    killer.logbook = crowd.logbook
    crowd.perform(lambda: None)
    with killer.calm():
        crowd.come_back()
        verdict = check_invariants(Evidence(read_snapshot(batch), crowd.logbook))
    answers = [one for writes in crowd.logbook.writes.values() for one in writes]
    acknowledged = sum(one.acknowledged for one in answers)
    _say(
        f"{raters} raters: {len(crowd.logbook.submitted)} questionnaires, {acknowledged} answers kept,"
        f" {len(verdict.violations)} violations"
    )
    for one in verdict.violations[:10]:
        _say(f"  {one}")
    return not verdict.violations


class Killer:
    """Kills one server after the other, and starts it again. `logbook`: told when raters reach nothing."""

    def __init__(self, *, seed: int, web, workers, broker: Server, database: Postgres | None) -> None:
        self.counts: Counter[str] = Counter()
        self.logbook, self.failed = None, False
        self._chance, self._calm = Random(f"chaos/{seed}"), Lock()
        self._web, self._workers, self._broker, self._database = web, workers, broker, database
        self._kinds = {
            "web processes": (self._kill_process, True),
            "web servers": (self._kill_web, True),
            "workers": (self._kill_worker, False),
            "brokers": (lambda: self._restart(broker), False),
            **({"PostgreSQL": (lambda: self._restart(database), True)} if database else {}),
        }

    def plan(self, kills: int, each: int | None) -> None:
        """So many kills, each of a kind that is drawn; or `each` of each kind, in an order that is drawn."""
        self._kills, self._order = kills, []
        if each:
            self._order = sorted(self._kinds) * each
            self._chance.shuffle(self._order)
            self._kills = len(self._order)

    @contextmanager
    def calm(self):
        """Nothing is killed meanwhile, and everything is up."""
        from django.db import connections

        with self._calm:
            connections.close_all()
            yield

    def kill_all(self) -> None:
        try:
            self._kill_all()
        except (Exception, SystemExit) as error:  # else a thread ends without a word
            _say(f"A server did not come back: {error}")
            self.failed = True

    def _kill_all(self) -> None:
        for _ in range(self._kills):
            time.sleep(self._chance.uniform(0.2, 2.5))
            with self._calm:
                name = self._order.pop() if self._order else self._chance.choice(sorted(self._kinds))
                kill, raters_notice = self._kinds[name]
                started = time.monotonic()
                kill()
                self.counts[name] += 1
                if raters_notice and self.logbook:
                    self.logbook.downtimes.append((started, time.monotonic()))

    def _kill_process(self) -> None:
        self._web.kill_process(self._chance)

    def _kill_web(self) -> None:
        self._web.kill()
        self._web.start()

    def _kill_worker(self) -> None:
        self._restart(self._chance.choice(self._workers))

    def _restart(self, server: Server) -> None:
        server.kill()
        time.sleep(self._chance.uniform(0, 1))
        server.start()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
