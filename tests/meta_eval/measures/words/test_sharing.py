"""What two texts share, found with little memory."""

from dataclasses import replace

import numpy as np

from meta_eval.measures.words.counts import count_words
from meta_eval.measures.words.sharing import intersection_sizes
from meta_eval.measures.words.tokenisers import WORDS
from meta_eval.measures.words.tokens import number_texts


def test_a_run_may_go_on_with_the_last_text_of_the_one_before(monkeypatch):
    """Its table then holds one text more than its costs count, here the last one that fits."""
    monkeypatch.setattr("meta_eval.measures.words.sharing.SCRATCH", 33)
    for module in ("sharing", "counts"):
        monkeypatch.setattr(f"meta_eval.measures.words.{module}.CHUNK", 3300)
    second = np.repeat(np.arange(32), [21, *[2] * 15, *[1] * 16])
    words = replace(count_words(number_texts(["storm bridge"] * 32, WORDS)), columns=None)
    assert intersection_sizes(words, np.zeros_like(second), second).tolist() == [2.0] * len(second)
