"""Whom the penalty of human PerSEval compares: an independent version with loops, and where it has to be the
same on both sides."""

import random
from dataclasses import replace
from itertools import combinations
from math import exp
from statistics import fmean

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import Rating
from meta_eval.report.inference.table import restrict_to_rated
from meta_eval.report.options import ReportOptions
from meta_eval.report.reliability import shared_settings
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.contributions import ScoreOptions, score_contributions
from meta_eval.scores.human import score_humans
from meta_eval.scores.pairs import score_pairs
from meta_eval.scores.perseval import EDP_READERS, PenaltyOptions, effective_penalty
from meta_eval.stats.rankings.ablation import score_betas
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from tests.meta_eval.strategies import WORDS, corpora

SHAPE = {"alpha": 0.5, "beta": 0.0, "gamma": 0.5}
"""A penalty that inaccurate summaries survive."""
ROUGE = make_measure("rouge-l")


def with_readers(readers: str) -> ScoreOptions:
    return ScoreOptions(PenaltyOptions(**SHAPE), edp_readers=readers)


def sig(x: float, a: float, b: float) -> float:
    return 1 / (1 + 10**a * exp(-(10**b) * x))


def penalty(mine: float, others: list[float]) -> float:
    best, mean, eps = min(others), fmean(others), 1e-7
    adp = sig(best / (1 - best + eps), SHAPE["gamma"], 1)
    acp = sig((mine - best) / (mean - best + eps), SHAPE["gamma"], 1)
    return 1 - sig(adp + acp, SHAPE["alpha"], SHAPE["beta"])


def deviation(divergences: dict, texts: dict, document: str, j: str, partners: list[str]) -> dict[str, float]:
    """X_j or Y_j over the partners of reader j."""
    to_document = ROUGE(texts[j], document)
    sigma = {k: divergences[frozenset((j, k))] for k in partners}
    weights = {k: sigma[k] / to_document if to_document else 0.0 for k in partners}
    total = sum(exp(weight) for weight in weights.values())
    return {k: exp(weights[k]) / total * sigma[k] for k in partners}


def perseval_of(document: Document, system: str, divergences, readers: str) -> tuple[float, float] | None:
    """DEGRESS-HJ and PerSEval-HJ of a document in plain words of the protocol; None without a rated pair."""
    sigma = {GOLD: {}, system: {}}
    for pair, value in divergences.divergences.items():
        if pair.doc_id == document.id and pair.system in sigma:
            sigma[pair.system][frozenset((pair.reader_a, pair.reader_b))] = value
    names, written = list(document.references), document.summaries[system]
    rated = [
        (j, k)
        for j, k in combinations(names, 2)
        if frozenset((j, k)) in sigma[GOLD] and frozenset((j, k)) in sigma[system]
    ]
    if not rated:
        return None
    a = {j: ROUGE(written[j], document.references[j]) for j in names}
    members = {
        "document": names,
        "rated": [j for j in names if any(j in pair for pair in rated)],
        "first": [j for j in names if any(j == pair[0] for pair in rated)],
    }[readers]
    degress, perseval = [], []
    for j in names:
        partners = [k for k in names if (j, k) in rated or (k, j) in rated]
        if partners:
            x = deviation(sigma[GOLD], document.references, document.text, j, partners)
            y = deviation(sigma[system], written, document.text, j, partners)
            ratios = [(min(x[k], y[k]) + 1e-5) / (max(x[k], y[k]) + 1e-5) for k in partners]
            degress.append(fmean(ratios))
            if j in members:
                perseval.append(fmean(ratios) * penalty(a[j], [a[k] for k in members]))
    return fmean(degress), fmean(perseval)


def rate_some(corpus: Corpus, seed: int, *, share: float = 0.5) -> list[Rating]:
    """Some reader pairs of each document, each by two raters, and gold and systems not always alike."""
    choose = random.Random(seed)
    return [
        Rating(document.id, system, *pair, rater, choose.randint(1, 6))
        for document in corpus.documents
        for pair in combinations(sorted(document.references), 2)
        if choose.random() < share
        for system in (GOLD, *corpus.systems)
        if choose.random() < 0.9
        for rater in ("p", "q")
    ]


def make_corpus(seed: int, documents: int = 8) -> Corpus:
    choose = random.Random(seed)

    def write(readers: int) -> dict[str, str]:
        return {f"r{reader}": " ".join(choose.choices(WORDS, k=5)) for reader in range(readers)}

    return Corpus(
        tuple(
            Document(
                f"d{n}",
                "title",
                " ".join(choose.choices(WORDS, k=9)),
                write(r),
                {"A": write(r), "B": write(r)},
            )
            for n, r in enumerate(choose.choices((3, 5), k=documents))
        )
    )


@pytest.fixture(scope="module")
def survey():
    corpus = make_corpus(1)
    ratings = rate_some(corpus, 2)
    return corpus, ratings, human_divergences(ratings, scale="similarity")


@settings(max_examples=40, deadline=None)
@given(corpora(), st.integers(0, 999), st.sampled_from(list(EDP_READERS)))
def test_scores_are_those_of_a_version_with_loops(corpus, seed, readers):
    ratings = rate_some(corpus, seed)
    assume(any(rating.system != GOLD for rating in ratings))
    found = human_divergences(ratings, scale="similarity")
    expected = {
        (system, document.id): perseval_of(document, system, found, readers)
        for document in corpus.documents
        for system in found.systems
    }
    assume(any(expected.values()))
    scores = score_humans(corpus, found, ROUGE, options=with_readers(readers)).contributions
    for row, system in enumerate(scores.systems):
        for at, doc_id in enumerate(scores.documents):
            value = (scores.degress[row, at], scores.perseval[row, at])
            oracle = expected[system, doc_id] or (np.nan, np.nan)
            assert value == pytest.approx(oracle, abs=1e-12, nan_ok=True)


def of_two_rated(distances: list[float], readers: str) -> float:
    """EDP of the worse of the first two readers, who alone are rated, at the papers' penalty."""
    a = np.array(distances)
    spread = a if readers == "document" else a[:2]
    return float(effective_penalty(spread, PenaltyOptions())[1])


def test_the_worse_of_two_rated_readers_is_set_against_all_five():
    """Over the two alone the worse one's ratio is 2 whatever the values, so it is always wiped out."""
    near, far = [0.1, 0.2, 0.9, 0.9, 0.9], [0.1, 0.2, 0.1, 0.1, 0.1]
    assert of_two_rated(near, "document") > 0.9
    assert of_two_rated(far, "document") < 0.01
    assert of_two_rated(near, "rated") == of_two_rated(far, "rated") < 0.001


def five_readers(*others: str) -> Corpus:
    """One document, whose first two readers are served exactly and with one wrong word of four."""
    gold = dict(zip("abcde", ("storm bridge council votes",) * 5, strict=True))
    texts = ("storm bridge council votes", "storm bridge council again", *others)
    written = {"A": dict(zip("abcde", texts, strict=True))}
    return Corpus((Document("d", "title", "storm over the bridge", gold, written),))


def test_with_two_rated_readers_of_five_the_spread_of_all_counts():
    ratings = [Rating("d", name, "a", "b", rater, 3) for name in (GOLD, "A") for rater in ("p", "q")]
    found = human_divergences(ratings, scale="similarity")

    def perseval(readers: str, *others: str) -> float:
        options = ScoreOptions(edp_readers=readers)
        (record,) = score_humans(five_readers(*others), found, ROUGE, options=options).records()
        assert (record["edp_readers"], record["degress_hj"]) == (readers, 1.0)
        return record["perseval_hj"]

    badly, well = ("again", "late", "opens"), ("storm bridge council votes",) * 3
    assert perseval("document", *badly) > perseval("document", *well) + 0.4
    assert perseval("rated", *badly) == perseval("rated", *well) == pytest.approx(0.5, abs=0.01)
    assert perseval("first", *badly) == perseval("first", *well) > 0.99


def test_degress_does_not_depend_on_the_readers_of_the_penalty(survey):
    corpus, _, found = survey
    scores = [
        score_humans(corpus, found, ROUGE, options=with_readers(one)).contributions for one in EDP_READERS
    ]
    for other in scores[1:]:
        np.testing.assert_array_equal(other.degress, scores[0].degress)
        np.testing.assert_array_equal(other.pairs, scores[0].pairs)
        assert (np.nan_to_num(other.perseval) != np.nan_to_num(scores[0].perseval)).any()


@pytest.mark.parametrize("readers", EDP_READERS)
def test_resampled_raters_are_scored_as_the_ratings_that_they_gave(survey, readers):
    """Also where a draw loses a pair: its readers are then unrated, and still readers of the document."""
    corpus, ratings, found = survey
    options = with_readers(readers)
    scores = score_humans(corpus, found, ROUGE, options=options)
    rated = found.select_rated(corpus)
    scorer = PanelScorer(
        build_panel(ratings, found), corpus=rated, surrogates=scores.surrogate, options=options
    )
    kept = np.random.default_rng(3).random((4, len(scorer.panel.pairs))) < 0.7
    sigma = np.array([found.divergences[pair] for pair in scorer.panel.pairs])
    drawn = scorer.score(np.where(kept, sigma, np.nan))["perseval_hj"]
    for draw, keep in enumerate(kept):
        left = {
            pair: found.divergences[pair] for pair, one in zip(scorer.panel.pairs, keep, strict=True) if one
        }
        again = score_humans(corpus, replace(found, divergences=left), ROUGE, options=options).contributions
        at = [again.documents.index(name) if name in again.documents else -1 for name in scorer.documents]
        expected = np.where(np.array(at) >= 0, again.perseval[:, at], np.nan)
        np.testing.assert_allclose(drawn[draw], expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("readers", EDP_READERS)
def test_the_matched_scope_compares_the_same_readers(survey, readers):
    """A measure that says what the raters say has, between rated summaries, the raters' own PerSEval."""
    corpus, _, found = survey
    people = score_humans(corpus, found, ROUGE, options=with_readers(readers))
    rated = found.select_rated(corpus)
    matched = restrict_to_rated(compute_distances(rated, ROUGE), rated, found)
    like_people = replace(
        matched,
        blocks=tuple(
            replace(block, gold=human.gold, systems=human.systems)
            for block, human in zip(matched.blocks, people.table.blocks, strict=True)
        ),
    )
    again = score_contributions(like_people, people.options)
    np.testing.assert_array_equal(again.perseval, people.contributions.perseval)
    beta = people.options.penalty.beta
    (at_beta,) = score_betas(people.table, betas=[beta], options=people.options).values()
    np.testing.assert_array_equal(at_beta.perseval, people.contributions.perseval)


@pytest.mark.parametrize("readers", EDP_READERS)
def test_scores_of_pairs_have_the_penalty_of_their_documents(survey, readers):
    """With DEGRESS of 1 everywhere, PerSEval of a document is the mean penalty of its readers."""
    corpus, _, found = survey
    people = score_humans(corpus, found, ROUGE, options=with_readers(readers))
    alike = replace(
        people.table,
        blocks=tuple(
            replace(
                block,
                systems=np.where(np.isfinite(block.systems), block.gold, np.nan),
                systems_document=None,
                gold_document=None,
            )
            for block in people.table.blocks
        ),
    )
    pairs, whole = score_pairs(alike, people.options), score_contributions(alike, people.options)
    for row in range(len(pairs.systems)):
        for document in np.flatnonzero(whole.pairs[row] == 1):
            items = pairs.perseval[row, pairs.at == document]
            expected = whole.perseval[row, document]
            assert items[np.isfinite(items)].tolist() == [pytest.approx(expected, abs=1e-12)]


def test_a_whole_corpus_has_one_penalty(survey):
    corpus, _, _ = survey
    scores = [score_systems(corpus, ROUGE, options=with_readers(one)) for one in EDP_READERS]
    assert scores[0].records() == scores[1].records() == scores[2].records()
    assert "edp_readers" not in scores[0].records()[0]


def test_the_released_code_has_the_first_reader_alone():
    asked = {"measures": ["jsd"], "surrogates": ["jsd"]}
    for mode, readers in (("paper", "document"), ("kdm", "first")):
        assert ReportOptions(**asked, mode=mode).edp_readers == readers
        assert ScoreOptions().of_mode(mode).edp_readers == readers
        assert ReportOptions(**asked, mode=mode, edp_readers="rated").edp_readers == "rated"


def test_people_are_scored_by_the_readers_of_the_surrogates_mode(survey):
    corpus, _, divergences = survey
    for mode, readers in (("paper", "document"), ("kdm", "first")):
        surrogate = make_measure("rouge-l", mode=mode)
        found = score_humans(corpus, divergences, surrogate).records()
        assert (
            found
            == score_humans(
                corpus, divergences, surrogate, options=ScoreOptions(edp_readers=readers)
            ).records()
        )
        assert {record["edp_readers"] for record in found} == {readers}


def test_another_word_is_refused():
    with pytest.raises(InputError, match="edp_readers is document, rated, first, not 'all'"):
        ScoreOptions(edp_readers="all")


def test_options_kept_before_there_was_a_choice_mean_the_rated_readers():
    options = ReportOptions(measures=["jsd"], surrogates=["jsd"])
    stored = {name: getattr(options, name) for name in ReportOptions.__slots__}
    assert ReportOptions.from_record(stored).score_options.edp_readers == "document"
    del stored["edp_readers"]
    assert ReportOptions.from_record(stored).score_options.edp_readers == "rated"


def test_human_scores_with_other_penalties_are_not_set_side_by_side():
    records = [{"edp_readers": "document"}, {"edp_readers": "rated"}]
    with pytest.raises(InputError, match="edp_readers is document in human scores, rated in human scores"):
        shared_settings({"human scores": records})
