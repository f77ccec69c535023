"""A model that rates as ROUGE-L does ranks systems as ROUGE-L does (PerSE's *model as rater*, acceptance)."""

import json

import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import read_jsonl, write_jsonl
from meta_eval.measures import make_measure
from tests.factories.llm_server import Play, model_server, prompt_of
from tests.meta_eval.cli.running import results, run

DEMO, DOCUMENTS = "fixtures/demo/corpus.jsonl", 8
ROUGE_L = make_measure("rouge-l")


def as_rouge_l(body, times):
    """The similarity of both texts by ROUGE-L, on the scale from 1 to 6."""
    first, second = (part.strip() for part in prompt_of(body).split("~~~~")[1::2])
    distance = ROUGE_L(first, second)
    return Play(json.dumps({"score": 1 + round(5 * (1 - distance))}))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Some documents of the demonstration, and a model's ratings of every pair of them."""
    folder = tmp_path_factory.mktemp("rouge")
    corpus = folder / "corpus.jsonl"
    with corpus.open("w", encoding="utf-8") as stream:
        write_jsonl(Corpus(read_jsonl(DEMO).documents[:DOCUMENTS]), stream)
    with model_server(as_rouge_l) as server:
        model = f"http:model=as-rouge-l,url={server.url}"
        done = run("judge", "pairs", corpus, "--scale", "similarity", "--model", model, "--out", folder)
    assert done.returncode == 0, done.stderr
    return corpus, folder / "ratings.csv"


def test_a_model_that_rates_as_a_measure_ranks_systems_as_the_measure_does(files, tmp_path):
    corpus, ratings = files
    human, automatic = tmp_path / "human.json", tmp_path / "automatic.json"
    asked = (corpus, ratings, "--surrogate", "rouge-l", "--scale", "similarity", "--out", human)
    assert run("human", *asked).returncode == 0
    assert run("score", corpus, "--measure", "rouge-l", "--out", automatic).returncode == 0
    rows = results("correlate", human, automatic)
    found = {
        (row["human"], row["automatic"]): row["estimate"] for row in rows if row["coefficient"] == "kendall"
    }
    alike = [
        found[human, automatic] >= 0.9
        for human, automatic in (("degress_hj", "degress"), ("perseval_hj", "perseval"))
    ]
    assert alike == [True, True]
