"""tests/benchmarks/chaos.py on both databases: a kill of each kind amid ratings and reports."""

import re

import pytest

from tests.end_to_end.commands import benchmark, environment

EACH = 1
OPTIONS = ("--each", f"{EACH}", "--raters", "6", "--resamples", "1000", "--pairs", "1000")
KINDS = ["brokers", "web processes", "web servers", "workers"]


def kills(said: str) -> dict[str, int]:
    [told] = re.findall(r"kills \((.*)\)", said)
    return {name: int(count) for count, name in re.findall(r"(\d+) ([^,]+)", told)}


def check(said: str, kinds: list[str]) -> None:
    """It ended well, so no answer was lost, no invariant broken, and every report has the same bits."""
    assert kills(said) == dict.fromkeys(kinds, EACH)
    assert set(re.findall(r"(\d+) violations", said)) == {"0"}
    [(reports, others)] = re.findall(r"(\d+) reports, .*, (\d+) with other bits", said)
    assert (int(reports) > 0, others) == (True, "0")
    [parts] = re.findall(r"in (\d+) parts", said)
    assert int(parts) > 2  # more than the workers


def test_nothing_is_lost_on_one_machine(tmp_path):
    """SQLite, and the broker that the site brings itself."""
    command = ("chaos", "--database", "sqlite", "--broker", "valkey", *OPTIONS)
    check(benchmark(*command, environment=environment(tmp_path)), KINDS)


@pytest.mark.postgres
def test_nothing_is_lost_with_servers_of_their_own(tmp_path, left_out):
    """PostgreSQL and RabbitMQ, as the compose file runs them; Valkey where there is no RabbitMQ."""
    said = benchmark("chaos", "--database", "postgres", *OPTIONS, environment=environment(tmp_path))
    check(said, ["PostgreSQL", *KINDS])
    if "the broker that is killed is Valkey" in said:
        left_out("No RabbitMQ is installed here: Valkey was the broker that was killed.")
