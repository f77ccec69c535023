"""The simulation of docs/scaling.md keeps to what is known of lines and of work that is shared."""

import random

import pytest

from tests.benchmarks.waiting_lines import Clock, Run, Station, arrivals, carry_out, costs_of_parts

LOADING, JOINING = 2.0, 3.0
RUN = Run(100, part=1.0, spread=0.5, loading=LOADING, joining=JOINING)


@pytest.mark.parametrize(
    ("service", "wait"),
    [(lambda _draw: 1.0, 0.8 / (2 * 0.2)), (lambda draw: draw.expovariate(1.0), 0.8 / 0.2)],
    ids=["M/D/1", "M/M/1"],
)
def test_a_line_waits_as_long_as_the_formula_says(service, wait):
    clock, draw, waited = Clock(), random.Random(1), []
    station = Station(clock, 1)

    def come(seconds):
        came = clock.now
        yield station, seconds
        waited.append(clock.now - came - seconds)

    for at in arrivals(draw, 0.8, 25_000.0):
        clock.begin(come(service(draw)), at=at)
    clock.run()
    assert sum(waited) / len(waited) == pytest.approx(wait, rel=0.1)


@pytest.mark.parametrize("workers", [1, 7, 200])
def test_workers_take_their_share_of_the_parts_and_no_less(workers):
    costs = costs_of_parts(RUN, random.Random(1))
    least = max(sum(costs) / workers, *costs)
    took = carry_out(RUN, workers) - LOADING - JOINING
    assert least - 1e-9 <= took <= sum(costs) / workers + max(costs)


def test_killed_workers_lose_time_and_no_part():
    assert carry_out(RUN, 4, joins=[10.0]) < carry_out(RUN, 4) < carry_out(RUN, 4, kills_an_hour=60.0)
