"""EGISES from DEGRESS, and which score's studies hold for it."""

import numpy as np

from meta_eval.scores.egises import egises_of
from meta_eval.scores.names import SCORES


def test_egises_is_what_degress_lacks_to_one():
    assert egises_of(0.25) == 0.75
    values = egises_of(np.array([[0.0, 1.0], [0.5, np.nan]]))
    assert np.array_equal(values, [[1.0, 0.0], [0.5, np.nan]], equal_nan=True)


def test_what_is_studied_of_degress_holds_for_egises():
    assert [SCORES[score].studied for score in ("perseval", "degress", "egises")] == [
        "perseval",
        "degress",
        "degress",
    ]
