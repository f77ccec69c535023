"""A survey of the demo corpus as files, and the command that reports on it."""

import csv
import random
from pathlib import Path

from meta_eval.corpus.documents import GOLD
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.ratings.rows import RATING_COLUMNS
from tests.meta_eval.cli.running import run

DEMO = Path(__file__).parents[3] / "fixtures" / "demo" / "corpus.jsonl"


ONE_OF_EACH = ("--measure", "rouge-l", "--surrogate", "jsd", "--scale", "similarity", "--resamples", "1000")


def write_ratings(folder):
    """Two raters for every system's pair of ten documents of the demo corpus."""
    corpus, rng = read_jsonl(DEMO), random.Random(3)
    path = folder / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(RATING_COLUMNS)
        for document in corpus.documents[:10]:
            pair = list(document.references)[:2]
            for number, system in enumerate((GOLD, *corpus.systems)):
                for rater in ("p1", "p2"):
                    rating = min(6, 1 + number // 2 + rng.randint(0, 1))
                    writer.writerow([document.id, system, *pair, rater, rating])
    return path


def call(*arguments, command="report"):
    """Exit status, standard output and standard error of the command."""
    done = run(command, *arguments)
    return done.returncode, done.stdout, done.stderr
