"""Words by a sentence encoder, and the command that writes them: against transformers, one word at a time."""

import numpy as np
import pytest
import torch

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.measures import make_measure, parse_measure
from meta_eval.measures.sbert import SentenceCosine
from meta_eval.measures.words.vectors import read_vectors
from tests.meta_eval.cli.running import run
from tests.meta_eval.strategies import document

WORDS = ("cat", "dogs", "sitting", "zebra", "a")


def plainly(folder, special):
    """The mean last hidden state of each word alone, of length 1, in float64."""
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder, dtype=torch.float64).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found = []
    for word in WORDS:
        ids = torch.tensor([tokenizer(word)["input_ids"]])
        with torch.no_grad():
            states = model(ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0]
        found.append((states if special else states[1:-1]).mean(dim=0).numpy())
    return np.array([one / np.linalg.norm(one) for one in found])


@pytest.mark.parametrize("special", [False, True])
def test_a_word_is_the_mean_of_its_word_pieces(any_model, special):
    encoder = SentenceCosine(model=any_model, device="cpu", max_length=64)
    found = encoder.embed_words([*WORDS, "\u200b"], special=special)
    np.testing.assert_allclose(found[:-1], plainly(any_model, special), atol=1e-6, rtol=0)
    assert np.isnan(found[-1]).all()


def test_the_command_writes_each_word_that_the_measure_finds(bert, tmp_path):
    corpus = Corpus(
        (
            document(
                references={"ann": "the cat sits", "bob": "a red dog"},
                one={"ann": "The dogs", "bob": "cat"},
            ),
        )
    )
    file, out = tmp_path / "corpus.jsonl", tmp_path / "words.txt"
    with file.open("w", encoding="utf-8") as stream:
        write_jsonl(corpus, stream)
    done = run(
        "vectors", file, "--model", bert, "--out", out, "--device", "cpu", "-m", "jsd-oov:preset=thesis"
    )
    assert done.returncode == 0, done.stderr
    first, second = out.read_text(encoding="utf-8").splitlines()[:2]
    assert first.startswith("# word vectors by sbert|")
    assert f"model:{bert}" in first
    assert first.endswith("(mean of word pieces without special ones)")
    read = read_vectors(out)
    texts = [one for texts in ([corpus.documents[0].text], *corpus_texts(corpus)) for one in texts]
    prepared = {word for text in texts for word in parse_measure("jsd-oov:preset=thesis").vocabulary([text])}
    assert set(read) == prepared
    assert second == f"{len(prepared)} 32"
    encoder = SentenceCosine(model=bert, device="cpu", max_length=64)
    np.testing.assert_allclose(np.array([*read.values()]), encoder.embed_words([*read]), atol=1e-6, rtol=0)
    measure = make_measure("jsd-oov", similarity="vectors", vectors=str(out))
    assert measure.signature.model == "words.txt"


def corpus_texts(corpus):
    one = corpus.documents[0]
    return [list(one.references.values()), *(list(texts.values()) for texts in one.summaries.values())]


def test_a_measure_without_words_is_refused(tmp_path):
    done = run("vectors", "fixtures/demo/corpus.jsonl", "--model", "x", "-o", tmp_path / "w", "-m", "sbert")
    assert done.returncode == 2
    assert "sbert does not compare words: name a measure that does, such as jsd-oov" in done.stderr
