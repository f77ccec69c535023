"""InfoLM against a naive float64 reference and against torchmetrics, one pair at a time."""

import math
import subprocess
import sys

import numpy as np
import pytest
import torch

from meta_eval.errors import MeasureError
from meta_eval.kernels import infolm as kernels
from meta_eval.kernels.config import EngineConfig
from meta_eval.measures import infolm as module
from meta_eval.measures.infolm import InfoLM, KdmInfoLM
from tests.meta_eval.neural_models import TEXTS, VOCABULARY, save_bert

PAIRS = tuple(side.astype(np.int64) for side in np.triu_indices(len(TEXTS)))
LONG = " ".join(TEXTS * 3)


def make(model, **options):
    return InfoLM(model=model, device="cpu", **{"max_length": 64, **options})


def distances(measure, texts=TEXTS, pairs=PAIRS):
    return measure.distances(measure.prepare(texts), *pairs)


class Naive:
    """The definition word for word: one masked copy at a time through the whole model, in float64."""

    def __init__(self, folder, temperature=0.25, max_length=64):
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        self.model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float64).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.temperature, self.max_length = temperature, max_length

    def ids(self, text):
        return self.tokenizer(text, truncation=True, max_length=self.max_length)["input_ids"]

    def predict(self, ids, position):
        copy = torch.tensor([ids])
        copy[0, position] = VOCABULARY.index("[MASK]")
        with torch.no_grad():
            logits = self.model(copy, attention_mask=torch.ones_like(copy)).logits[0, position]
        return (logits / self.temperature).softmax(dim=0)

    def distribution(self, text, weigh=lambda _piece: 1.0):
        ids = self.ids(text)
        kept = [i for i, piece in enumerate(ids) if VOCABULARY[piece] not in {"[PAD]", "[CLS]", "[SEP]"}]
        weights = [weigh(ids[i]) for i in kept]
        parts = [weight * self.predict(ids, i) for weight, i in zip(weights, kept, strict=True)]
        return torch.stack(parts).sum(0) / sum(weights)

    def distances(self, texts, pairs, **options):
        p = [self.distribution(text, **options) for text in texts]
        return np.array([1 - torch.cosine_similarity(p[i], p[j], dim=0) for i, j in zip(*pairs, strict=True)])


def test_distances_equal_the_definition(any_model):
    expected = Naive(any_model).distances(TEXTS, PAIRS)
    assert expected.max() > 0.3
    np.testing.assert_allclose(distances(make(any_model)), expected, atol=1e-5, rtol=0)


def test_texts_are_cut_at_max_length_special_word_pieces_included(bert):
    naive = Naive(bert, max_length=9)
    assert len(naive.ids(LONG)) == 9
    expected = naive.distances([LONG, TEXTS[4]], ([0], [1]))
    found = distances(make(bert, max_length=9), [LONG, TEXTS[4]], ([0], [1]))
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)
    assert abs(found - distances(make(bert), [LONG, TEXTS[4]], ([0], [1])))[0] > 1e-3


def test_temperature_sharpens(bert):
    expected = Naive(bert, temperature=1.0).distances(TEXTS, PAIRS)
    np.testing.assert_allclose(distances(make(bert, temperature=1.0)), expected, atol=1e-5, rtol=0)


DIVERGENCES = {
    "ab": ("ab_divergence", {"alpha": 0.5, "beta": 2.0}, 1),
    "alpha": ("alpha_divergence", {"alpha": 0.4}, -1),  # theirs have the other sign
    "beta": ("beta_divergence", {"beta": 0.7}, 1),
    "renyi": ("renyi_divergence", {"alpha": 0.3}, 1),
    "kl": ("kl_divergence", {}, -1),
    "fisher-rao": ("fisher_rao_distance", {}, 1),
    "total-variation": ("l1_distance", {}, 0.5),
    "l1": ("l1_distance", {}, 1),
    "l2": ("l2_distance", {}, 1),
    "l-infinity": ("l_infinity_distance", {}, 1),
}


def test_the_default_is_one_minus_exp_of_raw(bert):
    np.testing.assert_allclose(
        distances(make(bert)), 1 - np.exp(-distances(make(bert, raw=True))), atol=1e-12, rtol=0
    )


def test_idf_weighs_word_pieces_by_the_corpus_it_was_fitted_on(bert):
    naive, corpus = Naive(bert), TEXTS[:4]
    documents = [set(naive.ids(text)) for text in corpus]

    def weigh(piece):
        return math.log((len(corpus) + 1) / (sum(piece in document for document in documents) + 1))

    expected = naive.distances(TEXTS[:5], ([0, 1, 2], [1, 4, 4]), weigh=weigh)
    fitted = make(bert, idf=True).fit(corpus)
    np.testing.assert_allclose(
        distances(fitted, TEXTS[:5], ([0, 1, 2], [1, 4, 4])), expected, atol=1e-5, rtol=0
    )


def test_idf_is_signed_by_what_was_counted(bert):
    measure = make(bert, idf=True)
    with pytest.raises(MeasureError, match="call fit"):
        measure.prepare(TEXTS)
    with pytest.raises(MeasureError, match="call fit"):
        _ = measure.signature
    one, other = measure.fit(TEXTS[:4]).signature, measure.fit(TEXTS[:5]).signature
    assert one.digest != other.digest
    assert one.digest == measure.fit(TEXTS[:4]).signature.digest
    assert make(bert).fit(TEXTS).signature.options["idf"] is False


def test_windows_read_the_whole_of_a_long_text(bert):
    width, stride = 18, 5
    naive = Naive(bert, max_length=100_000)
    first, *tokens, last = naive.tokenizer(LONG, verbose=False)["input_ids"]
    starts = [*range(0, len(tokens) - width, stride), len(tokens) - width]
    parts = []
    for i, piece in enumerate(tokens):
        if VOCABULARY[piece] in {"[CLS]", "[SEP]"}:
            continue
        start = min(starts, key=lambda begin: (abs(i - (begin + (width - 1) / 2)), begin))
        parts.append(naive.predict([first, *tokens[start : start + width], last], i - start + 1))
    expected = torch.stack(parts).mean(0)
    prepared = make(bert, max_length=width + 2, window=stride).prepare([TEXTS[3], LONG, TEXTS[0]])
    torch.testing.assert_close(prepared.content[1, : len(VOCABULARY)].double(), expected, atol=1e-6, rtol=0)


def test_a_window_changes_nothing_for_a_text_that_fits(bert):
    np.testing.assert_array_equal(distances(make(bert, window=7)), distances(make(bert)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "window is 0"),
        ({"window": 63}, "from 1 to 62"),
        ({"temperature": 0.0}, "above 0"),
        ({"max_length": 65}, "takes from 3 to 64"),
        ({"max_length": 2}, "takes from 3 to 64"),
        ({"device": "tpu"}, "device"),
        ({"device": "cuda:7"}, "shows 0 GPUs"),
    ],
)
def test_impossible_options_are_refused(bert, monkeypatch, options, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(MeasureError, match=message):
        InfoLM(model=bert, **{"max_length": 64, "device": "cpu", **options}).prepare(TEXTS)


def test_only_empty_texts_need_no_model_run(bert):
    assert distances(make(bert), ["", " "], ([0], [1])).tolist() == [0]
    assert make(bert).prepare([]).empty.tolist() == []


@pytest.mark.parametrize(
    "config",
    [
        EngineConfig(64, 1 << 15, 512),
        EngineConfig(4096, 17, 5),
        EngineConfig(1, 1, 1),
        EngineConfig(256, 1 << 15, 512, compile="default"),
    ],
    ids=["small batches", "small parts", "one by one", "filled batches"],
)
def test_sizes_of_batches_do_not_matter(bert, monkeypatch, config):
    expected = distances(make(bert, window=9, max_length=20), [*TEXTS, LONG])
    monkeypatch.setattr(torch, "compile", lambda function, **_options: function)
    monkeypatch.setattr("meta_eval.kernels.config.choose_config", lambda _weights, _mode=None: config)
    found = distances(make(bert, window=9, max_length=20), [*TEXTS, LONG])
    np.testing.assert_allclose(found, expected, atol=1e-6, rtol=0)


def test_the_same_run_gives_the_same_bits(bert):
    np.testing.assert_array_equal(distances(make(bert)), distances(make(bert)))


def test_running_out_of_memory_changes_nothing(bert, monkeypatch):
    expected = distances(make(bert))
    original, refused = kernels.run_layers, []

    def exhaust(hidden, *args, **options):
        if len(hidden) > 100:
            refused.append(len(hidden))
            raise torch.OutOfMemoryError("CUDA out of memory")
        return original(hidden, *args, **options)

    monkeypatch.setattr("meta_eval.kernels.pack._SMALLEST_BATCH", 16)
    monkeypatch.setattr(kernels, "run_layers", exhaust)
    np.testing.assert_allclose(distances(make(bert)), expected, atol=1e-6, rtol=0)
    assert len(refused) > 2


def test_workers_on_several_devices_share_the_texts_and_agree_exactly(bert, monkeypatch):
    config = EngineConfig(4096, 11, 512)
    monkeypatch.setattr("meta_eval.kernels.config.choose_config", lambda _weights, _mode=None: config)
    expected = distances(make(bert))
    seen = set()
    original = kernels.part_distributions

    def watch(part, model, **options):
        seen.add(id(model))
        return original(part, model, **options)

    copies = iter([torch.device("cpu"), torch.device("cpu", 0)])
    monkeypatch.setattr(kernels, "part_distributions", watch)
    devices = list(copies)
    monkeypatch.setattr(InfoLM, "_devices", lambda _measure: devices)
    np.testing.assert_array_equal(distances(make(bert)), expected)
    assert len(seen) == 2


def test_a_model_beyond_the_range_of_its_precision_is_an_error(bert, monkeypatch):
    monkeypatch.setattr(module, "_masked_model", lambda *_args: None)
    broken = torch.full((len(TEXTS), len(VOCABULARY)), torch.nan)
    monkeypatch.setattr("meta_eval.kernels.generic.module_distributions", lambda *_args, **_options: broken)
    with pytest.raises(MeasureError, match="leaves the range of float16"):
        make(bert, precision="float16").prepare(TEXTS)


def test_the_signature_names_model_options_precision_and_device(bert):
    signature = make(bert, window=5, raw=True).signature.as_dict()
    assert signature["options"] == {
        "idf": False,
        "precision": "float32",
        "raw": True,
        "temperature": 0.25,
        "window": 5,
    }
    assert (signature["model"], signature["max_length"]) == (bert, 64)
    assert signature["revision"].startswith("sha256:")
    assert set(signature["versions"]) == {"device", "torch", "transformers", "tokenizers"}
    assert make(bert).signature.digest != make(bert, precision="bfloat16").signature.digest


def test_kdm_repeats_the_released_code(bert):
    from torchmetrics.text.infolm import InfoLM as Theirs

    measure = KdmInfoLM(model=bert, preprocess="none", device="cpu")
    assert (KdmInfoLM.model, measure.max_length, measure.raw) == (
        "google/bert_uncased_L-2_H-128_A-2",
        20,
        True,
    )
    theirs = Theirs(
        bert,
        information_measure="ab_divergence",
        alpha=1.0,
        beta=1.0,
        idf=False,
        max_length=20,
        verbose=False,
    )
    for a, b in ((TEXTS[0], TEXTS[4]), (TEXTS[4], TEXTS[2]), (LONG, TEXTS[4])):
        assert measure(a, b) == pytest.approx(round(float(theirs([a], [b])), 5), abs=1.1e-5)
        assert measure(a, b) == round(measure(a, b), 5)
    assert measure("", "a cat") == 0.0


def test_a_headless_model_is_refused_before_any_work(tmp_path, monkeypatch):
    folder = save_bert(tmp_path, head=False)
    monkeypatch.setattr(
        kernels, "average_distributions", lambda *_args, **_options: pytest.fail("work began")
    )
    with pytest.raises(MeasureError, match="no masked-language-model head"):
        make(str(folder)).prepare(TEXTS)


def test_importing_the_measures_imports_no_torch():
    code = (
        "import sys, meta_eval.measures, meta_eval.measures.infolm, meta_eval.measures.bertscore\n"
        "assert meta_eval.measures.infolm.InfoLM.info.id == 'infolm'\n"
        "assert not {'torch', 'transformers'} & set(sys.modules), 'torch came in'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
