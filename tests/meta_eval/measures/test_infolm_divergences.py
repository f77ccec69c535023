"""InfoLM's divergences, one by one beside torchmetrics, and the distances made of them."""

import math

import numpy as np
import pytest

from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure
from tests.meta_eval.measures.test_infolm import DIVERGENCES, distances, make
from tests.meta_eval.neural_models import TEXTS


def test_raw_equals_torchmetrics_one_pair_at_a_time(bert):
    from torchmetrics.functional.text.infolm import infolm

    texts = TEXTS[:5]
    first, second = np.triu_indices(5, 1)
    found = distances(make(bert, raw=True, max_length=32), texts, (first, second))
    for i, j, distance in zip(first, second, found, strict=True):
        theirs = infolm(
            texts[i],
            texts[j],
            model_name_or_path=bert,
            information_measure="ab_divergence",
            alpha=1.0,
            beta=1.0,
            idf=False,
            max_length=32,
            verbose=False,
        )
        assert distance == pytest.approx(float(theirs), abs=1e-5)


@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_divergences_equal_torchmetrics_one_pair_at_a_time(bert, divergence):
    from torchmetrics.functional.text.infolm import infolm

    theirs, parameters, sign = DIVERGENCES[divergence]
    pairs = np.array([0, 0, 3]), np.array([1, 3, 0])
    found = distances(
        make(bert, divergence=divergence, raw=True, max_length=32, **parameters), TEXTS[:4], pairs
    )
    settings = {"information_measure": theirs, "idf": False, "max_length": 32, "verbose": False, **parameters}
    expected = [
        sign * float(infolm(TEXTS[i], TEXTS[j], model_name_or_path=bert, **settings))
        for i, j in zip(*pairs, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=2e-5, rtol=0)
    assert found.min() > 0.01


@pytest.mark.parametrize(
    ("divergence", "largest"),
    [("kl", None), ("fisher-rao", math.pi), ("total-variation", 1), ("l1", 2), ("l2", math.sqrt(2))],
)
def test_a_divergence_becomes_a_distance_by_its_largest_value_or_by_an_exponential(bert, divergence, largest):
    raw = distances(make(bert, divergence=divergence, raw=True))
    found = distances(make(bert, divergence=divergence))
    expected = raw / largest if largest else 1 - np.exp(-raw)
    np.testing.assert_allclose(found, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize(
    ("options", "symmetric"),
    [
        ({}, True),
        ({"divergence": "kl"}, False),
        ({"divergence": "renyi", "alpha": 0.5}, True),
        ({"divergence": "alpha", "alpha": 2.0}, False),
        ({"alpha": 2.0, "beta": 2.0}, True),
        ({"divergence": "beta", "beta": 0.5}, False),
        ({"divergence": "l2"}, True),
    ],
)
def test_which_divergences_are_symmetric(bert, options, symmetric):
    measure = make(bert, **options)
    there, back = (distances(measure, TEXTS[:3], pair) for pair in (([0, 0], [1, 2]), ([1, 2], [0, 0])))
    assert measure.symmetric is symmetric
    assert np.allclose(there, back, atol=1e-9, rtol=0) is symmetric


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"divergence": "kl", "alpha": 0.5}, "divergence=kl has no alpha: leave it out."),
        ({"divergence": "renyi"}, "divergence=renyi is not defined with alpha=1, beta=1"),
        ({"divergence": "alpha", "alpha": 0.0}, "divergence=alpha is not defined with alpha=0, beta=1"),
        ({"alpha": 1.0, "beta": -1.0}, "divergence=ab is not defined with alpha=1, beta=-1"),
        ({"beta": 6.0}, "Option beta of measure 'infolm' is 6.0; it must be from -5 to 5."),
    ],
)
def test_parameters_that_a_divergence_has_not_are_refused(options, message):
    with pytest.raises(MeasureError) as caught:
        make_measure("infolm", **options)
    assert str(caught.value).startswith(message)


def test_the_divergence_is_signed_where_it_is_not_the_default(bert):
    before = {"temperature": 0.25, "raw": False, "window": None, "precision": "float32", "idf": False}
    assert dict(make(bert).signature.options) == before
    chosen = make(bert, divergence="renyi", alpha=0.5).signature.options
    assert dict(chosen) == {**before, "divergence": "renyi", "alpha": 0.5}
    with pytest.raises(MeasureError, match="has no option 'divergence'"):
        make_measure("infolm", mode="kdm", divergence="kl")
