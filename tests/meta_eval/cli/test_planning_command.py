"""`plan`: what a survey will buy, of stated assumptions and of a pilot."""

import csv
import random
from pathlib import Path

from meta_eval.corpus.documents import GOLD
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.ratings.table import read_ratings
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.raters.power import simulate_power
from meta_eval.stats.raters.precision import Assumptions, estimate_assumptions, simulate_precision
from tests.meta_eval.cli.running import results, run

CORPUS = Path(__file__).parents[3] / "fixtures" / "demo" / "corpus.jsonl"
SIZE = {"systems": 6, "documents": 20, "reader_pairs": 1, "raters": 2}


TYPED = ("plan", "--systems", 6, "--documents", 20, "--surveys", 60)


def test_a_plan_is_what_the_library_simulates():
    found = results(*TYPED, "--correlation", 0.8, "--other", 0.2, "--between", 0.3, "--seed", 5)
    assumed = Assumptions(correlation=0.8, other=0.2, between=0.3)
    power = simulate_power(assumed, **SIZE, seed=5, surveys=60)
    precision = simulate_precision(assumed, **SIZE, seed=5)
    assert [record["coefficient"] for record in found] == list(COEFFICIENTS)
    for record in found:
        name = record["coefficient"]
        assert record["width"] == precision[name].width
        assert (record["power"], record["power_difference"]) == (
            power[name].coefficient,
            power[name].difference,
        )
        assert (record["between"], record["alpha"], record["documents"]) == (0.3, 0.05, 20)


def test_a_pilot_gives_the_standard_deviations(tmp_path):
    corpus, choose = read_jsonl(CORPUS), random.Random(2)
    file = tmp_path / "ratings.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["doc_id", "system", "reader_a", "reader_b", "rater", "rating"])
        for document in corpus.documents[:20]:
            a, b = sorted(document.references)[:2]
            for rater in ("p1", "p2"):
                for place, system in enumerate((GOLD, *corpus.systems)):
                    rating = min(6, max(1, 1 + place // 2 + choose.randint(-1, 1)))
                    writer.writerow([document.id, system, a, b, rater, rating])
    found = results(*TYPED, "--pilot", file, "--corpus", CORPUS)
    learned = estimate_assumptions(read_ratings(file, corpus).ratings)
    names = ("system_sd", "interaction_sd", "error_sd")
    assert [found[0][name] for name in names] == [getattr(learned, name) for name in names]


def test_a_pilot_without_its_corpus_is_refused(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("")
    refused = run(*TYPED, "--pilot", file)
    assert refused.returncode == 2
    assert "--pilot and --corpus belong together" in refused.stderr
