"""The logistic function equals SciPy's to the last bit, by either way, and costs few numbers no import."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.special import expit

from meta_eval.scores import logistic as module
from meta_eval.scores.logistic import logistic

EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 709.5, -709.5, -709.79, -720.0, -745.2, -1e308]


@pytest.mark.parametrize("few", [0, 10**9])
def test_it_is_scipys_to_the_last_bit(monkeypatch, few):
    monkeypatch.setattr(module, "_FEW", few)
    rng = np.random.default_rng(0)
    values = np.concatenate([EDGES, rng.uniform(-50, 50, 20_000), rng.uniform(-800, 800, 4_989)])
    np.testing.assert_array_equal(logistic(values), expit(values))
    table = values.reshape(5, -1)
    np.testing.assert_array_equal(logistic(table), expit(table))
    assert float(logistic(0.3)) == expit(0.3)


def test_scores_of_systems_need_no_special_functions():
    asked = "import sys, meta_eval.scores.automatic as scores; print('scipy.special' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"
