"""The outcome of a rehearsal: one record, as JSON or as a few lines to read."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any

from survey_site.rehearsal.invariants import Verdict
from survey_site.rehearsal.logbook import Logbook
from survey_site.rehearsal.scripts import Script
from survey_site.rehearsal.snapshot import Snapshot

SHOWN_VIOLATIONS = 50


@dataclass(frozen=True)
class Setting:
    """How the rehearsal was run. web_processes: None on a site that ran already."""

    raters: int
    seed: int
    chaos: bool
    database: str
    web_processes: int | None


@dataclass(frozen=True)
class Outcome:
    """What was done and found."""

    setting: Setting
    scripts: Sequence[Script]
    logbook: Logbook
    snapshot: Snapshot
    verdict: Verdict
    seconds: float

    @property
    def passed(self) -> bool:
        return not self.verdict.violations


def as_record(outcome: Outcome) -> dict[str, Any]:
    """Values that JSON knows. Times in seconds, latencies in milliseconds."""
    logbook, verdict = outcome.logbook, outcome.verdict
    writes = [write for written in logbook.writes.values() for write in written]
    acknowledged = sum(write.acknowledged for write in writes)
    return {
        **asdict(outcome.setting),
        "roles": dict(sorted(Counter(str(script.role) for script in outcome.scripts).items())),
        "questionnaires": len(outcome.snapshot.places),
        "places": sum(outcome.snapshot.places.values()),
        "claims": dict(sorted(Counter(one.state for one in outcome.snapshot.claims.values()).items())),
        "answers": {"acknowledged": acknowledged, "unacknowledged": len(writes) - acknowledged},
        "events": dict(sorted(logbook.events.items())),
        "seconds": round(outcome.seconds, 1),
        **_traffic(logbook, outcome.seconds),
        "checked": dict(verdict.checked),
        "violations": [asdict(violation) for violation in verdict.violations],
    }


def _traffic(logbook: Logbook, seconds: float) -> dict[str, Any]:
    answered = [one.seconds * 1000 for one in logbook.exchanges if one.status is not None]
    median, late = _percentiles(answered)
    return {
        "requests": len(logbook.exchanges),
        "unanswered": len(logbook.exchanges) - len(answered),
        "requests_per_second": round(len(answered) / seconds, 1),
        "latency_ms": {"p50": median, "p95": late},
    }


def _percentiles(values: Sequence[float]) -> tuple[float | None, float | None]:
    """The 50th and the 95th percentile; None where there are not two values."""
    if len(values) < 2:
        return None, None
    cuts = quantiles(values, n=20, method="inclusive")
    return round(cuts[9], 1), round(cuts[18], 1)


def as_json(outcome: Outcome) -> str:
    return json.dumps(as_record(outcome), indent=2)


def as_text(outcome: Outcome) -> str:
    record = as_record(outcome)
    lines = [f"{name + ':':<18}{value}" for name, value in _rows(record).items()]
    return "\n".join([*lines, "", *_verdict_lines(outcome)])


def _rows(record: Mapping[str, Any]) -> dict[str, str]:
    latency, answers = record["latency_ms"], record["answers"]
    processes = f", {record['web_processes']} web processes" if record["web_processes"] else ""
    return {
        "Site": f"{record['database']}{processes}, seed {record['seed']}",
        "Raters": f"{record['raters']}: {_counted(record['roles'])}",
        "Questionnaires": f"{record['questionnaires']} with {record['places']} places",
        "Claims": _counted(record["claims"]),
        "Answers": f"{answers['acknowledged']} acknowledged, {answers['unacknowledged']} not",
        "What happened": _counted(record["events"]),
        "Requests": f"{record['requests']}, of which {record['unanswered']} had no answer",
        "Speed": f"{record['requests_per_second']} requests/s for {record['seconds']} s",
        "Latency": f"p50 {latency['p50']} ms, p95 {latency['p95']} ms",
        "Checked": _counted(record["checked"]),
    }


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing"


def _verdict_lines(outcome: Outcome) -> list[str]:
    found = outcome.verdict.violations
    if not found:
        return ["0 violations: every invariant held."]
    more = (
        [f"... and {len(found) - SHOWN_VIOLATIONS} more (--json has all)"] if found[SHOWN_VIOLATIONS:] else []
    )
    return [f"{len(found)} VIOLATIONS", *map(str, found[:SHOWN_VIOLATIONS]), *more]
