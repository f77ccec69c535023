"""What waits, and what many workers are worth, in numbers that nobody has run: a simulation of queues.

    python -m tests.benchmarks.scaling           everything
    python -m tests.benchmarks.scaling raters    or: checks, waves, documents

Every cost of a unit is one that `docs/scaling.md` or `docs/performance.md` holds. A request waits for a web
process, which runs Python one request at a time, and for a core of the database; both serve who came first. A
run's parts are taken by whichever worker is free. `checks` puts what the simulation says beside what was
measured; the other parts go beyond it.
"""

import argparse
import sys
from statistics import median

from tests.benchmarks.waiting_lines import (
    MEASURES,
    WHOLE,
    Run,
    busiest_hour,
    busiest_rate,
    carry_out,
    closed_loop,
    corpus_run,
    shares,
    upper,
    wave,
)


def show_checks() -> None:
    say("Checks: what was measured, and what the simulation says of the same.")
    took = wave(200, 2, 2, within=0.0, same_cores=True)
    say(
        "  200 people start at once, PostgreSQL, two cores; slowest start: measured 2.17 s (1.68 to 2.73), "
        f"simulated {max(took):.2f} s"
    )
    rate, middle, slow, start = closed_loop(200, 8.0, cores=2, own=0.0015)
    say(
        "  200 raters without a pause, 8 s, the same: measured 151 to 217 answers a second, median of a "
        "rating 384 to 578 ms, slowest start 1.9 to 2.4 s\n"
        f"    simulated {rate:.0f} answers a second, {1000 * middle:.0f} ms (95 % below {1000 * slow:.0f}), "
        f"{start:.1f} s"
    )
    for documents, parts, one, half, measured in (
        (1500, 91, 14.8, 7.5, "17.3 and 9.2 s, .53 (what is besides comes from this row)"),
        (2500, 152, 22.3, 12.2, "27.8 and 14.9 s, .54"),
    ):
        runs = [
            Run(parts, part=seconds / parts, spread=0.1, besides=0.0176, loading=0.0006 * documents)
            for seconds in (one, 2 * half)
        ]
        alone, two = carry_out(runs[0], 1), carry_out(runs[1], 2)
        say(
            f"  chrf, {documents} documents in {parts} parts, one worker and two: measured {measured}\n"
            f"    simulated {alone:.1f} and {two:.1f} s, {two / alone:.2f}"
        )


def show_raters() -> None:
    say("Raters who come over a day, its busiest hour; milliseconds that a request takes, median and 95 %:")
    for a_day, choices in (
        (100, ((1, 1),)),
        (10_000, ((1, 1),)),
        (1_000_000, ((3, 4), (4, 4), (5, 4), (5, 2))),
    ):
        for web, database in choices:
            site = busiest_hour(a_day, web, database)
            waits = [1000 * one for kind in site.waits.values() for one in kind]
            start = [1000 * one for one in site.waits["start"]]
            asked = [busiest_rate(a_day) * sum(cost) for cost in zip(*map(shares, WHOLE), strict=True)]
            say(
                f"  {a_day:>9,} a day, {web} web processes, {database} cores of the database: "
                f"{median(waits):.0f} and {upper(waits):.0f}; start {median(start):.0f} and "
                f"{upper(start):.0f}; busy {asked[0] / web:.0%} and {asked[1] / database:.0%}"
            )


def show_waves() -> None:
    say("A wave: seconds to the first questionnaire, median, 95 % and slowest:")
    for people, within in ((500, 1.0), (10_000, 60.0), (10_000, 600.0)):
        for web, database in ((2, 2), (4, 2), (16, 8)):
            took = wave(people, web, database, within=within)
            say(
                f"  {people:,} within {within:.0f} s, {web} web processes, {database} cores of the database: "
                f"{median(took):.1f}, {upper(took):.1f} and {max(took):.1f}"
            )


def show_documents() -> None:
    say("Parts of a run: times as fast as one worker, by how many there are.")
    for documents in (10_000, 1_000_000, 100_000_000):
        for name, pair in MEASURES.items():
            run = corpus_run(documents, pair)
            speeds = {n: run.alone / carry_out(run, n) for n in (2, 4, 16, 64, 256)}
            said = ", ".join(f"{n}: {speed:.1f}" for n, speed in speeds.items())
            say(f"  {documents:,} documents, {name}: {run.parts:,} parts, alone {run.alone:,.0f} s; {said}")
    run = corpus_run(1_000_000, MEASURES["chrf"])
    alone = carry_out(run, 4)
    say(f"  1,000,000 documents, chrf, 4 workers: {alone:,.0f} s")
    say(f"    and 4 more that come after half of it: {carry_out(run, 4, joins=[alone / 2] * 4):,.0f} s")
    for kills in (1.0, 6.0):
        took = carry_out(run, 4, kills_an_hour=kills)
        say(f"    each killed {kills:.0f} times an hour: {took:,.0f} s, {took / alone:.2f} of it")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


SHOWN = {"checks": show_checks, "raters": show_raters, "waves": show_waves, "documents": show_documents}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *SHOWN], default=[])
    for name in parser.parse_args().parts or SHOWN:
        SHOWN[name]()


if __name__ == "__main__":
    main()
