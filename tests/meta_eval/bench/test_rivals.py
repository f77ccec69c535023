"""The rivals on real pairs: as many pairs as a score asks for, and loops that give our numbers."""

import time

import numpy as np
import pytest

from meta_eval.bench.pens import FILES
from meta_eval.bench.rivals import SMART, PensPairs, pens_pairs, time_rivals
from meta_eval.measures import make_measure

TEXTS = ["rain in the north", "rain in the south", "rains rained raining in", "sun", "the the sun", "!"]


@pytest.mark.parametrize("name", list(SMART))
def test_the_smart_loops_give_our_numbers(name):
    first, second = np.divmod(np.arange(36), 6)
    work = PensPairs(TEXTS, first, second)
    drawn = {"clock": time.process_time, "seconds": 0.0, "draw": np.random.default_rng(0)}
    *seconds, differs = time_rivals(name, work, make_measure(name), **drawn)
    assert differs < 1e-12
    assert min(seconds) >= 0


def test_each_pair_that_a_score_asks_for_is_there_once(tmp_path):
    header = "userid\tclicknewsID\tposnewID\trewrite_titles\n"
    rows = [f"{reader}\tN0\tN1\t{text}\n" for reader, text in (("u1", "rain"), ("u2", "sun"))]
    (tmp_path / "personalized_test.tsv").write_text(header + "".join(rows), encoding="utf-8")
    for file in FILES.values():
        (tmp_path / file).write_text("fog\nrain\n", encoding="utf-8")
    work = pens_pairs(tmp_path)
    named = [(work.texts[a], work.texts[b]) for a, b in zip(work.first, work.second, strict=True)]
    assert named == [("fog", "rain"), ("rain", "sun")]
