"""How long does work stand still after its worker, its broker or its database was killed?

    python -m tests.benchmarks.recovery --broker rabbitmq
    python -m tests.benchmarks.recovery --broker valkey --rounds 5
    python -m tests.benchmarks.recovery --only "broker dead when asked" --away 120

It brings its own servers: PostgreSQL, RabbitMQ or Valkey, and one worker, so that nobody else takes over. A
report is computed from nothing, its scores in parts; in the middle of it one server is killed with SIGKILL
and started again at once, as a supervisor would: the worker, the broker, or PostgreSQL. Once more the broker
is killed before the report is asked for, so that its message is lost, and is started again `--away` seconds
later. The clock runs from the kill (where the broker was dead before: from its return). *goes on*: until a
worker shows that it computes again, while the killed server comes back itself. *done*: until the report is
there. It must have the bits of the one that was computed undisturbed. The exit status is 1 where it has
others, or where more than `--most` seconds pass until work goes on.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.benchmarks.own_servers import Postgres, Rabbit, Server, Valkey, worker
from tests.benchmarks.own_site import set_environment
from tests.benchmarks.repeated_report import Reports, bits_of, patiently

LOOK_SECONDS, AT_WORK_SECONDS, MOST_WAIT_SECONDS = 0.1, 1.0, 300.0
KILLED, DEAD = ("worker", "broker", "PostgreSQL"), "broker dead when asked"


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is ended then too
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ccb-", dir="/tmp")))
        folder.chmod(0o755)  # the database's user looks for its own folder in it
        for name in ("postgres", "broker", "data"):
            (folder / name).mkdir()
        database = Postgres(folder / "postgres")
        stack.callback(database.kill)
        database.start()
        broker = Rabbit(folder / "broker") if options.broker == "rabbitmq" else Valkey(folder / "broker")
        stack.callback(broker.end if isinstance(broker, Rabbit) else broker.kill)
        broker.start()
        servers = {"CELERY_BROKER_URL": broker.url, "CONCORD_SHARD_PAIRS": "200"}
        set_environment(folder / "data", database.url, **servers)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", interactive=False, verbosity=0)
        hand = worker(1, folder, dict(os.environ))
        stack.callback(hand.kill)
        hand.start()
        slow = _measure(folder / "data", {"worker": hand, "broker": broker, "PostgreSQL": database}, options)
    if slow:
        raise SystemExit(f"Over {options.most:.0f} s, or with other bits: {', '.join(slow)}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--broker", choices=("rabbitmq", "valkey"), default="rabbitmq")
    parser.add_argument("--rounds", type=int, default=3)
    ways = [*(f"{name} killed" for name in KILLED), DEAD]
    parser.add_argument("--only", choices=ways, action="append", help="this way alone; may be repeated")
    parser.add_argument("--away", type=float, default=2.0, help="seconds for which a dead broker stays dead")
    parser.add_argument("--most", type=float, default=20.0, help="seconds until work goes on")
    return parser.parse_args()


def _measure(data: Path, servers: dict[str, Server], options: argparse.Namespace) -> list[str]:
    """What did not hold."""
    _say(f"load {os.getloadavg()[0]:.1f}; a worker's programs take {_loading_seconds():.1f} s to load")
    reports = Reports(data, seed=1, resamples=2000)
    reports.compute()
    _say(f"undisturbed: {reports.compute():.1f} s, in {reports.parts} parts")
    ways: dict[str, Callable[[], tuple[float, float]]] = {
        f"{name} killed": lambda server=servers[name]: _kill_at_work(reports, server) for name in KILLED
    }
    ways[DEAD] = lambda: _ask_without(reports, servers["broker"], options.away)
    slow = []
    for way in options.only or ways:
        act = ways[way]
        goes_on = []
        for _ in range(options.rounds):
            first, done = act()
            goes_on.append(first)
            load = os.getloadavg()[0]
            _say(f"{way}: goes on after {first:.1f} s, done after {done:.1f} s, load {load:.1f}")
        _say(f"{way}: median {median(goes_on):.1f} s, most {max(goes_on):.1f} s")
        slow += [way] if max(goes_on) > options.most or reports.other else []
    return slow


def _loading_seconds() -> float:
    """What a worker that is started needs before it can do anything: on a busy machine most of the time."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import django; django.setup()"], check=True)
    return time.monotonic() - began


def _kill_at_work(reports: Reports, server: Server) -> tuple[float, float]:
    pk = patiently(reports.request)
    _wait(_is_at_work)
    time.sleep(AT_WORK_SECONDS)
    server.kill()
    began, killed_at = time.monotonic(), _now()
    server.start()
    return _follow(reports, pk, began, killed_at)


def _ask_without(reports: Reports, broker: Server, away: float) -> tuple[float, float]:
    broker.kill()
    pk = patiently(reports.request)
    time.sleep(away)
    broker.start()
    return _follow(reports, pk, time.monotonic(), _now())


def _follow(reports: Reports, pk: int, began: float, since) -> tuple[float, float]:
    """Seconds until work goes on and until the report is there."""
    from survey_site.reports.models import Report

    _wait(lambda: _shows_life(since) or reports.is_done(pk))
    goes_on = time.monotonic() - began
    _wait(lambda: reports.is_done(pk))
    done = time.monotonic() - began
    reports.done += 1
    reports.other += patiently(lambda: bits_of(Report.objects.get(pk=pk))) != reports.bits
    return goes_on, done


def _now():
    from django.utils import timezone

    return timezone.now()


def _jobs():
    from survey_site.reports.models import Report
    from survey_site.scoring.models import ScoreRun, ScoreShard

    return [model.objects.all() for model in (Report, ScoreRun, ScoreShard)]


def _is_at_work() -> bool:
    return any(rows.filter(status="running").exists() for rows in _jobs())


def _shows_life(since) -> bool:
    """Whether anything was begun, or its heart has beaten, since then."""
    return any(rows.filter(heartbeat_at__gt=since).exists() for rows in _jobs())


def _wait(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + MOST_WAIT_SECONDS
    while not patiently(is_so):
        if time.monotonic() > deadline:
            raise SystemExit(f"Nothing happened within {MOST_WAIT_SECONDS:.0f} s.")
        time.sleep(LOOK_SECONDS)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
