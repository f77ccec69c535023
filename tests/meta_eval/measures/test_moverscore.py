"""MoverScore against plain transformers arithmetic and a linear programme, one pair at a time."""

import math

import numpy as np
import pytest
import torch
from scipy.optimize import linprog

from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure, moverscore
from meta_eval.measures.moverscore import ENGLISH, MULTILINGUAL, MoverScore
from tests.meta_eval.neural_models import TEXTS, VOCABULARY

PAIRS = tuple(side.astype(np.int64) for side in np.triu_indices(5))


def make(model, **options):
    return MoverScore(model=model, device="cpu", **{"max_length": 64, **options})


def distances(measure, texts=TEXTS[:5], pairs=PAIRS):
    return measure.distances(measure.prepare(texts), *pairs)


class Naive:
    """Word pieces but the special ones as unit vectors in float64; the transport as a linear programme."""

    def __init__(self, folder):
        from transformers import AutoModel, AutoTokenizer

        self.model = AutoModel.from_pretrained(folder, dtype=torch.float64).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)

    def pieces(self, text, layer):
        ids = self.tokenizer(text)["input_ids"]
        with torch.no_grad():
            states = self.model(torch.tensor([ids]), output_hidden_states=True).hidden_states[layer][0]
        kept = [i for i, piece in enumerate(ids) if VOCABULARY[piece] not in {"[CLS]", "[SEP]"}]
        unit = torch.nn.functional.normalize(states[kept], dim=-1).numpy()
        return unit, [ids[i] for i in kept]

    def cost(self, a, b, layer=3, weigh=lambda _piece: 1.0):
        (left, left_ids), (right, right_ids) = self.pieces(a, layer), self.pieces(b, layer)
        cost = np.array([[np.linalg.norm(x - y) for y in right] for x in left])
        shares = [np.array([weigh(piece) for piece in ids]) for ids in (left_ids, right_ids)]
        rows = [
            np.kron(np.eye(len(left)), np.ones(len(right))),
            np.kron(np.ones(len(left)), np.eye(len(right))),
        ]
        limits = np.concatenate([share / share.sum() for share in shares])
        return linprog(cost.ravel(), A_eq=np.vstack(rows), b_eq=limits).fun


@pytest.mark.parametrize("layer", [None, 2])
def test_distances_equal_the_linear_programme(bert, layer):
    naive = Naive(bert)
    expected = [naive.cost(TEXTS[i], TEXTS[j], layer or 3) for i, j in zip(*PAIRS, strict=True)]
    assert max(expected) > 0.3
    np.testing.assert_allclose(distances(make(bert, layer=layer, raw=True)), expected, atol=1e-5, rtol=0)
    np.testing.assert_allclose(distances(make(bert, layer=layer)), np.array(expected) / 2, atol=1e-5, rtol=0)


def test_idf_weighs_word_pieces_by_the_corpus(bert):
    naive, corpus = Naive(bert), TEXTS[:4]
    documents = [set(naive.tokenizer(text)["input_ids"]) for text in corpus]

    def weigh(piece):
        return math.log((len(corpus) + 1) / (sum(piece in document for document in documents) + 1))

    fitted = make(bert, idf=True, raw=True).fit(corpus)
    found = distances(fitted, TEXTS[:5], (np.array([0, 1]), np.array([1, 4])))
    expected = [naive.cost(TEXTS[0], TEXTS[1], weigh=weigh), naive.cost(TEXTS[1], TEXTS[4], weigh=weigh)]
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)


def test_moving_by_way_of_a_third_text_costs_no_less(bert):
    every = np.indices((5, 5))
    d = distances(make(bert), pairs=[side.ravel() for side in every]).reshape(5, 5)
    assert (d[:, None, :] - (d[:, :, None] + d[None, :, :])).max() < 1e-6
    assert make_measure("moverscore").info.triangle == "holds"


def test_the_language_of_the_corpus_chooses_the_encoder():
    auto = make_measure("moverscore")
    models = [auto.in_languages(tags).model for tags in ([], ["en-GB"], ["de"], ["en", "zh"])]
    assert models == [ENGLISH, ENGLISH, MULTILINGUAL, MULTILINGUAL]


def test_the_signature_names_the_layer_and_the_solver(bert):
    signature = make(bert).signature
    assert dict(signature.options) == {"layer": 3, "raw": False, "precision": "float32", "idf": False}
    assert sorted(signature.versions) == ["POT", "device", "tokenizers", "torch", "transformers"]


def test_without_the_solver_it_can_be_named_and_says_what_to_install_before_work(monkeypatch, bert):
    monkeypatch.setattr(moverscore, "find_spec", lambda _name: None)
    measure = make(bert)
    for ask in (lambda: measure.signature, lambda: measure.prepare(["a", "b"])):
        with pytest.raises(MeasureError, match="needs POT: run `pip install POT`"):
            ask()
