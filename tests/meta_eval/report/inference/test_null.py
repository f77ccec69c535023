"""What raters add: random ratings answer nothing, whatever both sides share; sensible ones do."""

import io
import json

import numpy as np
import pytest

from meta_eval.corpus.documents import GOLD
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.design.plan import plan_survey, plannable_documents
from meta_eval.measures import make_measure
from meta_eval.publish.latex import escape_latex, latex_document, latex_tables
from meta_eval.publish.long_form import report_json
from meta_eval.publish.methods import methods_paragraph
from meta_eval.publish.pdf import write_pdf
from meta_eval.ratings.rating import Rating
from meta_eval.ratings.survey import rows_of_ratings, survey_of_ratings
from meta_eval.report.building import build_report
from meta_eval.report.options import InferenceOptions, ReportOptions
from tests.fixtures.make_golden import DEMO
from tests.meta_eval.publish.tagged import text_of

QUICK = InferenceOptions(
    resamples=40, splits=40, simulations=20, agreement_resamples=200, shuffles=199, seed=2
)


@pytest.fixture(scope="module")
def corpus():
    return read_jsonl(DEMO / "corpus.jsonl")


def rate_demo(corpus, judge, rng):
    """The demonstration's plan, rated by two raters a questionnaire; `judge` gives the ideal rating."""
    plan = plan_survey(plannable_documents(corpus), systems=corpus.systems, documents=20, seed=1)
    documents = {document.id: document for document in corpus.documents}
    ratings = []
    for number, page in enumerate(plan.questionnaires):
        for rater in range(2):
            for system in (GOLD, *page.systems):
                document = documents[page.document]
                texts = document.references if system == GOLD else document.summaries[system]
                level = judge(texts[page.reader_a], texts[page.reader_b]) + rng.normal(0.0, 0.6)
                value = int(np.clip(np.rint(level), 1, 6))
                pair = (page.document, system, page.reader_a, page.reader_b)
                ratings.append(Rating(*pair, f"p{number}-{rater}", value))
    return ratings


def report_on(corpus, ratings):
    survey = survey_of_ratings(rows_of_ratings(ratings), scale="similarity", systems=corpus.systems)
    options = ReportOptions(measures=["rouge-l", "bleu"], surrogates=["jsd"])
    return build_report(corpus, survey, options, inference=QUICK)


@pytest.fixture(scope="module")
def at_random(corpus):
    rng = np.random.default_rng(8)
    return report_on(corpus, rate_demo(corpus, lambda _a, _b: rng.integers(1, 7), rng))


@pytest.fixture(scope="module")
def sensible(corpus):
    overlap = make_measure("rouge-l")
    return report_on(
        corpus, rate_demo(corpus, lambda a, b: 1.0 + 5.0 * (1.0 - overlap(a, b)), np.random.default_rng(3))
    )


def row_of(report, kind, measure="bleu"):
    (row,) = [
        row
        for row in report.correlations
        if (row.automatic, row.measure, row.coefficient) == (kind, measure, "kendall")
    ]
    return row


def test_random_ratings_answer_nothing_though_perseval_is_beyond_chance(at_random):
    answer = at_random.answer
    assert (answer.claimed, answer.answerable) == (False, False)
    assert [reason.what for reason in answer.reasons] == ["agreement", "shuffled"]
    assert answer.headline.startswith(
        "These ratings cannot answer it yet: two raters of a pair may agree no more than by chance "
        "(Krippendorff's alpha "
    )
    row = row_of(at_random, "perseval")
    assert row.is_significant(0.05)
    assert (row.null_mean > 0.7, row.p_raters > 0.05, row.penalty_share > 0.5) == (True, True, True)
    assert (row.shared, row_of(at_random, "degress").shared) == ("penalty", None)


def test_every_form_says_first_that_random_ratings_carry_no_answer(at_random):
    answer = at_random.answer
    record = json.loads(report_json(at_random))["answer"]
    assert (record["answerable"], record["reasons"]) == (
        False,
        [{"what": reason.what, "why": reason.why} for reason in answer.reasons],
    )
    stream = io.BytesIO()
    write_pdf(stream, at_random)
    written = text_of(stream.getvalue(), 1)
    assert f"Answer {answer.headline}" in written
    assert f"An answer: cannot be carried, for {len(answer.reasons)} reasons" in written
    document = latex_document(at_random)
    headline = escape_latex(answer.headline)
    assert document.index(headline) < document.index("DEGRESS by")
    assert latex_tables(at_random).count(headline) == 3  # each score's table of coefficients
    assert f"The ratings carry no answer: {answer.reasons[0].why}." in methods_paragraph(at_random)


def test_sensible_ratings_name_a_measure(sensible):
    assert (sensible.answer.claimed, sensible.answer.answerable) == (True, True)
    assert "DEGRESS by ROUGE-L" in sensible.answer.headline
    assert "cannot answer" not in latex_tables(sensible)
    assert "carry no answer" not in methods_paragraph(sensible)
    row = row_of(sensible, "degress", "rouge-l")
    assert (row.p_raters <= 0.02, row.p_raters_method, row.shuffles) == (True, "shuffled", 199)
    assert row.null_mean < row.null_high < row.estimate


def test_a_ceiling_is_that_of_raters_who_agree(at_random, sensible):
    assert {row.ceiling for row in at_random.correlations} == {None}
    assert {entry.ceiling for entry in at_random.answer.ranking} == {None}
    assert row_of(sensible, "perseval").ceiling > 0.7


def test_what_is_shared_and_given_is_said_of_perseval_alone(sensible):
    for row in sensible.correlations:
        assert (row.penalty_share is not None) == (row.automatic == "perseval")
        assert row.null_reason is None
    given = [row.given_penalty for row in sensible.correlations if row.coefficient == "pearson"]
    assert [value is not None for value in given] == [False] * 4 + [True] * 2
    bare = sensible.inference.bare
    assert {(row.shared, row.penalty_share) for row in bare} == {(None, None)}
    assert all(row.p_raters is not None for row in (*bare, *sensible.inference.matched))
