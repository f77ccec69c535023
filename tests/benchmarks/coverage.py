"""Do 95 % intervals hold the truth 95 % of the time, and are 5 % tests wrong 5 % of the time?

    python -m tests.benchmarks.coverage --simulations 1000 --seed 1

prints for each setting the share of simulations, the mean width of the intervals, and the range in which 95 %
of such shares lie if the nominal value is right. The tests of `stats/resampling` run a few of the settings,
smaller. The simulations themselves are in `trials`, those of tests in `trials_of_tests`.
"""

import argparse
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import get_args

import numpy as np
from scipy import stats

from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.resampling.bootstrap import RESAMPLING
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.table.inferred import infer_table
from tests.benchmarks.families import Families, Published, cover_families, cover_published, reject_within
from tests.benchmarks.levels import Levels, cover_levels
from tests.benchmarks.noticed import Noticed, cover_noticed
from tests.benchmarks.trials import (
    WIDTH,
    Documents,
    Figures,
    Population,
    Raters,
    Rng,
    cover_differences,
    cover_documents,
    cover_raters,
    cover_systems,
)
from tests.benchmarks.trials_of_tests import (
    reject_correlation,
    reject_equal_metrics,
    reject_williams,
    tell_equal_metrics_apart,
)


def _named(**settings: object) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


Setting = tuple[float, Callable[[Rng, int], Figures]]
"""The nominal share, and the simulation of so many."""


def _over_systems() -> dict[str, Setting]:
    normal = {
        f"systems, {_named(n=n, rho=rho)}": partial(cover_systems, systems=n, rho=rho)
        for n, rho in ((4, 0.0), (4, 0.6), (6, 0.6), (10, 0.0), (10, 0.6), (10, 0.9), (10, 0.98))
    } | {
        f"systems, {_named(n=30, rho=rho)}": partial(cover_systems, systems=30, rho=rho)
        for rho in (0.0, 0.6, 0.98)
    }
    student = {
        f"systems, Student's, {_named(n=n, rho=rho)}": partial(
            cover_systems, systems=n, rho=rho, population="student"
        )
        for n, rho in ((10, 0.0), (10, 0.6), (10, 0.9), (30, 0.6))
    }
    return {name: (0.95, simulate) for name, simulate in (normal | student).items()}


def _over_documents() -> dict[str, Setting]:
    plain = [
        Documents(apart=apart, rho=rho) for rho in (0.0, 0.7, 0.9) for apart in (0.5, 1.0, 2.0, 3.0, 10.0)
    ]
    sizes = [Documents(apart=apart, rho=0.7, systems=n) for n in (3, 5, 30) for apart in (1.0, 3.0, 10.0)]
    other = [Documents(apart=3.0, rho=0.7, shared=shared) for shared in (-0.5, 0.7)]
    other += [Documents(apart=3.0, rho=0.7, uneven=True), Documents(apart=3.0, rho=0.7, documents=20)]
    other += [
        Documents(apart=apart, rho=rho, population=population)
        for population in get_args(Population)[1:]
        for rho in (0.0, 0.7)
        for apart in (3.0, 10.0)
    ]
    found = {_design_name(one): partial(cover_documents, design=one) for one in [*plain, *sizes, *other]}
    named = {f"documents, {name}": simulate for name, simulate in found.items()}
    joint = {
        f"both, {_named(apart=apart, rho=rho)}": partial(
            cover_documents, design=Documents(apart=apart, rho=rho), systems_too=True
        )
        for apart, rho in ((10.0, 0.7), (4.0, 0.6), (3.0, 0.9), (1.5, 0.6), (1.5, 0.9))
    }
    return {name: (0.95, simulate) for name, simulate in (named | joint).items()}


def _design_name(design: Documents) -> str:
    default = Documents(apart=design.apart, rho=design.rho)
    special = {name: value for name, value in asdict(design).items() if value != getattr(default, name)}
    return _named(apart=design.apart, rho=design.rho, **special)


def _differences() -> dict[str, Setting]:
    found = {
        f"difference over documents, {_named(apart=apart, rho=rho, between=between)}": partial(
            cover_differences, apart=apart, rho=rho, between=between
        )
        for apart in (1.0, 3.0, 10.0)
        for rho, between in ((0.7, 0.5), (0.9, 0.9))
    } | {
        f"difference over systems, {_named(rho=rho, between=between)}": partial(
            cover_differences, apart=1.0, rho=rho, between=between, over="systems"
        )
        for rho, between in ((0.7, 0.5), (0.9, 0.9))
    }
    return {name: (0.95, simulate) for name, simulate in found.items()}


def _surveys() -> dict[str, Setting]:
    gold = np.random.default_rng(0).uniform(0.4, 1.0, 30)
    return {
        "survey, other documents with raters of their own": (0.95, partial(cover_raters, design=Raters())),
        "survey, other raters of the same documents, of their own": (
            0.95,
            partial(cover_raters, design=Raters(gold=gold)),
        ),
        "survey, other raters of the same documents, 16": (
            0.95,
            partial(cover_raters, design=Raters(gold=gold, people=16)),
        ),
    }


def _tests() -> dict[str, Setting]:
    correlation = {
        "no correlation, n 10": partial(reject_correlation, systems=10),
        "no correlation, n 10, skewed": partial(reject_correlation, systems=10, skewed=True),
        "no correlation, n 15": partial(reject_correlation, systems=15),
    }
    williams = {
        f"Williams, {_named(n=n, rho=rho)}": partial(reject_williams, systems=n, rho=rho, between=between)
        for n, rho, between in ((10, 0.5, 0.5), (10, -0.5, 0.5), (30, 0.7, 0.8))
    }
    equal = {
        "equal metrics, noise of cells": partial(reject_equal_metrics, level=0.0),
        "equal metrics, levels of systems": partial(reject_equal_metrics, level=0.7),
    }
    groups = {
        f"groups of equal metrics, {_named(noise=noise, rho=rho)}": partial(
            tell_equal_metrics_apart, rho=rho, between=between, noise=noise
        )
        for noise, rho, between in ((1.0, 0.7, 0.5), (4.0, 0.7, 0.5), (2.0, 0.9, 0.85))
    }
    return {name: (0.05, simulate) for name, simulate in (correlation | williams | equal | groups).items()}


def _families() -> dict[str, Setting]:
    """Two families of five systems, and the released scores of PerSEval, which are of two families."""
    plain = [
        Families(gap=gap, within=within, apart=apart)
        for gap in (0.0, 2.0, 4.0, 8.0)
        for within in (-0.5, 0.0, 0.6)
        for apart in (1.0, 2.0, 4.0, 8.0)
    ]
    baselines = [
        Families(gap=gap, within=within, apart=apart, baselines=kind)
        for kind in ("tied", "precise")
        for gap, within, apart in ((0.0, 0.6, 2.0), (2.0, 0.6, 2.0), (2.0, 0.95, 2.0), (2.0, 0.6, 4.0))
    ]
    ratings = [
        Families(gap=gap, within=0.6, apart=apart, ratings=True) for gap in (0.0, 4.0) for apart in (2.0, 4.0)
    ]
    found = {
        f"families, {_family_name(one)}": partial(cover_families, design=one)
        for one in (*plain, *baselines, *ratings)
    }
    published = {"ten systems": range(10), "PENS alone": range(5), "generic alone": range(5, 10)}
    found |= {
        f"released scores, {name}, {count} documents": partial(
            cover_published, design=Published(documents=count, systems=systems)
        )
        for name, systems in published.items()
        for count in (30, 113, 400)
    }
    return {name: (0.95, simulate) for name, simulate in found.items()} | {
        f"no correlation within families, gap {gap:g}": (0.05, partial(reject_within, gap=gap))
        for gap in (0.0, 2.0, 4.0, 8.0)
    }


def _family_name(design: Families) -> str:
    default = Families(gap=design.gap, within=design.within, apart=design.apart)
    special = {name: value for name, value in asdict(design).items() if value != getattr(default, name)}
    return _named(gap=design.gap, within=design.within, apart=design.apart, **special)


def _levels() -> dict[str, Setting]:
    designs = [
        Levels(documents=documents, apart=apart, rho=rho)
        for documents in (20, 60)
        for apart, rho in ((0.3, 0.0), (0.3, 0.6), (1.0, 0.9))
    ]
    return {f"levels, {_named(**asdict(one))}": (0.95, partial(cover_levels, design=one)) for one in designs}


def _noticed() -> dict[str, Setting]:
    designs = [
        *(Noticed(apart, rho) for rho in (0.0, 0.7, 0.9) for apart in (1.0, 3.0, 8.0)),
        *(Noticed(3.0, 0.7, systems=n) for n in (5, 20)),
        *(Noticed(apart, 0.7, documents=20) for apart in (3.0, 8.0)),
    ]
    families = [
        Families(gap=2.0, within=0.6, apart=4.0, baselines="tied"),
        Families(gap=4.0, within=0.0, apart=2.0),
    ]
    named = {_named(**asdict(one)): one for one in designs} | {_family_name(one): one for one in families}
    return {f"noticed, {name}": (0.95, partial(cover_noticed, design=one)) for name, one in named.items()}


SETTINGS: dict[str, Setting] = (
    _over_systems()
    | _over_documents()
    | _families()
    | _levels()
    | _noticed()
    | _differences()
    | _surveys()
    | _tests()
)


def time_table(resamples: int = 10_000) -> dict[str, float]:
    """Seconds of processor by kind of interval for a table of 441 cells over ten systems: 7 measures, 7
    surrogates, 3 scores and 3 coefficients."""
    rng = np.random.default_rng(0)
    systems = rng.standard_normal((10, 1))
    sides = [f"{kind} {number}" for kind in ("human", "automatic") for number in range(21)]
    given = {name: systems + 3.0 * rng.standard_normal((10, 100)) for name in sides}
    samples = resample_documents(given, resamples=resamples, rng=rng)
    found = {}
    for method in RESAMPLING:
        start = time.process_time()
        for score in range(3):
            numbers = range(7 * score, 7 * score + 7)
            infer_table(
                [(f"human {x}", f"automatic {y}") for x in numbers for y in numbers],
                samples,
                rng=rng,
                intervals=dict.fromkeys(COEFFICIENTS, method),
            )
        found[method] = time.process_time() - start
    return found


def main() -> None:
    """Run every setting, or those whose name starts with the given words."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--simulations", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="settings whose name starts so")
    parser.add_argument("--cost", action="store_true", help="how long a table of intervals takes, no more")
    options = parser.parse_args()
    if options.cost:
        for method, seconds in time_table().items():
            sys.stdout.write(f"{method:<14} {seconds:.1f} s of processor\n")
        return
    for name, (nominal, simulate) in SETTINGS.items():
        if not name.startswith(options.only):
            continue
        start = time.process_time()
        # by name, so that a setting more changes no other
        stream = np.random.default_rng([options.seed, zlib.crc32(name.encode())])
        figures = simulate(stream, options.simulations)
        low, high = stats.binom.interval(0.95, options.simulations, nominal) / np.float64(options.simulations)
        took = time.process_time() - start
        sys.stdout.write(
            f"{name} (nominal {nominal:.2f}, {low:.3f} to {high:.3f} by chance, {took:.0f} s of processor)\n"
        )
        for case, share in figures.items():
            if not case.endswith(WIDTH):
                width = f"  width {figures[case + WIDTH]:.2f}" if case + WIDTH in figures else ""
                sys.stdout.write(f"  {case:<50} {share:.3f}{width}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
