"""The benchmarks, most of which no test runs, are at least whole: what they import is there."""

from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MODULES = sorted(path.stem for path in BENCHMARKS.glob("[a-z]*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_a_benchmark_can_be_imported(name):
    assert import_module(f"tests.benchmarks.{name}").__doc__
