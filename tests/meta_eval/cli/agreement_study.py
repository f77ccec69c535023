"""Made-up ratings of the demo corpus, and the scores of both sides, as the commands write them."""

import csv
import random
from itertools import combinations
from pathlib import Path

import pytest

from meta_eval.cli import main
from meta_eval.corpus.documents import GOLD
from meta_eval.corpus.jsonl import read_jsonl

CORPUS = Path(__file__).parents[3] / "fixtures" / "demo" / "corpus.jsonl"


def write_study(folder):
    """Ratings of twelve documents by six raters, and the scores of both sides."""
    choose = random.Random(4)
    corpus = read_jsonl(CORPUS)
    with (folder / "ratings.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["doc_id", "system", "reader_a", "reader_b", "rater", "rating"])
        for document in corpus.documents[:12]:
            a, b = next(combinations(sorted(document.references), 2))
            for rater in choose.sample(["p1", "p2", "p3", "p4", "p5", "p6"], k=2):
                for place, system in enumerate((GOLD, *corpus.systems)):
                    rating = min(6, max(1, 1 + place // 2 + choose.randint(-1, 1)))
                    writer.writerow([document.id, system, a, b, rater, rating])
    names = {name: folder / f"{name}.json" for name in ("human", "automatic")}
    scale = ["--scale", "similarity", "--out", names["human"]]
    call("human", CORPUS, folder / "ratings.csv", "--surrogate", "rouge-l", *scale)
    call("score", CORPUS, "-m", "rouge-l", "-m", "jsd", "--out", names["automatic"])
    return {**names, "ratings": folder / "ratings.csv", "systems": corpus.systems}


def call(*arguments: object) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert not ended.value.code
