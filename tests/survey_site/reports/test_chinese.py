"""A Chinese study from its file to its report: what people answer and what the texts give."""

from io import BytesIO

import pytest

from meta_eval.corpus.jsonl import read_jsonl
from survey_site.corpus.services import import_corpus
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.reports import make_report
from tests.factories.survey import make_rater
from tests.meta_eval.chinese import chinese_lines

pytestmark = pytest.mark.django_db
ANSWERS = {None: 2, "copycat": 2, "every-second": 3, "fixed": 6}
"""How alike every rater finds the two texts of a pair, by system; None is the gold pair."""


def rated_batch():
    values = read_jsonl(BytesIO(chinese_lines().encode()), name="corpus.jsonl")
    corpus = import_corpus(corpus=values, name="人权", source="corpus.jsonl", now=NOW).corpus
    batch = make_batch(corpus=corpus, systems_per_questionnaire=3, raters=2)
    for _ in range(batch.questionnaires.count() * batch.raters):
        assignment = claim_questionnaire(rater=make_rater(batch), now=NOW)
        systems = assignment.placements.values_list("code", "item__system__name")
        answers = {code: ANSWERS[system] for code, system in systems}
        submit_questionnaire(assignment=assignment, answers=answers, now=NOW)
    return batch


def test_ratings_of_chinese_texts_rank_the_copycat_above_a_fixed_text():
    report = make_report(batch=rated_batch(), measures=["jsd", "rouge-l"], surrogates=["rouge-l"])
    board = report.result["leaderboard"]
    for score, measure in (("degress", "jsd"), ("degress", "rouge-l"), ("degress_hj", "rouge-l")):
        ranked = sorted(
            (row for row in board if (row["score"], row["measure"]) == (score, measure)),
            key=lambda row: row["rank"],
        )
        assert [row["system"] for row in ranked] == ["copycat", "every-second", "fixed"]
    assert {row["signature"]["tokenizer"] for row in report.result["signatures"]} == {"unicode"}


def test_a_measure_that_sees_no_chinese_is_named_and_not_scored():
    asked = {"measures": ["jsd", "rouge-l:tokeniser=rouge-score"], "surrogates": ["jsd"]}
    report = make_report(batch=rated_batch(), **asked)
    (failure,) = report.result["failures"]
    assert failure["measure"] == "rouge-l:tokeniser=rouge-score"
    assert "tokeniser" in failure["reason"]
