import uuid
from dataclasses import fields
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from meta_eval.cli.scores import score_all
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceStream, compute_distances, describe_empty
from meta_eval.distances.shards import plan_shards
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import InputError, MissingTextError
from meta_eval.measures import make_measure, parse_measure
from meta_eval.measures.base import ShardLimit
from meta_eval.measures.shared_work import sharing_work
from meta_eval.measures.words import splitting
from meta_eval.measures.words.tokenisers import ROUGE, WORDS
from meta_eval.scores.contributions import ScoreOptions, score_contributions
from tests.meta_eval.strategies import corpora, document
from tests.meta_eval.tables import Counting, Recorder, assert_same_bits


def test_equal_texts_are_encoded_and_compared_once():
    same = {"r1": "a", "r2": "a", "r3": "bb"}
    corpus = Corpus(
        (document("d1", references=same, S=same, T=same), document("d2", references=same, S=same, T=same))
    )
    measure = Recorder()
    table = compute_distances(corpus, measure, normalise="none")
    assert sorted(measure.encoded) == ["a", "bb"]
    assert sorted(measure.compared) == [("a", "a"), ("a", "bb"), ("bb", "bb")]
    assert (table.counts.encoded, table.counts.compared) == (2, 3)


ALIKE = ("rouge-l", "rouge-l:form=recall", "rouge-su4", "jsd", "bleu", "jsd-oov")
"""Measures of two kinds of words, in one direction and in both, and one about a document."""


@settings(max_examples=8)
@given(corpora(), corpora())
def test_measures_that_share_their_work_give_the_same_bits(first, second):
    def compute():
        return [compute_distances(corpus, parse_measure(one)) for corpus in (first, second) for one in ALIKE]

    assume(first.systems and second.systems)
    with sharing_work():
        shared = compute()
    for own, other in zip(compute(), shared, strict=True):
        assert own.counts == other.counts
        for block, same in zip(own.blocks, other.blocks, strict=True):
            for part in fields(block):
                assert_same_bits(getattr(same, part.name), getattr(block, part.name))


def test_measures_that_share_their_words_number_them_once(monkeypatch):
    references = {"r1": "rain in the north", "r2": "sun in the south"}
    corpus = Corpus((document("d1", references=references, S=references),))
    numbered, number = [], splitting.WordRuns.number
    monkeypatch.setattr(
        splitting.WordRuns, "number", lambda self, texts: numbered.append(self) or number(self, texts)
    )
    with sharing_work():
        score_all(corpus, [parse_measure(one) for one in ALIKE[:5]], **ASKED)
    assert numbered == [ROUGE.splitter, WORDS.splitter]


ASKED = {"normalise": "document", "options": ScoreOptions(), "store": None}


def test_an_asymmetric_measure_is_computed_in_both_directions():
    corpus = Corpus((document("d1", references={"r1": "a", "r2": "bb"}, S={"r1": "a", "r2": "bb"}),))
    block = compute_distances(corpus, Recorder(symmetric=False), normalise="none").blocks[0]
    assert (block.gold[0, 0, 1], block.gold[0, 1, 0]) == (0.05, 0.04)


def test_a_measure_that_an_option_makes_asymmetric_is_computed_and_kept_in_both_directions():
    gold = {"r1": "storm hits the north", "r2": "storm"}
    corpus = Corpus((document("d1", references=gold, S={"r1": "storm", "r2": "storm hits"}),))
    store, recall = DistanceStore(f"memory://{uuid.uuid4()}"), make_measure("rouge-l", form="recall")
    for stored in (0, 1):
        table = compute_distances(corpus, recall, normalise="none", store=store)
        assert (table.counts.stored > 0) == bool(stored)
        (block,) = table.blocks
        assert (block.gold[0, 0, 1], block.gold[0, 1, 0]) == (0.0, 0.75)
        assert (block.systems[0, 0, 0, 1], block.systems[0, 0, 1, 0]) == (0.5, 0.0)
        # The summary is the candidate, the reader's own text the reference.
        assert block.systems_gold[0, 0].tolist() == [0.75, 0.0]
    (f1,) = compute_distances(corpus, make_measure("rouge-l"), normalise="none", store=store).blocks
    assert f1.gold[0, 0, 1] == f1.gold[0, 1, 0] == 1 - 2 / 5


@given(corpora())
def test_every_distance_is_that_of_its_two_texts(corpus):
    measure = make_measure("jsd")
    table = compute_distances(corpus, measure)
    seen = []
    for block in table.blocks:
        for row, index in enumerate(block.documents):
            found = corpus.documents[index]
            readers = list(found.references)
            seen.append(index)
            for j, k in permutations(range(len(readers)), 2):
                gold = [found.references[reader] for reader in (readers[j], readers[k])]
                assert block.gold[row, j, k] == pytest.approx(measure(*gold), abs=1e-12)
            for s, system in enumerate(table.systems):
                written = [found.summaries[system][reader] for reader in readers]
                for j, k in combinations(range(len(readers)), 2):
                    expected = pytest.approx(measure(written[j], written[k]), abs=1e-12)
                    assert (block.systems[s, row, j, k], block.systems[s, row, k, j]) == (expected, expected)
                for j, reader in enumerate(readers):
                    to_gold = measure(written[j], found.references[reader])
                    assert block.systems_gold[s, row, j] == pytest.approx(to_gold, abs=1e-12)
                    to_document = measure(written[j], found.text)
                    assert block.systems_document[s, row, j] == pytest.approx(to_document, abs=1e-12)
            assert np.isnan(np.diagonal(block.gold[row])).all()
    assert sorted(seen) == [i for i, found in enumerate(corpus.documents) if len(found.references) > 1]


@given(corpora())
def test_shards_change_nothing(corpus):
    whole = compute_distances(corpus, make_measure("rouge-l"))
    parts = compute_distances(corpus, make_measure("rouge-l"), shard_documents=1)
    by_document = [
        {int(i): block.systems[:, row] for block in table.blocks for row, i in enumerate(block.documents)}
        for table in (whole, parts)
    ]
    assert by_document[0].keys() == by_document[1].keys()
    for index, matrix in by_document[0].items():
        np.testing.assert_array_equal(matrix, by_document[1][index])


def test_a_summary_that_was_not_written_leaves_its_distances_missing():
    corpus = Corpus((document("d1", S={"r1": "storm", "r3": "river"}),))
    block = compute_distances(corpus, make_measure("jsd")).blocks[0]
    assert np.isnan(block.systems[0, 0]).tolist() == [
        [True, True, False],
        [True, True, True],
        [False, True, True],
    ]
    assert np.isnan(block.systems_gold[0, 0]).tolist() == [False, True, False]


def test_missing_documents_texts_are_an_error_that_says_so():
    corpus = Corpus((document("d1", body=" ", S={"r1": "storm"}),))
    with pytest.raises(
        MissingTextError, match=r"1 document has no text \(first: d1\).*ask for normalise=none"
    ):
        compute_distances(corpus, make_measure("jsd"))
    assert compute_distances(corpus, make_measure("jsd"), normalise="none").blocks[0].gold_document is None


def test_an_unknown_normalisation_is_refused():
    with pytest.raises(InputError, match="normalise is document or none, not 'both'"):
        compute_distances(Corpus((document(S={"r1": "a"}),)), make_measure("jsd"), normalise="both")


def test_progress_counts_documents_up_to_all():
    corpus = Corpus(tuple(document(f"d{n}", S={"r1": "a", "r2": "b", "r3": "c"}) for n in range(5)))
    calls = []
    compute_distances(
        corpus, make_measure("jsd"), progress=lambda *counts: calls.append(counts), shard_documents=2
    )
    assert calls == [(2, 5), (4, 5), (5, 5)]


def numbered_documents(count: int, readers: int = 2) -> Corpus:
    """Documents of which no two have a text in common."""
    names = [f"r{number}" for number in range(readers)]
    return Corpus(
        tuple(
            document(
                f"d{n}",
                body=f"{n} body",
                references={name: f"{n} gold {name}" for name in names},
                S={name: f"{n} summary {name}" for name in names},
            )
            for n in range(count)
        )
    )


@pytest.mark.parametrize("documents", [8, 32])
def test_never_more_than_a_shard_is_prepared_whatever_the_size_of_the_corpus(documents):
    measure = Recorder(limit=ShardLimit(documents=4))
    stream = DistanceStream(numbered_documents(documents), measure)
    assert max(len(block.documents) for block in stream.blocks) == 4
    assert (measure.most_encoded, len(measure.encoded)) == (4 * 5, documents * 5)


@pytest.mark.parametrize(
    ("limit", "most"),
    [
        (ShardLimit(documents=3), 3),
        (ShardLimit(texts=2 * 9), 2),
        (ShardLimit(pairs=4 * 54), 4),
        (ShardLimit(texts=1), 1),
    ],
    ids=["documents", "texts", "pairs", "never-less-than-one"],
)
def test_a_shard_is_closed_before_it_exceeds_a_limit(limit, most):
    corpus = numbered_documents(10, readers=4)
    shards = plan_shards(corpus, range(10), systems=1, limit=limit)
    sizes = [len(shard.documents) for shard in shards]
    assert sizes == [most] * (10 // most) + [10 % most] * (10 % most > 0)
    assert sorted(index for shard in shards for index in shard.documents) == list(range(10))


@given(st.permutations(range(12)))
def test_shards_follow_from_the_content_and_not_from_its_order(order):
    corpus = numbered_documents(12)
    shuffled = Corpus(tuple(corpus.documents[index] for index in order))
    limit = ShardLimit(documents=5)
    plans = [
        [
            (shard.span, {found.documents[index].id for index in shard.documents})
            for shard in plan_shards(found, range(12), systems=1, limit=limit)
        ]
        for found in (corpus, shuffled)
    ]
    assert plans[0] == plans[1]


@given(corpora())
def test_scores_from_a_stream_are_those_from_a_table(corpus):
    how = {"measure": make_measure("jsd"), "shard_documents": 1}
    stream, table = DistanceStream(corpus, **how), compute_distances(corpus, **how)
    streamed, whole = score_contributions(stream), score_contributions(table)
    for name in ("degress", "perseval", "accuracy", "pairs"):
        assert_same_bits(getattr(streamed, name), getattr(whole, name))
    assert stream.counts == table.counts


@given(corpora(), st.integers(1, 3))
def test_what_is_empty_or_missing_is_counted_by_document_and_not_by_shard(corpus, shard):
    measure = make_measure("jsd", mode="kdm", preprocess="none")
    whole = compute_distances(corpus, measure)
    parts = compute_distances(corpus, measure, shard_documents=shard)
    assert (parts.counts.empty, parts.counts.missing) == (whole.counts.empty, whole.counts.missing)
    texts = [
        text
        for found in corpus.documents
        if len(found.references) > 1
        for written in (found.references, *found.summaries.values())
        for text in written.values()
    ]
    assert whole.counts.empty == sum(not text for text in texts)


@pytest.mark.parametrize(
    ("measure", "options", "empty"),
    [
        ("rouge-l", {}, 4),  # ROUGE's words are of a-z and 0-9
        ("jsd", {}, 2),
        ("jsd", {"preprocess": "pens"}, 3),
        ("rouge-su4", {"mode": "kdm"}, 3),
    ],
)
def test_texts_in_which_the_measure_finds_nothing_are_counted(measure, options, empty, tmp_path):
    gold = {"r1": "storm", "r2": "عاصفة قوية", "r3": "the"}
    written = {"r1": "...", "r2": " ", "r3": "النهر"}
    corpus = Corpus((document("d1", references=gold, S=written),))
    made = make_measure(measure, **options)
    for _ in ("computed", "taken from the store"):
        table = compute_distances(corpus, made, normalise="none", store=DistanceStore(str(tmp_path)))
        assert (table.counts.empty, table.counts.texts) == (empty, 6)


@given(st.lists(st.text(max_size=12), min_size=1), st.sampled_from(["none", "pens"]))
def test_a_text_holds_nothing_where_it_is_encoded_as_nothing(texts, preprocess):
    for name in ("rouge-l", "jsd"):
        measure = make_measure(name, preprocess=preprocess)
        assert measure.hold_nothing(texts).tolist() == (measure.prepare(texts).lengths == 0).tolist()


@pytest.mark.parametrize(
    ("empty", "texts", "words"),
    [
        (4, 4, "jsd finds words in none of 4 texts after"),
        (3, 4, "jsd finds words in only 1 of 4 texts after"),
        (2, 4, ""),
        (0, 0, ""),
    ],
)
def test_a_measure_that_finds_nothing_in_most_texts_is_warned_of(empty, texts, words):
    found = describe_empty("jsd", empty, texts)
    assert (found.startswith(words), bool(found)) == (True, bool(words))


def test_a_missing_distance_counts_once_in_each_document():
    gold = {"r1": "storm", "r2": "river"}
    corpus = Corpus(tuple(document(f"d{n}", references=gold, S={"r1": " ", "r2": "storm"}) for n in range(2)))
    measure = make_measure("jsd", mode="kdm", preprocess="none")
    table = compute_distances(corpus, measure, normalise="none")
    assert (table.counts.empty, table.counts.missing) == (2, 2)


@pytest.mark.parametrize(("mode", "accuracy"), [("kdm", [1.0, 0.0, np.nan]), ("paper", [1.0, 0.0, np.nan])])
def test_the_released_code_takes_a_missing_accuracy_as_1(mode, accuracy):
    """Of a summary that is there, empty or not; r3 has none, and what is not there stays missing."""
    gold = {"r1": "storm", "r2": "river", "r3": "school"}
    corpus = Corpus((document("d1", references=gold, S={"r1": " ", "r2": "river"}),))
    measure = make_measure("jsd", mode=mode, preprocess="none")
    table = compute_distances(corpus, measure, normalise="none")
    np.testing.assert_array_equal(table.blocks[0].systems_gold[0, 0], accuracy)
    assert (np.isnan(table.blocks[0].systems).all(), table.counts.missing) == (
        (True, 2) if mode == "kdm" else (False, 0)
    )
    assert score_contributions(table).accuracy[0, 0] == 0.5


def test_a_measure_that_needs_the_document_compares_about_each_pairs_own():
    gold = {"r1": "storm bridge", "r2": "bridge budget"}
    bodies = ("the storm and the bridge", "a budget for the river")
    corpus = Corpus(
        tuple(document(f"d{n}", body=body, references=gold, S=gold) for n, body in enumerate(bodies))
    )
    measure = make_measure("jsd-oov")
    table = compute_distances(corpus, measure, normalise="none")
    for block in table.blocks:
        for row, index in enumerate(block.documents):
            prepared = measure.prepare([*gold.values(), corpus.documents[index].text])
            pair = measure.distances_in_context(prepared, *(np.array([number]) for number in range(3)))
            assert block.gold[row, 0, 1] == pytest.approx(pair[0], abs=1e-12)
            assert block.systems[0, row, 1, 0] == block.gold[row, 0, 1]
    assert len({float(value) for block in table.blocks for value in block.gold[:, 0, 1]}) == 2


def test_a_measure_that_needs_the_document_says_so_where_texts_are_missing():
    corpus = Corpus((document("d1", body=" ", S={"r1": "storm"}),))
    with pytest.raises(
        MissingTextError, match=r"measure 'jsd-oov' compares texts about their document; give"
    ):
        compute_distances(corpus, make_measure("jsd-oov"), normalise="none")


def test_a_measure_counts_over_the_references_before_it_compares():
    corpus = Corpus(
        (document("d1", S={"r1": "a", "r2": "b", "r3": "c"}), document("d2", references={"r1": "z"}))
    )
    table = compute_distances(corpus, Counting(), systems=["S"], normalise="none")
    assert table.signature.options == {"counted": 4}
