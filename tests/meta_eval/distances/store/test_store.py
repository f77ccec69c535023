import io
import json
import logging
import uuid
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.distances.store import files
from meta_eval.distances.store.distance_store import DistanceStore, StoreError
from meta_eval.distances.store.files import StoreFiles
from meta_eval.distances.store.upkeep import store_info
from meta_eval.measures import make_measure
from tests.meta_eval.strategies import corpora, document
from tests.meta_eval.tables import Recorder, assert_same_distances

MEASURES = st.sampled_from(["jsd", "bleu", "jsd-oov", "rouge-l"])


def new_url() -> str:
    return f"memory://store-{uuid.uuid4().hex}"


def part_paths(store: DistanceStore, measure=None) -> list[str]:
    digest = (measure or Recorder()).signature.digest
    return [f"{digest}/parts/{name}" for name in store.files.sizes(f"{digest}/parts")]


def read_part(store: DistanceStore, path: str):
    return pq.read_table(io.BytesIO(store.files.read(path)))


def many_documents(count: int) -> Corpus:
    """Documents of which no two have a text in common."""
    return Corpus(
        tuple(
            document(f"d{n}", references={"r1": f"{n} a", "r2": f"{n} b"}, S={"r1": f"{n} c", "r2": f"{n} d"})
            for n in range(count)
        )
    )


@settings(deadline=None)
@given(corpora(), MEASURES, st.sampled_from(["document", "none"]), st.integers(1, 4))
def test_distances_from_a_store_are_those_computed_without_one(corpus, measure_id, normalise, shard):
    measure, store = make_measure(measure_id), DistanceStore(new_url())
    how = {"normalise": normalise, "shard_documents": shard}
    plain = compute_distances(corpus, measure, **how)
    first = compute_distances(corpus, measure, store=store, **how)
    again = compute_distances(corpus, measure, store=store, **how)
    assert_same_distances(first, plain)
    assert_same_distances(again, plain)
    assert first.counts == plain.counts
    resumed = replace(plain.counts, encoded=0, compared=0, stored=plain.counts.compared)
    assert again.counts == resumed


@settings(deadline=None)
@given(corpora(), MEASURES, st.integers(1, 4), st.integers(1, 4))
def test_what_one_sharding_kept_serves_another(corpus, measure_id, one, other):
    measure, store = make_measure(measure_id), DistanceStore(new_url())
    plain = compute_distances(corpus, measure, shard_documents=one, store=store)
    again = compute_distances(corpus, measure, shard_documents=other, store=store)
    by_document = [
        {int(i): block.systems[:, row] for block in table.blocks for row, i in enumerate(block.documents)}
        for table in (plain, again)
    ]
    assert by_document[0].keys() == by_document[1].keys()
    for index, matrix in by_document[0].items():
        np.testing.assert_array_equal(matrix, by_document[1][index])
    assert (again.counts.encoded, again.counts.compared) == (0, 0)


def test_a_new_system_has_only_its_own_pairs_computed():
    store, gold = DistanceStore(new_url()), {"r1": "a", "r2": "bb"}
    old = document("d1", references=gold, S={"r1": "ccc", "r2": "dddd"})
    compute_distances(Corpus((old,)), Recorder(), normalise="none", store=store)
    new = replace(old, summaries={**old.summaries, "T": {"r1": "eeeee", "r2": "bb"}})
    measure = Recorder()
    table = compute_distances(Corpus((new,)), measure, normalise="none", store=store)
    assert sorted(measure.compared) == [("a", "eeeee"), ("bb", "bb"), ("bb", "eeeee")]
    assert sorted(measure.encoded) == ["a", "bb", "eeeee"]
    assert_same_distances(table, compute_distances(Corpus((new,)), Recorder(), normalise="none"))


def test_a_changed_text_leaves_the_other_pairs_of_its_document():
    store, gold = DistanceStore(new_url()), {"r1": "a", "r2": "bb", "r3": "ccc"}
    old = document("d1", references=gold, S={"r1": "dddd"})
    compute_distances(Corpus((old,)), Recorder(), normalise="none", store=store)
    measure = Recorder()
    changed = replace(old, references={**gold, "r2": "xxxxx"})
    compute_distances(Corpus((changed,)), measure, normalise="none", store=store)
    assert sorted(measure.compared) == [("a", "xxxxx"), ("ccc", "xxxxx")]


def test_a_pair_about_another_document_is_another_pair_to_a_measure_that_needs_it():
    store, gold = DistanceStore(new_url()), {"r1": "storm bridge", "r2": "bridge budget"}
    measure = make_measure("jsd-oov")
    one = Corpus((document("d1", references=gold, S=gold),))
    other = Corpus((replace(one.documents[0], body="quite another text about the storm"),))
    first = compute_distances(one, measure, normalise="none", store=store)
    second = compute_distances(other, measure, normalise="none", store=store)
    assert first.blocks[0].gold[0, 0, 1] != second.blocks[0].gold[0, 0, 1]
    assert_same_distances(second, compute_distances(other, measure, normalise="none"))


def test_measures_with_different_signatures_share_nothing():
    store, corpus = DistanceStore(new_url()), many_documents(2)
    compute_distances(corpus, Recorder(), store=store)
    other = Recorder(symmetric=False)
    assert compute_distances(corpus, other, store=store).counts.stored == 0


def test_the_signature_is_kept_for_people_to_read():
    store, measure = DistanceStore(new_url()), make_measure("bleu", n=4)
    compute_distances(many_documents(1), measure, store=store)
    manifest = json.loads(store.files.read(f"{measure.signature.digest}/signature.json"))
    assert manifest == {"signature": measure.signature.as_dict(), "text": measure.signature.text}


def test_a_missing_distance_is_kept_as_null_with_its_reason():
    store, measure = DistanceStore(new_url()), make_measure("jsd", mode="kdm", preprocess="none")
    gold = {"r1": "storm", "r2": "river"}
    corpus = Corpus((document("d1", references=gold, S={"r1": " ", "r2": "storm"}),))
    table = compute_distances(corpus, measure, normalise="none", store=store)
    kept = read_part(store, *part_paths(store, measure)).to_pydict()
    rows = sorted(zip(kept["distance"], kept["reason"], strict=True), key=str)
    assert rows == [(1.0, None), (None, "a text is empty")]
    again = compute_distances(corpus, measure, normalise="none", store=store)
    assert (table.counts.missing, again.counts.missing, again.counts.compared) == (1, 1, 0)
    assert_same_distances(again, table)


def test_one_part_is_kept_for_each_finished_shard():
    store, kept = DistanceStore(new_url()), []
    compute_distances(
        many_documents(5),
        Recorder(),
        shard_documents=2,
        store=store,
        progress=lambda *_: kept.append(len(part_paths(store))),
    )
    assert kept == [1, 2, 3]


def test_a_look_up_opens_no_part_about_other_documents(monkeypatch):
    store, corpus, opened = DistanceStore(new_url()), many_documents(8), []
    compute_distances(corpus, Recorder(), shard_documents=1, store=store)
    read = StoreFiles.read
    monkeypatch.setattr(StoreFiles, "read", lambda self, path: (opened.append(path), read(self, path))[1])
    again = compute_distances(Corpus(corpus.documents[3:5]), Recorder(), shard_documents=1, store=store)
    assert (len(opened), again.counts.compared) == (2, 0)


def flip_a_bit(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [flip_a_bit, lambda data: data[:-10], lambda _: b"", lambda _: b"no Parquet at all"],
    ids=["bit", "cut", "empty", "foreign"],
)
def test_a_damaged_part_is_set_aside_and_computed_again(damage, caplog):
    url, corpus = new_url(), many_documents(4)
    store = DistanceStore(url)
    plain = compute_distances(corpus, Recorder(), shard_documents=2, store=store)
    damaged = part_paths(store)[0]
    store.files.write(damaged, damage(store.files.read(damaged)))
    with caplog.at_level(logging.WARNING, "meta_eval.distances.store.distance_store"):
        again = compute_distances(corpus, Recorder(), shard_documents=2, store=DistanceStore(url))
    assert_same_distances(again, plain)
    assert again.counts.compared == plain.counts.compared // 2
    assert "is damaged: its content does not match its checksum. It was set aside" in caplog.text
    name = damaged.rpartition("/")[2]
    assert list(store.files.sizes(f"{Recorder().signature.digest}/damaged")) == [name]
    assert compute_distances(corpus, Recorder(), shard_documents=2, store=store).counts.compared == 0


def test_a_part_of_another_signature_is_not_trusted(caplog):
    store, corpus = DistanceStore(new_url()), many_documents(2)
    compute_distances(corpus, Recorder(symmetric=False), store=store)
    path = part_paths(store, Recorder(symmetric=False))[0]
    store.files.write(
        f"{Recorder().signature.digest}/parts/{path.rpartition('/')[2]}", store.files.read(path)
    )
    assert compute_distances(corpus, Recorder(), store=store).counts.stored == 0
    assert "it belongs to another signature or format" in caplog.text


def test_a_part_that_vanishes_is_computed_again(monkeypatch):
    store, corpus = DistanceStore(new_url()), many_documents(2)
    plain = compute_distances(corpus, Recorder(), store=store)
    path = part_paths(store)[0]
    sizes = store.files.sizes(path.rpartition("/")[0])
    store.files.remove(path)
    monkeypatch.setattr(StoreFiles, "sizes", lambda *_: sizes)
    again = compute_distances(corpus, Recorder(), store=store)
    assert again.counts.compared == plain.counts.compared


def test_a_writer_that_is_killed_leaves_no_half_part(tmp_path, monkeypatch):
    url, corpus = str(tmp_path), many_documents(2)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(LocalFileSystem, "mv", killed)
        with pytest.raises(KeyboardInterrupt):
            compute_distances(corpus, Recorder(), store=DistanceStore(url))
    assert store_info(url).parts == 0
    assert compute_distances(corpus, Recorder(), store=DistanceStore(url)).counts.stored == 0
    assert compute_distances(corpus, Recorder(), store=DistanceStore(url)).counts.compared == 0


def test_a_store_is_a_folder_by_path_or_by_url(tmp_path):
    compute_distances(many_documents(1), Recorder(), store=DistanceStore(str(tmp_path)))
    again = compute_distances(many_documents(1), Recorder(), store=DistanceStore(f"file://{tmp_path}"))
    assert again.counts.compared == 0
    assert sorted(path.name for path in (tmp_path / Recorder().signature.digest).iterdir()) == [
        "parts",
        "signature.json",
        "used",
    ]


def test_a_url_that_nothing_here_can_open_is_an_error_that_says_so():
    with pytest.raises(StoreError, match=r"distance store 'nowhere://x' cannot be used: Protocol not known"):
        DistanceStore("nowhere://x")


def test_a_store_that_cannot_be_written_is_an_error_that_says_what_to_do(tmp_path):
    (tmp_path / "file").write_text("in the way")
    store = DistanceStore(str(tmp_path / "file"))
    with pytest.raises(StoreError, match=r"cannot be .*: Not a directory. Check the place, its permissions"):
        compute_distances(many_documents(1), Recorder(), store=store)


class Bucket(MemoryFileSystem):
    """As an object store: there are no folders, and what is made in place of one is the bucket."""

    protocol = ("s3", "s3a")
    store, pseudo_dirs, made = {}, [""], []

    def makedirs(self, path, **_options):
        self.made.append(path)

    def _open(self, path, mode="rb", **options):
        if path.startswith("/typo"):
            raise FileNotFoundError(2, "The specified bucket does not exist")
        if path.startswith("/locked"):
            raise LookupError("Unable to locate credentials")  # as libraries of object stores do: no OSError
        return super()._open(path, mode, **options)

    def pipe_file(self, path, value, **_options):
        self.open(path, "wb", data=value)


@pytest.fixture
def bucket(monkeypatch):
    monkeypatch.setattr(files.fsspec.core, "url_to_fs", lambda url: (Bucket(), url.removeprefix("s3:/")))
    Bucket.made.clear()


def test_no_bucket_is_made_for_a_name_that_is_mistyped(bucket):
    there, typo = StoreFiles("s3://there/x"), StoreFiles("s3://typo/x")
    there.write("a/parts/1", b"one")
    there.move("a/parts/1", "a/damaged/1")
    assert (there.sizes("a/parts"), there.sizes("a/damaged")) == ({}, {"1": 3})
    with pytest.raises(StoreError, match=r"'s3://typo/x' cannot be written: .*bucket does not exist\. Check"):
        typo.write("a/parts/1", b"one")
    assert Bucket.made == []


def test_a_fault_of_the_program_is_none_of_the_store(bucket):
    with pytest.raises(TypeError):
        StoreFiles("s3://there/x").write("a/parts/1", object())


def test_an_error_that_only_the_backend_knows_is_one_of_the_store(bucket):
    locked = StoreFiles("s3://locked/x")
    with pytest.raises(StoreError, match=r"cannot be written: Unable to locate credentials\. Check"):
        locked.write("a/parts/1", b"one")
