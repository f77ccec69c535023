"""What a run of the tests could not try on this machine, and why.

Each run of pytest keeps what it left out in pytest's cache, by its database. `python -m tests.left_out`, with
which `make test` ends, reads what both runs kept: what one of them tried is not left out. It also names the
benchmarks of whole servers that the tests run small, or not at all.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

NOTE = "left out"
CACHE = "left_out"
KEPT = Path(__file__).parents[1] / ".pytest_cache" / "v" / CACHE
BENCHMARKS = {
    "another_host": "not run: it needs root, and makes a network of its own",
    "api_cases": "the same made-up requests each time, not as many others as one likes",
    "chaos": "one kill of each kind on each database, not fifty at random with three seeds",
    "every_request": "not run: each address over 120,000 ratings",
    "full_disk": "not run: it needs root, and mounts a disk",
    "importing": "not run: 205,500 summaries",
    "recovery": "not run: how long work stands still, three times in each way",
    "requests": "not run: a questionnaire's time of the processor",
    "shards": "80 documents once, not 1,500 three times",
    "side_by_side": "6 raters for 3 seconds, not 12, 50, 200 and 500",
    "staff_pages": "240 ratings, not 120,000",
    "starts": "12 people at once, not 100",
}
"""Those of the site take hours together: what the tests run of each instead."""


@pytest.fixture
def left_out(record_property):
    """Say in a sentence what this test could not try, though it passes."""
    return lambda sentence: record_property(NOTE, sentence)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Keep it for `make test`, and tell what tests noted; why others were skipped pytest tells itself."""
    stats = terminalreporter.stats
    found = {
        "skipped": {report.nodeid: _reason(report) for report in stats.get("skipped", ())},
        "tried": [report.nodeid for report in stats.get("passed", ()) if report.when == "call"],
        "notes": sorted(set(_notes(report for reports in stats.values() for report in reports))),
    }
    if cache := getattr(config, "cache", None):
        from django.db import connection

        cache.set(f"{CACHE}/{connection.vendor}", found)
    if found["notes"]:
        terminalreporter.section("not tried on this machine")
        for note in found["notes"]:
            terminalreporter.write_line(note)


def _notes(reports: Iterable[Any]) -> Iterator[str]:
    for report in reports:
        yield from (text for name, text in getattr(report, "user_properties", ()) if name == NOTE)


def _reason(report: Any) -> str:
    _file, _line, reason = report.longrepr
    return str(reason).removeprefix("Skipped: ").removeprefix("could not import ")


def tell(runs: list[dict[str, Any]]) -> list[str]:
    """A line for each reason, with the number of tests that no run tried for it."""
    tried = {test for run in runs for test in run["tried"]}
    skipped = {test: reason for run in runs for test, reason in run["skipped"].items() if test not in tried}
    notes = {note for run in runs for note in run["notes"]}
    counted = sorted(Counter(skipped.values()).items())
    told = [f"{number} {'tests' if number > 1 else 'test'}: {reason}" for reason, number in counted]
    return [*sorted(notes), *told]


def main() -> None:
    runs = [json.loads(file.read_text()) for file in KEPT.glob("*")]
    if not runs:
        raise SystemExit("No run of the tests has kept what it left out.")
    told = tell(runs)
    if not has_gpu():
        told.insert(0, "No GPU is here: what language models and neural measures do on one was not tried.")
    lines = [f"- {line}\n" for line in told]
    sys.stdout.writelines(
        ["\nWhat could not be tried on this machine:\n", *lines] if lines else ["\nAll was tried.\n"]
    )
    sys.stdout.write("\nBenchmarks that take too long, or need root, and what the tests run of them:\n")
    sys.stdout.writelines(benchmarks())


def benchmarks() -> list[str]:
    return [f"- python -m tests.benchmarks.{name}: {small}\n" for name, small in BENCHMARKS.items()]


def has_gpu() -> bool:
    return any(Path("/dev").glob("nvidia[0-9]*"))


if __name__ == "__main__":
    main()
