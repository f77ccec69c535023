"""Scores of shards: joined, they are those of the whole; what is kept of these documents is taken."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.distances.computing import DistanceCounts, DistanceStream
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.measures import make_measure
from meta_eval.scores.contributions import ScoreOptions, score_contributions
from meta_eval.scores.perseval import PenaltyOptions
from meta_eval.scores.shard_scores import KeptScores, join_shards, score_shard

WORDS = ["rain", "sun", "north", "south", "wind", "snow", "fog", "east", "west", "storm"]
OPTIONS = ScoreOptions(penalty=PenaltyOptions(alpha=2.0))


def make_corpus(documents=9):
    """One to four readers a document; a system without some summaries, and texts without words."""
    draw = np.random.default_rng(5)

    def text():
        return " ".join(draw.choice(WORDS, draw.integers(0, 6)))

    def made(number):
        readers = [f"reader {one}" for one in range(1 + number % 4)]
        systems = {name: {reader: text() for reader in readers} for name in ("A", "B", "C")}
        if number % 3 == 0:
            systems["B"].pop(readers[0])
        references = {reader: text() for reader in readers}
        return Document(f"d{number}", "", " ".join(WORDS), references, systems)

    return Corpus(tuple(map(made, range(documents))))


def make_stream(store=None, corpus=None, **shards):
    return DistanceStream(corpus or make_corpus(), make_measure("rouge-l"), store=store, **shards)


def assert_same(one, other):
    assert (one.systems, one.documents) == (other.systems, other.documents)
    for name in ("degress", "perseval", "accuracy", "penalty", "pairs"):
        assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("documents", [1, 2, 4, 100])
def test_joined_shards_are_the_whole(documents):
    whole, joined = make_stream(), make_stream(shard_documents=documents)
    expected = score_contributions(whole, OPTIONS)
    assert np.isfinite(expected.degress).any()
    assert_same(join_shards(joined, OPTIONS), expected)
    assert joined.counts.texts == whole.counts.texts > 0
    assert (joined.counts.documents, joined.counts.empty, joined.counts.missing) == (
        whole.counts.documents,
        whole.counts.empty,
        whole.counts.missing,
    )


def test_what_is_kept_is_read_and_not_computed_again(tmp_path, monkeypatch):
    store = DistanceStore(str(tmp_path))
    kept, stream = KeptScores(store, "a run"), make_stream(shard_documents=2)
    found = [(shard, score_shard(stream, shard, OPTIONS)) for shard in stream.shards]
    for shard, scores in found:
        kept.save(shard, scores)
    expected = join_shards(make_stream(shard_documents=2), OPTIONS)

    def compute(*_arguments):
        raise AssertionError("it was computed again")

    monkeypatch.setattr(DistanceStream, "compute", compute)
    told = []
    again = make_stream(shard_documents=2, progress=lambda *how_far: told.append(how_far))
    assert_same(join_shards(again, OPTIONS, KeptScores(store, "a run").read()), expected)
    assert again.counts == sum((one.counts for _, one in found), DistanceCounts())
    assert told[-1] == (again.counts.documents, again.counts.documents)


def test_what_is_missing_damaged_or_of_other_documents_is_computed(tmp_path):
    store = DistanceStore(str(tmp_path))
    kept, stream = KeptScores(store, "a run"), make_stream(shard_documents=2)
    expected = join_shards(stream, OPTIONS)
    first, second, third, *_ = stream.shards
    kept.save(first, score_shard(stream, first, OPTIONS))
    wrong = score_shard(stream, second, ScoreOptions())
    kept.save(second, replace(wrong, scores=replace(wrong.scores, documents=("another", "one"))))
    kept.save(third, score_shard(stream, third, OPTIONS))
    (damaged,) = [
        file
        for file in tmp_path.rglob("*.parquet")
        if f"{third.span.first:08x}-" in file.name and "parts" in file.parts
    ]
    damaged.write_bytes(damaged.read_bytes()[:-9])
    found = kept.read()
    assert set(found) == {first.span, second.span}
    assert_same(join_shards(make_stream(shard_documents=2), OPTIONS, found), expected)


def test_each_key_has_its_own_and_forgets_its_own(tmp_path):
    store = DistanceStore(str(tmp_path))
    stream = make_stream(shard_documents=2, store=store)
    for key in ("one", "other"):
        for shard in stream.shards:
            KeptScores(store, key).save(shard, score_shard(stream, shard, OPTIONS))
    KeptScores(store, "one").forget()
    KeptScores(store, "one").forget()
    assert KeptScores(store, "one").read() == {}
    assert set(KeptScores(store, "other").read()) == {shard.span for shard in stream.shards}
    assert sum(stream.compute(shard)[1].compared for shard in stream.shards) == 0  # distances stay
