"""What the paper prints, made again from its own cells: means over aspects, and how far PerSE is ahead."""

import pytest

from meta_eval.studies.perse.agreement import PersonDraws
from meta_eval.studies.perse.choices import ChosenCase, choice_agreement
from meta_eval.studies.perse.questions import ASPECTS

ACCURACY = {
    "reviewer average": ((0.466, 0.478, 0.460, 0.469, 0.515), 0.477),
    "LLaMA-2 7b": ((0.466, 0.491, 0.453, 0.481, 0.503), 0.479),
    "LLaMA-2 13b": ((0.422, 0.451, 0.477, 0.481, 0.517), 0.470),
    "LLaMA-2 70b": ((0.517, 0.507, 0.431, 0.505, 0.545), 0.501),
    "GPT-4": ((0.502, 0.496, 0.596, 0.506, 0.543), 0.529),
    "PerSE-7b": ((0.572, 0.565, 0.619, 0.565, 0.560), 0.576),
    "PerSE-13b": ((0.621, 0.570, 0.616, 0.607, 0.597), 0.602),
}
"""Of Per-DOC, Table 4: accuracy by aspect, and the mean that is printed."""
CUT = {"reviewer average"}
"""Printed without its last digits: the mean of these cells is .4776."""
GAINS = {
    "Per-MPST, Kendall": (0.293, 0.253, 15.8, 15.8),
    "Per-DOC, accuracy": (0.602, 0.529, 13.8, 13.7),
    "Amazon books, Kendall": (0.237, 0.162, 46.3, 46.01),
}
"""PerSE-13b, GPT-4, by how many percent the first is ahead, and what is printed."""


def cases_of(shares):
    """A thousand cases an aspect, of which this share is chosen right."""
    return [
        ChosenCase("ann", aspect, "A", "A" if number < round(1000 * share) else "B")
        for aspect, share in zip(ASPECTS, shares, strict=True)
        for number in range(1000)
    ]


@pytest.mark.parametrize("judge", ACCURACY)
def test_the_mean_accuracy_is_the_plain_mean_of_the_aspects(judge):
    shares, printed = ACCURACY[judge]
    cases = cases_of(shares)
    found = choice_agreement(cases, PersonDraws([one.person for one in cases], resamples=0, seed=0))
    mean = found["accuracy"]["estimate"]
    assert [found["aspects"][name]["accuracy"] for name in ASPECTS] == pytest.approx(shares)
    if judge in CUT:
        assert (mean, int(1000 * mean) / 1000) == (pytest.approx(0.4776), printed)
    else:
        assert round(mean + 1e-9, 3) == pytest.approx(printed)


@pytest.mark.parametrize("what", GAINS)
def test_how_far_ahead_it_is_follows_from_the_cells_but_for_the_printed_digits(what):
    ours, other, follows, printed = GAINS[what]
    assert round(100 * (ours / other - 1), 1) == follows
    assert printed == pytest.approx(follows, abs=0.3)
