"""Which model a neural measure takes where nobody names one, by the language of the corpus.

The models are tiny ones of random weights that a cache of the hub holds under the real names, so that finding
them, their layer, their words and their revision is what it is with the real ones.
"""

import hashlib
import json

import pytest
from huggingface_hub import constants

from meta_eval.kernels import models
from meta_eval.measures import make_measure
from tests.meta_eval.cli.running import run
from tests.meta_eval.measures.languages import LANGUAGES, sentences
from tests.meta_eval.neural_models import save_bert_of

MULTILINGUAL = {
    "bertscore": "bert-base-multilingual-cased",
    "sbert": "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
    "moverscore": "distilbert-base-multilingual-cased",
    "infolm": "bert-base-uncased",
}
ENGLISH = {
    "bertscore": "roberta-large",
    "sbert": "sentence-transformers/all-MiniLM-L6-v2",
    "moverscore": "distilbert-base-uncased",
    "infolm": "bert-base-uncased",
}
OWN = {
    "en": ENGLISH,
    "zh": {"bertscore": "bert-base-chinese"},
    "tr": {"bertscore": "dbmdz/bert-base-turkish-cased"},
}
LAYERS = {"roberta-large": 17, "bert-base-chinese": 8, "dbmdz/bert-base-turkish-cased": 10} | {
    "bert-base-multilingual-cased": 9
}
"""Those that bert-score compares; a model here has one layer more."""
NAMES = sorted({*MULTILINGUAL.values(), *(name for own in OWN.values() for name in own.values())})
TAGS = ("en", "zh", "tr", "de", "fr", "ru", "ar", "hi", "bn", "th", "ja", "ko", "vi")


def revision(name):
    return hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """A cache of the hub with each model that is a default."""
    folder, texts = tmp_path_factory.mktemp("hub"), [text for tag in LANGUAGES for text in sentences(tag)]
    for name in NAMES:
        cached = folder / f"models--{name.replace('/', '--')}"
        save_bert_of(texts, cached / "snapshots" / revision(name), layers=LAYERS.get(name, 1) + 1)
        (cached / "refs").mkdir()
        (cached / "refs" / "main").write_text(revision(name))
    return folder


@pytest.fixture
def offline(monkeypatch):
    """Take models from the cache alone, and forget which were found."""

    def take_from(folder):
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder))
        models._hub_folder.cache_clear()

    yield take_from
    models._hub_folder.cache_clear()


def corpus_of(tag, folder, *, named=True):
    """A document with two readers, a system that copies them, and one that writes one text for both."""
    first, second = sentences(tag)
    readers = {
        name: {"user": text, "copycat": text, "fixed": first + second}
        for name, text in (("ann", first), ("bob", second))
    }
    path = folder / f"{tag}.jsonl"
    record = {"doc_id": "d", "doc_text": first + " " + second, "doc_summ": "", "m_summary_dict": readers}
    path.write_text(json.dumps(record | ({"lang": tag} if named else {})), encoding="utf-8")
    return path


@pytest.mark.parametrize("tag", TAGS)
def test_the_language_of_the_corpus_chooses_the_model_that_is_loaded(tag, hub, offline, tmp_path):
    offline(hub)
    expected = MULTILINGUAL | OWN.get(tag, {})
    asked = [word for measure in expected for word in ("--measure", measure)]
    done = run("score", corpus_of(tag, tmp_path), *asked)
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    found = {record["measure"]: record["signature"] for record in records}
    assert {name: one["model"] for name, one in found.items()} == expected
    assert {name: one["revision"] for name, one in found.items()} == {
        name: revision(model) for name, model in expected.items()
    }
    assert found["bertscore"]["options"]["layer"] == LAYERS[expected["bertscore"]]
    copies = {one["measure"]: one["accuracy"] for one in records if one["system"] == "copycat"}
    assert copies == pytest.approx(dict.fromkeys(expected, 1.0), abs=1e-5)
    remarks = {one["measure"]: one["remark"] for one in records if one["remark"]}
    english = "its model bert-base-uncased was trained on English: give model another masked language model"
    assert remarks == ({} if tag == "en" else {"infolm": english})


@pytest.mark.parametrize("tag", ["en", "vi", "zh", "hi"])
def test_where_nobody_names_the_language_another_script_is_told_of_an_english_model(
    tag, hub, offline, tmp_path
):
    offline(hub)
    asked = ("--measure", "bertscore", "--measure", "sbert")
    done = run("score", corpus_of(tag, tmp_path, named=False), *asked)
    assert done.returncode == 0, done.stderr
    found = {one["measure"]: one["remark"] for one in json.loads(done.stdout)}
    told = "its model {} was trained on English: give model another encoder; no document names its language"
    foreign = tag in {"zh", "hi"}
    assert found == {name: told.format(ENGLISH[name]) if foreign else None for name in ("bertscore", "sbert")}
    assert [
        line.startswith("note: measure bertscore: its model roberta-large was")
        for line in done.stderr.splitlines()
    ].count(True) == int(foreign)


def test_the_default_gives_the_numbers_of_its_model_and_layer(hub, offline):
    offline(hub)
    texts = sentences("zh")
    folder = hub / "models--bert-base-chinese" / "snapshots" / revision("bert-base-chinese")
    by_hand = make_measure("bertscore", model=str(folder), layer=8)(*texts)
    assert make_measure("bertscore").in_languages(["zh"])(*texts) == by_hand
    assert make_measure("bertscore", model=str(folder), layer=9)(*texts) != by_hand


def test_a_default_that_is_not_here_is_named_in_one_line(offline, tmp_path):
    (tmp_path / "empty").mkdir()
    offline(tmp_path / "empty")
    done = run("score", corpus_of("zh", tmp_path), "--measure", "bertscore")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        "Error: Model 'bert-base-chinese' is not on this machine, and the hub cannot be reached. Give a "
        "folder that holds it as the model, or run `hf download bert-base-chinese` where there is a network "
        "and set HF_HOME to its cache."
    )
