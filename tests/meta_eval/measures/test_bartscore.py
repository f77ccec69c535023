"""BARTScore against plain transformers, one pair at a time in float64."""

import numpy as np
import pytest
import torch

from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure
from meta_eval.measures.bartscore import BARTScore
from tests.meta_eval.neural_models import TEXTS, save_bart

PAIRS = tuple(side.ravel() for side in np.indices((len(TEXTS), len(TEXTS))))


@pytest.fixture(scope="module")
def bart(tmp_path_factory) -> str:
    return str(save_bart(tmp_path_factory.mktemp("bart")))


def make(model, **options):
    return BARTScore(model=model, device="cpu", **{"max_length": 64, **options})


def distances(measure, texts=TEXTS, pairs=PAIRS):
    return measure.distances(measure.prepare(texts), *pairs)


@pytest.fixture(scope="module")
def likelihoods(bart):
    """(target, source): the mean log-probability of the target's word pieces, by the model's own loss."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    model = AutoModelForSeq2SeqLM.from_pretrained(bart, dtype=torch.float64).eval()
    tokenizer = AutoTokenizer.from_pretrained(bart)
    ids = [torch.tensor([tokenizer(text)["input_ids"]]) for text in TEXTS]
    with torch.no_grad():
        return np.array([[-model(input_ids=b, labels=a).loss.item() for b in ids] for a in ids])


@pytest.mark.parametrize("form", ["f", "precision", "recall"])
def test_distances_equal_the_models_own_loss(bart, likelihoods, form):
    precision = likelihoods - likelihoods.diagonal()[:, None]
    lower = {"f": (precision + precision.T) / 2, "precision": precision, "recall": precision.T}[form]
    expected = 1 - np.exp(np.minimum(lower, 0))
    assert np.count_nonzero(expected > 0.05) > 3
    found = distances(make(bart, form=form)).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)


def test_likelihoods_equal_the_models_own_loss(bart, likelihoods):
    measure = make(bart)
    found = measure._likelihoods(measure.prepare(TEXTS).content, *PAIRS)
    np.testing.assert_allclose(found.reshape(likelihoods.shape), likelihoods.T, atol=1e-5, rtol=0)


def test_company_and_order_of_pairs_change_nothing_but_rounding(bart):
    measure, whole = make(bart), distances(make(bart))
    draw = np.random.default_rng(3).permutation(len(whole))
    np.testing.assert_allclose(
        distances(measure, pairs=(PAIRS[0][draw], PAIRS[1][draw])), whole[draw], atol=1e-6
    )
    alone = [measure(TEXTS[a], TEXTS[b]) for a, b in ((0, 1), (4, 3))]
    np.testing.assert_allclose(alone, whole.reshape(len(TEXTS), -1)[[0, 4], [1, 3]], atol=1e-6)


def test_texts_with_the_same_word_pieces_are_at_0(bart):
    assert make(bart)("The cat sits", "the cat sits") == 0.0
    assert make(bart)("The cat sits", "a dog wins") > 0.0


def test_a_model_without_decoder_is_refused(bert):
    with pytest.raises(MeasureError, match="is no encoder-decoder, which bartscore needs"):
        distances(make(bert))


def test_the_default_model_is_said_to_be_english():
    measure = make_measure("bartscore")
    assert measure.remark(["en"]) == ""
    assert measure.remark(["de"]).startswith("its model facebook/bart-large-cnn was trained on English")


def test_float8_is_refused(bart, monkeypatch):
    monkeypatch.setattr("meta_eval.kernels.float8.require_float8", lambda _device: None)
    with pytest.raises(MeasureError, match="cannot run with precision=float8"):
        make(bart, precision="float8").prepare(["a"])
