"""Systems with the same texts are named, and count once; a system of the readers' own texts is named."""

from dataclasses import replace

import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.ratings.rating import Rating
from meta_eval.ratings.survey import rows_of_ratings, survey_of_ratings
from meta_eval.report.building import build_report
from meta_eval.report.options import InferenceOptions, ReportOptions
from meta_eval.report.same_texts import SameTexts, find_same_texts
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus, rate_all

QUICK = InferenceOptions(resamples=60, splits=4, simulations=4, agreement_resamples=60, shuffles=20, seed=3)
OPTIONS = ReportOptions(measures=("jsd", "bleu"), surrogates=("jsd",))
RATED = 6


def corpus_with(**copies):
    """The systems one, two, three, and under another name the texts of any, or the readers' ("user")."""
    documents = []
    for number, document in enumerate(make_corpus(11, documents=8).documents):
        written = {"user": document.references, **document.summaries}
        more = {name: written[copied] for name, copied in copies.items()}
        if number >= RATED:  # of nobody's rated pairs
            more = {
                name: {reader: f"{text} more" for reader, text in texts.items()}
                if name.startswith("rated_")
                else texts
                for name, texts in more.items()
            }
        documents.append(replace(document, summaries={**document.summaries, **more}))
    return Corpus(tuple(documents))


def ratings_of(corpus):
    return rate_all(Corpus(corpus.documents[:RATED]), 5)


def report_on(corpus, ratings, **options):
    survey = survey_of_ratings(rows_of_ratings(ratings), scale="similarity", systems=corpus.systems)
    return build_report(corpus, survey, OPTIONS, inference=replace(QUICK, **options))


@pytest.mark.parametrize(
    ("copies", "found"),
    [
        ({}, []),
        ({"a": "one"}, [SameTexts(("a", "one"))]),
        ({"a": "one", "b": "one", "c": "two"}, [SameTexts(("a", "b", "one")), SameTexts(("c", "two"))]),
        ({"a": "user"}, [SameTexts(("a",), own=True)]),
        ({"a": "user", "b": "user"}, [SameTexts(("a", "b"), own=True)]),
        ({"rated_a": "one"}, [SameTexts(("one", "rated_a"), rated_only=True)]),
        ({"rated_a": "user"}, [SameTexts(("rated_a",), own=True, rated_only=True)]),
    ],
)
def test_systems_of_the_same_texts_are_found(copies, found):
    corpus = corpus_with(**copies)
    ratings = ratings_of(corpus)
    assert list(find_same_texts(corpus, ratings, corpus.systems)) == found
    backwards = Corpus(corpus.documents[::-1])
    assert list(find_same_texts(backwards, ratings[::-1], corpus.systems[::-1])) == found


def test_the_system_with_most_ratings_counts():
    corpus = corpus_with(a="one")
    more = [*ratings_of(corpus), Rating("d0", "one", "r1", "r2", "late", 3)]
    assert find_same_texts(corpus, more, corpus.systems) == (SameTexts(("one", "a")),)
    assert find_same_texts(corpus, more, ["a", "two", "three"]) == ()


@pytest.fixture(scope="module")
def without():
    corpus = corpus_with()
    return ratings_of(corpus), report_on(corpus, ratings_of(corpus))


@pytest.mark.parametrize("resampled", ["documents", "documents and systems"])
def test_a_copy_changes_no_coefficient_interval_or_p(without, resampled):
    ratings, alone = without
    if resampled != "documents":
        alone = report_on(corpus_with(), ratings, resampled=resampled)
    copied = [replace(one, system="zz") for one in ratings if one.system == "one"]
    report = report_on(corpus_with(zz="one"), [*ratings, *copied], resampled=resampled)
    assert {row.n for row in report.correlations} == {3}
    assert report.correlations == alone.correlations
    for part in ("matched", "ranking", "comparisons", "levels", "stability", "left_out_systems"):
        assert getattr(report.inference, part) == getattr(alone.inference, part), part
    assert {row.system for row in report.leaderboard} == {"one", "two", "three", "zz"}
    (said,) = [note for note in report.notes if "zz" in note]
    assert said in report.answer.cautions
    assert not any("zz" in note for note in alone.notes)


def test_a_copy_of_rated_texts_alone_counts_once_over_rated_pairs():
    corpus = corpus_with(rated_a="one")
    report = report_on(corpus, ratings_of(corpus))
    assert {row.n for row in report.correlations} == {4}
    assert {row.n for row in report.inference.matched} == {3}
    assert any("rated_a" in note for note in report.notes)


def test_a_system_of_the_readers_own_texts_is_named_and_counts():
    corpus = corpus_with(copy="user")
    report = report_on(corpus, ratings_of(corpus))
    assert {row.n for row in report.correlations} == {4}
    (said,) = [note for note in report.notes if "copy" in note]
    assert said in report.answer.cautions
