"""A small corpus and ratings as files, as a command takes them."""

import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import write_jsonl
from tests.meta_eval.strategies import document

READERS = ("r1", "r2", "r3")
SPREAD = {
    "copy": ("council votes again", "storm hits bridge", "budget of the river"),
    "half": ("council votes storm", "storm hits the council", "budget of the council"),
    "deaf": ("the bridge opens", "the bridge opens", "the bridge opens"),
}


@pytest.fixture(scope="module")
def corpus_file(tmp_path_factory):
    systems = {name: dict(zip(READERS, texts, strict=True)) for name, texts in SPREAD.items()}
    corpus = Corpus(tuple(document(f"d{number}", **systems) for number in range(2)))
    path = tmp_path_factory.mktemp("cli") / "corpus.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        write_jsonl(corpus, stream)
    return path


@pytest.fixture(scope="module")
def ratings_file(corpus_file):
    path = corpus_file.with_name("ratings.csv")
    rows = [
        f"d{number},{system},r1,r2,{rater},{rating}"
        for number in range(2)
        for system, rating in [("user", 2), ("copy", 2), ("half", 3), ("deaf", 6)]
        for rater in ("p1", "p2")
    ]
    path.write_text(
        "\n".join(["doc_id,system,reader_a,reader_b,rater,rating", *rows]) + "\n", encoding="utf-8"
    )
    return path
