"""What raters meet with at a site, of ours or another: how long requests take, and what went wrong.

A site has `rate_once(number, tally, over)`, which is somebody new until it is over, and `group`, the process
group of its server.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from threading import Barrier, Event, Thread
from typing import Any

WAIT_SECONDS = 180.0
_TICKS = os.sysconf("SC_CLK_TCK")
_people = count(1)


@dataclass
class Tally:
    """What one rater's requests took: when each ended, and its seconds, by kind; and what went wrong."""

    took: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: {"start": [], "rate": []})
    faults: list[str] = field(default_factory=list)

    @contextmanager
    def timed(self, kind: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        ended = time.monotonic()
        self.took[kind].append((ended, ended - started))


def expect(is_so: bool, what: str) -> None:
    if not is_so:
        raise RuntimeError(what)


def watch(site: Any, raters: int, seconds: float) -> dict[str, float]:
    """One window: everybody comes at once, and what they met with."""
    tallies, over = [Tally() for _ in range(raters)], Event()

    def rate(tally: Tally) -> None:
        while not over.is_set():
            try:
                site.rate_once(next(_people), tally, over)
            except Exception as error:  # whatever it is, it is counted
                tally.faults.append(f"{type(error).__name__}: {error}")
                over.wait(0.2)

    threads = [Thread(target=rate, args=(tally,), daemon=True) for tally in tallies]
    spent, began = processor_seconds(site.group), time.monotonic()
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    spent = processor_seconds(site.group) - spent
    over.set()
    deadline = time.monotonic() + WAIT_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return _figures(tallies, began + seconds, seconds, spent)


def _figures(tallies: list[Tally], end: float, seconds: float, spent: float) -> dict[str, float]:
    took = {kind: [one for tally in tallies for one in tally.took[kind]] for kind in ("start", "rate")}
    within = sum(ended <= end for ended, _ in took["rate"])
    faults = _tell_faults(tallies)
    rate, start = (
        sorted(1000 * one for _, one in took[kind]) or [float("nan")] for kind in ("rate", "start")
    )
    return {
        "acks/s": within / seconds,
        "rate p50": median(rate),
        "rate p95": _upper(rate),
        "start p50": median(start),
        "start p95": _upper(start),
        "slowest start s": max(start) / 1000,
        "unanswered": sum(not any(tally.took.values()) for tally in tallies),
        "faults": faults,
        "processor ms an answer": 1000 * spent / within if within else float("nan"),
        "load": os.getloadavg()[0],
    }


def watch_starts(site: Any, people: int, _seconds: float) -> dict[str, float]:
    """All of them at one moment, from the link to the first questionnaire and no further."""
    tallies, gate, over = [Tally() for _ in range(people)], Barrier(people + 1), Event()
    over.set()  # whoever has started goes home

    def start(tally: Tally) -> None:
        gate.wait()
        try:
            site.rate_once(next(_people), tally, over)
        except Exception as error:  # whatever it is, it is counted
            tally.faults.append(f"{type(error).__name__}: {error}")

    threads = [Thread(target=start, args=(tally,), daemon=True) for tally in tallies]
    for thread in threads:
        thread.start()
    spent, database = processor_seconds(site.group), _Backends(site)
    gate.wait()
    deadline = time.monotonic() + WAIT_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    took = [seconds for tally in tallies for _, seconds in tally.took["start"]]
    figures = {
        "start p50 s": median(took or [float("nan")]),
        "slowest start s": max(took, default=float("nan")),
        "unanswered": people - len(took),
        "faults": _tell_faults(tallies),
        "web's processor s": processor_seconds(site.group) - spent,
    }
    if (seconds := database.seconds()) is not None:
        figures["PostgreSQL's processor s"] = seconds
    return figures | {"load": os.getloadavg()[0]}


class _Backends:
    """PostgreSQL's processes that serve the site, where they run on this machine. None of it on SQLite."""

    def __init__(self, site: Any) -> None:
        self._is_ours = getattr(site, "vendor", "") == "postgresql"
        self._before = self._read()

    def seconds(self) -> float | None:
        """Of processor, since then; None where they are not seen."""
        now = self._read()
        return sum(now.values()) - sum(self._before.get(pid, 0.0) for pid in now) if now else None

    def _read(self) -> dict[int, float]:
        from django.db import connection

        if not self._is_ours:
            return {}
        with connection.cursor() as cursor:
            cursor.execute(
                "select pid from pg_stat_activity where datname = current_database()"
                " and pid <> pg_backend_pid() and backend_type = 'client backend'"
            )
            pids = [pid for (pid,) in cursor.fetchall()]
        return {pid: seconds for pid in pids if (seconds := _postgres_seconds(pid)) is not None}


def _postgres_seconds(pid: int) -> float | None:
    try:
        name, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")
    except OSError:
        return None
    return sum(map(int, rest.split()[11:13])) / _TICKS if name.endswith("(postgres") else None


def _tell_faults(tallies: list[Tally]) -> int:
    faults = [fault for tally in tallies for fault in tally.faults]
    for fault in sorted(set(faults))[:3]:
        sys.stdout.write(f"    {faults.count(fault)} times: {fault}\n")
    return len(faults)


def _upper(values: list[float]) -> float:
    return quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def processor_seconds(group: int) -> float:
    """Of all living processes of a process group, children that have ended included."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            columns = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(columns[2]) == group:
            total += sum(map(int, columns[11:15]))
    return total / _TICKS
