from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from meta_eval.measures import make_measure
from meta_eval.measures.words.tokenisers import WORDS
from tests.meta_eval.measures.texts import any_text, full_words, matrix


def scipy_distance(a: str, b: str) -> float:
    here, there = Counter(WORDS.words(a)), Counter(WORDS.words(b))
    both = list(here | there)
    return float(jensenshannon([here[word] for word in both], [there[word] for word in both], base=2))


@given(st.lists(full_words | any_text.filter(WORDS.words), min_size=1, max_size=5))
def test_jsd_is_scipys(texts):
    expected = np.array([[scipy_distance(a, b) for b in texts] for a in texts])
    np.testing.assert_allclose(matrix(make_measure("jsd"), texts), expected**2, atol=1e-12, rtol=0)
    # The root of a difference in the last bit is 1e-8: compare squares.
    roots = matrix(make_measure("jsd", root=True), texts)
    np.testing.assert_allclose(roots**2, expected**2, atol=1e-12, rtol=0)


def test_jsd_by_hand():
    jsd = make_measure("jsd")
    assert jsd("a b", "a c") == 0.5
    assert jsd("a", "b") == 1.0
    assert jsd("a b", "b a a b") == 0.0
    assert make_measure("jsd", root=True)("a b", "a c") == pytest.approx(np.sqrt(0.5), abs=1e-15)


@given(st.lists(full_words, min_size=3, max_size=3))
def test_the_root_obeys_the_triangle_inequality(texts):
    distances = matrix(make_measure("jsd", root=True), texts)
    assert distances[0, 2] <= distances[0, 1] + distances[1, 2] + 1e-12
