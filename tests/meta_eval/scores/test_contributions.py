from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceBlock, DistanceCounts, DistanceTable, compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.measures.base import Signature
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.contributions import ScoreOptions, present_pairs, score_contributions
from meta_eval.scores.perseval import PenaltyOptions, effective_penalty
from tests.meta_eval.scores import naive
from tests.meta_eval.strategies import corpora, document

NORMALISE = st.sampled_from(["document", "none"])


def scores_of(corpus: Corpus, measure_id: str = "rouge-l", normalise: str = "document", **options):
    table = compute_distances(corpus, make_measure(measure_id), normalise=normalise)
    return score_contributions(table, ScoreOptions(**options)).system_scores()


def has_pair(corpus: Corpus) -> bool:
    return any(len(found.references) > 1 for found in corpus.documents)


def test_where_no_document_has_a_score_nothing_can_be_scored():
    alone = document(references={"r1": "a"}, S={"r1": "b"})
    apart = document("d2", references={"r1": "a", "r2": "b"}, S={"r1": "c"}, T={"r2": "c"})
    with pytest.raises(InputError, match="nothing can be scored: none of 2 documents has two readers"):
        score_systems(Corpus((alone, apart)), make_measure("jsd"))
    both = document("d3", references={"r1": "a", "r2": "b"}, S={"r1": "c", "r2": "d"})
    found = score_systems(Corpus((alone, apart, both)), make_measure("jsd")).records()
    assert [(row["system"], row["documents"], row["degress"] is None) for row in found] == [
        ("S", 1, False),
        ("T", 0, True),
    ]


@given(corpora(), NORMALISE, st.sampled_from(["rouge-l", "jsd", "bleu"]))
def test_scores_equal_the_protocol_written_as_loops(corpus, normalise, measure_id):
    assume(has_pair(corpus))
    measure = make_measure(measure_id)
    for system, found in scores_of(corpus, measure_id, normalise).items():
        expected = naive.scores(corpus, system, measure, normalise)
        assert found.degress == pytest.approx(expected["degress"], abs=1e-9)
        assert found.perseval == pytest.approx(expected["perseval"], abs=1e-9)
        assert found.accuracy == pytest.approx(expected["accuracy"], abs=1e-9)
        assert found.egises == 1 - found.degress


@given(corpora(), st.floats(0, 3))
def test_the_penalty_kept_is_the_mean_edp_of_the_readers_of_each_document(corpus, beta):
    assume(has_pair(corpus))
    measure = make_measure("rouge-l")
    options = ScoreOptions(PenaltyOptions(beta=beta))
    found = score_contributions(compute_distances(corpus, measure), options)
    for row, system in enumerate(found.systems):
        for column, name in enumerate(found.documents):
            (text,) = [one for one in corpus.documents if one.id == name]
            if len(text.references) < 2:
                assert np.isnan(found.penalty[row, column])
                continue
            by_reader = naive.penalties(text, system, measure, beta=beta)
            assert found.penalty[row, column] == pytest.approx(fmean(by_reader.values()), abs=1e-9)


@st.composite
def distance_tables(draw) -> DistanceTable:
    """Any distances in [0, 1] at all, some of them missing."""
    n, b, s = draw(st.integers(2, 4)), draw(st.integers(1, 3)), 2
    sigma = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 1e-300, float("nan")]))

    def draws(*shape: int) -> np.ndarray:
        size = int(np.prod(shape))
        return np.array(draw(st.lists(sigma, min_size=size, max_size=size)), dtype=float).reshape(shape)

    gold, systems = draws(b, n, n), draws(s, b, n, n)
    gold[:, range(n), range(n)] = systems[:, :, range(n), range(n)] = np.nan
    block = DistanceBlock(np.arange(b), gold, draws(b, n), systems, draws(s, b, n), draws(s, b, n))
    return DistanceTable(
        tuple("abc"[:b]),
        ("S", "T"),
        "document",
        Signature("any"),
        (block,),
        DistanceCounts(),
    )


@given(distance_tables(), st.floats(0.5, 4), st.floats(0, 3), st.sampled_from([False, True, "softmax"]))
def test_perseval_is_at_most_degress_for_every_input(table, alpha, beta, include_self):
    found = score_contributions(table, ScoreOptions(PenaltyOptions(alpha, beta), include_self))
    for score in found.system_scores().values():
        if score.degress is None:
            assert (score.perseval, score.documents, score.pairs) == (None, 0, 0)
        else:
            assert 0 <= score.perseval <= score.degress <= 1


@given(distance_tables())
def test_only_readers_that_enter_degress_count_in_the_penalty(table):
    found = score_contributions(table)
    assert np.array_equal(np.isfinite(found.penalty), np.isfinite(found.degress))
    block = table.blocks[0]
    for row, column in np.argwhere(np.isfinite(found.penalty)):
        entering = present_pairs(block, row)[column].any(axis=-1)
        by_reader = effective_penalty(block.systems_gold[row, column], PenaltyOptions())
        assert found.penalty[row, column] == pytest.approx(fmean(by_reader[entering]), abs=1e-12)


@given(corpora(systems=("one",)))
def test_a_system_that_copies_the_gold_has_degress_1(corpus):
    assume(has_pair(corpus))
    copied = Corpus(tuple(replace(found, summaries={"copy": found.references}) for found in corpus.documents))
    for normalise in ("document", "none"):
        found = scores_of(copied, normalise=normalise)["copy"]
        assert found.degress == pytest.approx(1, abs=1e-12)
        assert found.accuracy == pytest.approx(1, abs=1e-12)
        assert found.perseval == pytest.approx(1, abs=2e-3)


@given(corpora(systems=("one",)))
def test_identical_systems_have_identical_scores(corpus):
    assume(has_pair(corpus))
    twice = Corpus(
        tuple(
            replace(found, summaries={**found.summaries, "twin": found.summaries["one"]})
            for found in corpus.documents
        )
    )
    found = scores_of(twice)
    assert found["one"] == found["twin"]


@given(corpora(), st.randoms())
def test_the_order_of_documents_and_readers_does_not_matter(corpus, random):
    assume(has_pair(corpus))

    def shuffled(mapping):
        return dict(random.sample(list(mapping.items()), len(mapping)))

    turned = [
        replace(found, references=shuffled(found.references), summaries=shuffled(found.summaries))
        for found in random.sample(corpus.documents, len(corpus.documents))
    ]
    before, after = scores_of(corpus), scores_of(Corpus(tuple(turned)))
    for system, score in before.items():
        assert after[system].degress == pytest.approx(score.degress, abs=1e-12)
        assert after[system].perseval == pytest.approx(score.perseval, abs=1e-12)


def test_the_same_for_every_reader_is_as_insensitive_as_can_be():
    corpus = Corpus((document(S=dict.fromkeys(("r1", "r2", "r3"), "council votes")),))
    assert scores_of(corpus)["S"].degress == pytest.approx(0, abs=1e-3)


def test_documents_with_one_reader_are_left_out():
    lonely = document("d2", references={"r1": "storm"}, S={"r1": "storm"})
    pair = document("d1", S={"r1": "storm", "r2": "river", "r3": "school"})
    found = scores_of(Corpus((lonely, pair)))["S"]
    assert (found.documents, found.pairs) == (1, 3)
    assert found == scores_of(Corpus((pair,)))["S"]


def test_a_missing_summary_takes_its_pairs_out_on_both_sides():
    whole = document(S={"r1": "storm", "r3": "river"})
    without = document(
        references={reader: text for reader, text in whole.references.items() if reader != "r2"},
        S={"r1": "storm", "r3": "river"},
    )
    assert scores_of(Corpus((whole,)))["S"] == scores_of(Corpus((without,)))["S"]


def test_counting_oneself_adds_a_term_of_one_for_every_reader():
    corpus = Corpus((document(references={"r1": "storm", "r2": "river"}, S={"r1": "storm", "r2": "storm"}),))
    bare = scores_of(corpus, normalise="none")["S"].degress
    with_self = scores_of(corpus, normalise="none", include_self=True)["S"].degress
    assert bare == pytest.approx(1e-5, rel=1e-3)
    # X_12 falls with the longer softmax, but Y stays 0: the ratio is eps / (X + eps), and 1 for k = j.
    x = np.e / (np.e + 1)
    assert with_self == pytest.approx((1e-5 / (x + 1e-5) + 1) / 2, rel=1e-9)


def test_oneself_in_the_softmax_alone_takes_a_share_from_both_sides_and_adds_no_term():
    """The thesis' code: e^0 = 1 more in the denominator, so X and Y are D / (D + 1) of what they were."""
    golds = {"r1": "council votes again", "r2": "storm hits bridge", "r3": "budget votes"}
    written = {"r1": "council votes", "r2": "storm hits the bridge", "r3": "council votes"}
    corpus = Corpus((document(references=golds, S=written, copies=golds),))
    table = compute_distances(corpus, make_measure("jsd"))
    block = table.blocks[0]
    shares = []
    for between, to_document in (
        (block.gold[0], block.gold_document[0]),
        (block.systems[0, 0], block.systems_document[0, 0]),
    ):
        weights = np.exp(between / to_document[:, None])
        weights[np.arange(3), np.arange(3)] = 1.0
        shares.append(weights / weights.sum(axis=1, keepdims=True) * between)
    others = ~np.eye(3, dtype=bool)
    expected = ((np.minimum(*shares) + 1e-5) / (np.maximum(*shares) + 1e-5))[others].mean()
    found = scores_of(corpus, "jsd", include_self="softmax")
    assert found["S"].degress == pytest.approx(expected, abs=1e-12)
    assert found["S"].degress != scores_of(corpus, "jsd")["S"].degress
    assert found["copies"].degress == 1.0


def test_contributions_keep_one_value_per_system_and_document():
    corpus = Corpus(
        (document("d1", S={"r1": "storm", "r2": "river", "r3": "a"}), document("d2", T={"r1": "storm"}))
    )
    table = compute_distances(corpus, make_measure("jsd"))
    found = score_contributions(table)
    assert found.degress.shape == (2, 2)
    assert np.isfinite(found.degress).tolist() == [[True, False], [False, False]]
    assert found.system_scores()["S"].degress == found.degress[0, 0]


@pytest.mark.shared
@pytest.mark.parametrize(("system", "published"), [("NAML", 0.8712), ("NRMS", 0.8954), ("NRMS_2", 0.9928)])
def test_egises_of_the_published_systems_is_that_of_the_authors_code(shared, system, published):
    from meta_eval.corpus.pens import read_pens

    data = shared / "data" / "pens"
    corpus = read_pens(test=data / "personalized_test.tsv", systems={system: data / f"hyps_{system}.txt"})
    found = scores_of(corpus, normalise="none")[system]
    assert found.egises == pytest.approx(published, abs=1e-3)
    assert (found.documents, found.pairs) == (3731, 55_572)
