"""What the measures by language models have in common; test_invariants has what holds for all."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from meta_eval.errors import MeasureError
from meta_eval.measures.bertscore import BERTScore
from meta_eval.measures.infolm import InfoLM
from meta_eval.measures.neural import load_cached, module_on
from tests.meta_eval.neural_models import TEXTS

PAIRS = tuple(side.astype(np.int64) for side in np.triu_indices(len(TEXTS)))
OPTIONS = {"device": "cpu", "max_length": 64}


def make_bertscore(model, **options):
    return BERTScore(model=model, **{"layer": 2, **OPTIONS, **options})


def make_infolm(model, **options):
    return InfoLM(model=model, **{**OPTIONS, **options})


def distances(measure, texts=TEXTS, pairs=PAIRS):
    return measure.distances(measure.prepare(texts), *pairs)


@pytest.fixture(params=[make_bertscore, make_infolm], ids=["bertscore", "infolm"])
def make(request, bert):
    return lambda **options: request.param(bert, **options)


@pytest.fixture(params=[make_bertscore, make_infolm], ids=["bertscore", "infolm"])
def make_any(request):
    return request.param


@pytest.mark.parametrize("preprocess", ["none", "pens"])
def test_a_text_without_word_pieces_holds_nothing(make, preprocess):
    texts = ["storm", "", " ", "\u200b", "...", "the", "a b", "نهر", "\u0301"]
    measure = make(preprocess=preprocess)
    found = measure.hold_nothing(texts)
    assert found.tolist() == measure.prepare(texts).empty.tolist()
    assert (found[0], found[1], int(found.sum())) == (False, True, 4 if preprocess == "none" else 6)


@pytest.mark.parametrize(
    ("make", "options"),
    [(make_bertscore, {}), (make_infolm, {}), (make_infolm, {"raw": True})],
    ids=["bertscore", "infolm", "infolm raw"],
)
def test_empty_texts_are_at_1_from_others_and_at_0_from_each_other(make, options, bert):
    texts, pairs = ["", "a cat", "   ", "[SEP]"], ([0, 0, 0, 2, 1, 1], [0, 1, 2, 3, 3, 1])
    assert distances(make(bert, **options), texts, pairs).tolist() == [0, 1, 0, 0, 1, 0]
    assert make(bert, **options).prepare([]).empty.tolist() == []


@pytest.mark.parametrize(
    ("make", "rounding"), [(make_bertscore, 1e-6), (make_infolm, 1e-12)], ids=["bertscore", "infolm"]
)
def test_distances_are_symmetric_in_range_and_never_missing(make, rounding, bert):
    texts = [*TEXTS, "", "🙂 \u0000 ﷽", " ".join(TEXTS * 3)]
    first, second = (side.ravel() for side in np.indices((len(texts), len(texts))))
    found = distances(make(bert), texts, (first, second)).reshape(len(texts), -1)
    np.testing.assert_allclose(found, found.T, atol=rounding, rtol=0)
    assert (np.diag(found) == 0).all()
    assert ((found >= 0) & (found <= 1)).all()


def test_idf_without_a_corpus_is_an_error(make):
    with pytest.raises(MeasureError, match="call fit"):
        make(idf=True).prepare(TEXTS)


@pytest.mark.parametrize(
    ("make", "precision", "error"),
    [
        (make_bertscore, "bfloat16", 0.02),
        (make_bertscore, "float16", 0.002),
        (make_infolm, "bfloat16", 0.1),
        (make_infolm, "float16", 0.01),
    ],
    ids=["bertscore bfloat16", "bertscore float16", "infolm bfloat16", "infolm float16"],
)
def test_16_bit_numbers_stay_near(make, precision, error, bert):
    exact, rough = distances(make(bert)), distances(make(bert, precision=precision))
    np.testing.assert_allclose(rough, exact, atol=error, rtol=0)
    assert np.abs(rough - exact).max() > 1e-7


def test_float8_is_refused_without_a_gpu_and_before_any_work(make):
    with pytest.raises(MeasureError, match=r"precision=float8 needs a GPU .* 'cpu'"):
        make(precision="float8").signature  # noqa: B018


@pytest.mark.parametrize(
    ("make", "error"), [(make_bertscore, 0.05), (make_infolm, 0.25)], ids=["bertscore", "infolm"]
)
def test_float8_stays_near_and_keeps_last_layer_and_head(make, error, bert, monkeypatch):
    monkeypatch.setattr("meta_eval.kernels.float8.require_float8", lambda _device: None)
    exact, rough = distances(make(bert)), distances(make(bert, precision="float8"))
    np.testing.assert_allclose(rough, exact, atol=error, rtol=0)
    assert np.abs(rough - exact).max() > np.abs(distances(make(bert, precision="bfloat16")) - exact).max()


def test_runs_in_another_precision_and_length_leave_each_other_alone(make_any, any_model):
    """Measures of a process share one model and one tokenizer: neither a run before nor one beside shows."""
    asked = [{"precision": "float32"}, {"precision": "bfloat16"}, {"precision": "float32", "max_length": 5}]
    measures = [make_any(any_model, **options) for options in asked]
    alone = []
    for measure in measures:  # each as in a fresh process
        load_cached.cache_clear()
        module_on.cache_clear()
        alone.append(distances(measure))
    again = [distances(measure) for measure in measures]
    with ThreadPoolExecutor(len(measures)) as workers:
        beside = list(workers.map(distances, measures * 5))
    for number, found in enumerate([*again, *beside]):
        assert found.tolist() == alone[number % len(measures)].tolist()
    assert alone[0].tolist() != alone[1].tolist() != alone[2].tolist()
