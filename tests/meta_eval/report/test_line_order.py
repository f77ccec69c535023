"""The same texts and ratings, their lines in another order, give the same report."""

import random
from dataclasses import replace

import pytest

import meta_eval
from meta_eval.corpus.documents import Corpus, Document
from meta_eval.ratings.rating import Rating
from meta_eval.ratings.table import RatingTable
from meta_eval.report.schema import report_record

WORDS = ("rain", "sun", "north", "south", "wind", "storm", "snow", "cloud", "fog", "heat", "cold", "dry")
SYSTEMS = "CABD"
READERS = "cab"
QUICK = {"resamples": 60, "shuffles": 40, "splits": 8, "simulations": 8, "agreement_resamples": 40}


def make_study(seed=5):
    rng = random.Random(seed)
    documents, ratings = [], []
    for number in rng.sample(range(14), 8):
        own = {reader: rng.sample(WORDS, 8) for reader in READERS}
        written = {
            name: {reader: changed(text, 2 * step, rng) for reader, text in own.items()}
            for step, name in enumerate(SYSTEMS)
        }
        references = {reader: " ".join(text) for reader, text in own.items()}
        documents.append(Document(f"d{number}", "News", " ".join(WORDS), references, written))
        ratings += [
            Rating(f"d{number}", system, *readers, f"p{(number + rater) % 5}", rng.randint(1, 6))
            for system in ("user", *SYSTEMS)
            for readers in (("c", "a"), ("b", "c"))
            for rater in (0, 1)
        ]
    return documents, ratings


def changed(text, words, rng):
    made = list(text)
    for at in rng.sample(range(len(made)), words):
        made[at] = rng.choice(WORDS)
    return " ".join(made)


def shuffled(documents, ratings, rng):
    """The lines of both files in another order; a rating may name its two readers either way round."""
    turned = [
        replace(
            one,
            references=in_another_order(one.references, rng),
            summaries=in_another_order(
                {name: in_another_order(texts, rng) for name, texts in one.summaries.items()}, rng
            ),
        )
        for one in documents
    ]
    swapped = [replace(one, reader_a=one.reader_b, reader_b=one.reader_a) for one in ratings]
    return rng.sample(turned, len(turned)), rng.sample(swapped, len(swapped))


def in_another_order(mapping, rng):
    return dict(rng.sample(list(mapping.items()), len(mapping)))


@pytest.mark.parametrize(
    ("mode", "resampled"), [("paper", "documents"), ("kdm", "raters"), ("paper", "systems")]
)
def test_the_order_of_lines_moves_no_number(mode, resampled):
    documents, ratings = make_study()
    found = [
        facts_of(made_of(*lines, mode, resampled))
        for lines in ((documents, ratings), shuffled(documents, ratings, random.Random(1)))
    ]
    assert found[0].keys() == found[1].keys()
    for part, rows in found[0].items():
        assert found[1][part] == rows, part


def made_of(documents, ratings, mode, resampled):
    inference = meta_eval.InferenceOptions(**QUICK, resampled=resampled, coefficients=["pairwise-accuracy"])
    return meta_eval.make_report(
        Corpus(tuple(documents)),
        RatingTable(ratings, [{} for _ in ratings]),
        measures=["rouge-l", "jsd"],
        surrogates=["jsd"],
        scale="similarity",
        inference=inference,
        mode=mode,
    )


def facts_of(made):
    """Every row of every table, and every part beside them, in one order and without the last digits."""
    tables = {
        name: sorted(map(repr, map(rounded, frame.to_dict("records"))))
        for name, frame in made.tables().items()
    }
    record = report_record(made.report)
    return {**tables, "answer": rounded(record["answer"]), "left_out": sorted(map(repr, record["left_out"]))}


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return float(f"{value:.8g}") + 0.0 if isinstance(value, float) else value
