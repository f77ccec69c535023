"""What becomes of answers, and of those who ask whether the site is ready, while a disk is really full?

    python -m tests.benchmarks.full_disk --database sqlite
    python -m tests.benchmarks.full_disk --database postgres

For root alone: it mounts a small disk in memory (tmpfs). On it lies the data folder with SQLite's file, or
the whole folder of a PostgreSQL of its own; then the site's data folder lies elsewhere and has room. The
raters of the rehearsal rate. Once some answers are kept a file takes all that is left of the disk, for as
long as `--seconds` says, and is then removed. A PostgreSQL that ends for want of room is started again, as a
supervisor would. Then everything that the rehearsal checks is checked: each acknowledged answer is stored.
The exit status is 1 where something does not hold.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from tests.benchmarks.own_servers import Postgres, free_port
from tests.benchmarks.own_site import set_environment

DISK_MEGABYTES = 400
ANSWERS_BEFORE = 30
LOOK_SECONDS, PATIENCE_SECONDS = 0.2, 60.0
CHUNKS = (1 << 24, 1 << 20, 1 << 16, 1 << 12)


def main() -> None:
    options = _options()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ccb-", dir="/tmp")))
        folder.chmod(0o755)  # the database's user looks for its own folder in it
        disk, data, database = stack.enter_context(_small_disk(folder / "disk")), folder / "data", None
        if options.database == "postgres":
            (disk / "postgres").mkdir()
            database = Postgres(disk / "postgres")
            stack.callback(database.kill)
            database.start()
        else:
            data = disk / "data"
        data.mkdir()
        metrics = {"CONCORD_METRICS_NETWORKS": "127.0.0.0/8"}  # so that its files are on a full disk, too
        set_environment(data, database.url if database else "", **metrics)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", interactive=False, verbosity=0)
        from survey_site.rehearsal.site import WebServer

        web = WebServer(free_port(), 2, data, dict(os.environ))
        stack.callback(web.stop)
        web.start()
        failed = [seed for seed in options.seeds if not _try(disk, database, web.address, seed, options)]
    if failed:
        raise SystemExit(f"Something did not hold with the seeds {failed}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--database", choices=("postgres", "sqlite"), default="sqlite")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--raters", type=int, default=24, help="of a batch")
    parser.add_argument("--seconds", type=float, default=14.0, help="for which the disk is full")
    return parser.parse_args()


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path]:
    folder.mkdir()
    size = f"size={DISK_MEGABYTES}m,mode=755"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _try(disk: Path, database: Postgres | None, address: str, seed: int, options: argparse.Namespace) -> bool:
    from django.utils import timezone

    from survey_site.rehearsal.crowd import Crowd
    from survey_site.rehearsal.findings import Evidence
    from survey_site.rehearsal.invariants import check_invariants
    from survey_site.rehearsal.scripts import plan_scripts
    from survey_site.rehearsal.services import make_rehearsal_batch
    from survey_site.rehearsal.snapshot import read_snapshot

    batch = make_rehearsal_batch(raters=options.raters, seed=seed, now=timezone.now())
    crowd = Crowd(plan_scripts(raters=options.raters, seed=seed), batch, address)
    trouble = Trouble(disk, database, address, options.seconds, crowd.logbook)
    thread = Thread(target=trouble.make)
    thread.start()
    crowd.perform(lambda: None)
    thread.join()
    _close_connections()
    crowd.come_back()
    verdict = check_invariants(Evidence(read_snapshot(batch), crowd.logbook))
    trouble.tell(seed)
    for one in verdict.violations[:10]:
        _say(f"  {one}")
    _say(f"seed {seed}: {len(verdict.violations)} violations")
    return not verdict.violations and trouble.went_well


def _close_connections() -> None:
    from django.db import connections

    connections.close_all()


@dataclass
class Trouble:
    """Fills the disk while raters rate, and notes what the site says meanwhile.

    said: what /health/ready/ answered, and how often; restarts: of a PostgreSQL that had ended by itself.
    """

    disk: Path
    database: Postgres | None
    address: str
    seconds: float
    logbook: object
    said: Counter[str] = field(default_factory=Counter)
    restarts: int = 0
    until_ready: float = 0.0
    until_answer: float = 0.0
    full: tuple[float, float] = (0.0, 0.0)

    def make(self) -> None:
        self._wait(lambda: len(self._acknowledged()) >= ANSWERS_BEFORE)
        before = time.monotonic()
        filler = _fill(self.disk / "filler")
        began = time.monotonic()
        while time.monotonic() < began + self.seconds:
            _fill(filler)  # what was given back since
            self.said[self._ask()] += 1
            self._revive()
            time.sleep(LOOK_SECONDS)
        filler.unlink()
        ended = time.monotonic()
        self.full = (began, ended)
        self._wait(lambda: self._ask() == "200 ok")
        self.until_ready = time.monotonic() - ended
        self._wait(lambda: any(one.sent > ended for one in self._acknowledged()))
        self.until_answer = min(one.ended for one in self._acknowledged() if one.sent > ended) - ended
        self.logbook.downtimes.append((before, ended + max(self.until_ready, self.until_answer)))

    @property
    def went_well(self) -> bool:
        return "200 ok" not in self.said and bool(self.until_answer)

    def tell(self, seed: int) -> None:
        began, ended = self.full
        kept = sum(began < one.sent and one.ended < ended for one in self._acknowledged())
        refused = Counter(
            one.status for one in self.logbook.exchanges if began < one.ended < ended and one.status != 200
        )
        writes = len(self._acknowledged())
        _say(f"seed {seed}: {writes} answers acknowledged, {kept} of them while the disk was full")
        _say(f"  full for {ended - began:.0f} s; other answers to raters: {dict(refused)}")
        for said, times in self.said.most_common():
            _say(f"  /health/ready/ {times} times: {said}")
        told = f"ready {self.until_ready:.1f} s, the next answer kept {self.until_answer:.1f} s"
        _say(f"  after room was made: {told}; PostgreSQL started again {self.restarts} times")

    def _acknowledged(self) -> list:
        return [one for writes in list(self.logbook.writes.values()) for one in writes if one.acknowledged]

    def _ask(self) -> str:
        try:
            with urllib.request.urlopen(f"{self.address}/health/ready/", timeout=10) as reply:
                return f"{reply.status} {reply.read().decode().strip()}"
        except urllib.error.HTTPError as error:
            return f"{error.code} {error.read().decode().strip()[:160]}"
        except OSError as error:
            return f"no answer: {error}"

    def _revive(self) -> None:
        if self.database and self.database.process.poll() is not None:
            self.database.kill()
            self.database._run()
            self.restarts += 1

    def _wait(self, is_so) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_so() and time.monotonic() < deadline:
            self._revive()
            time.sleep(LOOK_SECONDS)


def _fill(file: Path) -> Path:
    """Take all that is left of the disk."""
    with file.open("ab") as filler:
        end = filler.tell()
        for size in CHUNKS:
            try:
                while True:
                    os.posix_fallocate(filler.fileno(), end, size)
                    end += size
            except OSError:
                continue
    return file


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
