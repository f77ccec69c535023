from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import Rating, human_divergence
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.human import score_humans
from tests.meta_eval.scores import naive
from tests.meta_eval.strategies import corpora, document
from tests.meta_eval.tables import Counting, Recorder

THREE = {"r1": "storm", "r2": "river", "r3": "school"}


def rate(system: str, value: int, *, pair=("r1", "r2"), raters=("p1", "p2"), doc_id="d1") -> list[Rating]:
    return [Rating(doc_id, system, *pair, rater, value) for rater in raters]


def score(
    corpus: Corpus, ratings, *, scale="similarity", surrogate="rouge-l", normalise="document", **counts
):
    found = human_divergences(ratings, scale=scale, **counts)
    records = score_humans(corpus, found, make_measure(surrogate), normalise=normalise).records()
    return {record["system"]: record for record in records}


def test_a_pair_counts_with_the_full_number_of_ratings():
    ratings = [*rate("S", 3), *rate("T", 4, raters=("p1",)), *rate(GOLD, 2, raters=("p1", "p2", "p3", "p4"))]
    found = human_divergences(ratings, scale="similarity")
    assert {(pair.system, sigma) for pair, sigma in found.divergences.items()} == {("S", 0.6), (GOLD, 0.8)}
    assert (found.full, found.min_ratings, found.below_full, found.too_few) == (2, 2, 0, 1)


def test_min_raters_lets_fewer_count_and_says_how_many():
    ratings = [*rate("S", 3), *rate("T", 4, raters=("p1",)), *rate(GOLD, 2)]
    found = human_divergences(ratings, scale="similarity", min_raters=1)
    assert found.systems == ("S", "T")
    assert (found.full, found.min_ratings, found.below_full, found.too_few) == (2, 1, 1, 0)


def test_without_ratings_of_gold_nothing_can_be_scored():
    corpus = Corpus((document("d1", S=THREE),))
    with pytest.raises(InputError, match="nothing can be scored: none of 1 documents has two readers"):
        score(corpus, rate("S", 3))


def test_numbers_of_raters_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="min_raters must be from 1 to 2"):
        human_divergences(rate("S", 3), scale="similarity", min_raters=3)
    with pytest.raises(InputError, match="no pair has 3 ratings"):
        human_divergences(rate("S", 3), scale="similarity", full=3)


def test_rated_documents_are_those_with_a_pair_that_counts():
    corpus = Corpus(tuple(document(doc_id, S=THREE) for doc_id in ("d1", "d2", "d3", "d4")))
    ratings = [
        *rate("S", 3, doc_id="d3"),
        *rate("S", 4, doc_id="d1"),
        *rate("S", 2, doc_id="d2", raters=("p1",)),
    ]
    rated = human_divergences(ratings, scale="similarity").select_rated(corpus)
    assert rated.documents == (corpus.documents[0], corpus.documents[2])


def test_ratings_of_readers_whom_the_corpus_does_not_have_change_no_score():
    corpus = Corpus((document(S=THREE),))
    ratings = [*rate(GOLD, 2), *rate("S", 5)]
    unknown = [*rate(GOLD, 1, pair=("r1", "r9")), *rate("S", 6, pair=("r1", "r9"))]
    with_unknown, without = score(corpus, [*ratings, *unknown])["S"], score(corpus, ratings)["S"]
    assert with_unknown["pairs"] == without["pairs"] == 1
    assert with_unknown["degress_hj"] == without["degress_hj"]
    assert with_unknown["perseval_hj"] == without["perseval_hj"]


def test_a_single_rated_pair_has_weight_one():
    """With one pair X = sigma(u_1, u_2) and Y = sigma(s_1, s_2), whatever the distances to the document."""
    corpus = Corpus((document(S=THREE),))
    found = score(corpus, [*rate(GOLD, 2), *rate("S", 5)])["S"]
    eps = 1e-5
    assert found["degress_hj"] == pytest.approx((0.2 + eps) / (0.8 + eps), rel=1e-12)
    assert found["egises_hj"] == 1 - found["degress_hj"]
    assert (found["documents"], found["pairs"]) == (1, 1)


def test_the_penalty_of_rated_readers_is_taken_over_all_readers_of_the_document():
    """r3 is rated with nobody, and says how far from all of them r1 and r2 are."""
    corpus = Corpus((document(S={"r1": "council votes", "r2": "storm hits", "r3": "school"}),))
    found = score(corpus, [*rate(GOLD, 2), *rate("S", 5)])["S"]
    penalty = naive.penalties(corpus.documents[0], "S", make_measure("rouge-l"))
    assert penalty["r1"] == penalty["r2"] > 0.1 > penalty["r3"]
    assert found["perseval_hj"] == pytest.approx(found["degress_hj"] * penalty["r1"], rel=1e-9)


@given(corpora(), st.randoms())
def test_ratings_of_all_pairs_score_as_a_measure_that_says_what_the_raters_say(corpus, random):
    """HJ scores are DEGRESS with human distances between summaries and the surrogate's to the document."""
    assume(any(len(found.references) > 1 for found in corpus.documents))
    surrogate, given_ratings, ratings = make_measure("rouge-l"), {}, []
    for found in corpus.documents:
        for pair in combinations(sorted(found.references), 2):
            for system in (GOLD, *corpus.systems):
                given_ratings[found.id, system, pair] = value = random.randint(1, 6)
                ratings.extend(rate(system, value, pair=pair, doc_id=found.id))
    results = score(corpus, ratings)
    for system in corpus.systems:
        expected = []
        for found in corpus.documents:
            if len(found.references) < 2:
                continue

            def sigma(texts, key, found=found):
                def distance(first: str, second: str) -> float:
                    if second == "document":
                        return surrogate(texts[first], found.text)
                    pair = tuple(sorted((first, second)))
                    return human_divergence(given_ratings[found.id, key, pair], "similarity")

                return distance

            names = {reader: reader for reader in found.references}
            x = naive.deviations(names, sigma(found.references, GOLD), "document")
            y = naive.deviations(names, sigma(found.summaries[system], system), "document")
            ratio = {pair: (min(x[pair], y[pair]) + 1e-5) / (max(x[pair], y[pair]) + 1e-5) for pair in x}
            by_reader = [sum(ratio[j, k] for k in names if k != j) / (len(names) - 1) for j in names]
            expected.append(sum(by_reader) / len(by_reader))
        assert results[system]["degress_hj"] == pytest.approx(sum(expected) / len(expected), abs=1e-9)


class Shy(Recorder):
    """A stand-in that has no distance of a blank text."""

    def distances(self, prepared, first, second):
        blank = np.array([not text.strip() for text in prepared])
        return np.where(blank[first] | blank[second], np.nan, super().distances(prepared, first, second))


def test_what_the_surrogate_lacks_for_rated_readers_is_counted():
    """r1 lacks the distances to document and reference, r3, whom nobody rated, the latter for the penalty."""
    corpus = Corpus((document(S={"r1": " ", "r2": "river", "r3": " "}),))
    found = human_divergences([*rate(GOLD, 2), *rate("S", 5)], scale="similarity")
    expected = {
        ("document", "document"): 3,
        ("document", "rated"): 2,
        ("none", "document"): 2,
        ("none", "rated"): 1,
    }
    for (normalise, readers), missing in expected.items():
        options = ScoreOptions(edp_readers=readers)
        (record,) = score_humans(corpus, found, Shy(), normalise=normalise, options=options).records()
        assert record["left_out"] == {"empty_texts": 2, "missing_distances": missing}
        assert record["texts"] == 6 + (normalise == "document")


def test_a_summary_that_a_system_did_not_write_is_no_missing_distance():
    corpus = Corpus((document(S={"r1": "storm", "r2": "river"}),))
    found = human_divergences([*rate(GOLD, 2), *rate("S", 5)], scale="similarity")
    (record,) = score_humans(corpus, found, make_measure("rouge-l")).records()
    assert record["left_out"]["missing_distances"] == 0


def test_only_rated_documents_and_pairs_enter():
    corpus = Corpus((document("d1", S=THREE), document("d2", S=THREE)))
    found = score(corpus, [*rate(GOLD, 2), *rate("S", 5), *rate("S", 5, pair=("r1", "r3"))])["S"]
    assert (found["documents"], found["pairs"]) == (1, 1)


def test_turning_the_scale_around_changes_the_scores():
    corpus = Corpus((document(S=THREE),))
    ratings = [*rate(GOLD, 1), *rate("S", 2)]
    similar, dissimilar = (
        score(corpus, ratings, scale=scale)["S"] for scale in ("similarity", "dissimilarity")
    )
    assert similar["degress_hj"] == pytest.approx(0.8, abs=1e-4)
    assert dissimilar["degress_hj"] == pytest.approx(0.0, abs=1e-3)
    assert (similar["scale"], dissimilar["scale"]) == ("similarity", "dissimilarity")


def test_ratings_of_gold_alone_score_nothing_and_say_so():
    with pytest.raises(InputError, match="no system's pair has enough ratings"):
        score(Corpus((document(S=THREE),)), rate(GOLD, 2))


def test_without_document_texts_bare_distances_must_be_asked_for():
    corpus = Corpus((document(body="", S=THREE),))
    ratings = [*rate(GOLD, 2), *rate("S", 5)]
    with pytest.raises(InputError, match="normalise=none"):
        score(corpus, ratings)
    assert score(corpus, ratings, normalise="none")["S"]["normalise"] == "none"


def test_a_surrogate_counts_over_all_references_not_only_the_rated():
    corpus = Corpus((document("d1", S=THREE), document("d2", S=THREE)))
    found = human_divergences([*rate(GOLD, 2), *rate("S", 5)], scale="similarity")
    scores = score_humans(corpus, found, Counting(), normalise="none")
    assert scores.surrogate.signature.options == {"counted": 6}
