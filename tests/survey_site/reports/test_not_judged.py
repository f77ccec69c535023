"""What reports and snapshots say of pairs that raters could not judge."""

import pytest

from meta_eval.publish.methods import methods_paragraph
from survey_site.batches.services import close_batch
from survey_site.quality.freezing import freeze_batch
from survey_site.quality.models import Snapshot
from survey_site.reports.queries import survey_facts
from survey_site.scoring.adapters import ratings_of
from survey_site.scoring.rating_sets import record_ratings
from survey_site.survey.rating.marked import describe_marks
from survey_site.survey.rating.validators import CannotJudge
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.reports import make_report
from tests.factories.survey import make_assignment, submit_marked

pytestmark = pytest.mark.django_db
UNCLEAR, TABLES = CannotJudge("unclear"), CannotJudge("other", "tables, not texts")


@pytest.fixture
def given_up():
    """Two raters could not judge the gold pair, a third one not the last pair either."""
    batch = make_batch(corpus=make_corpus(documents=1), raters=2)
    for marks in ({0: UNCLEAR}, {0: TABLES, 2: UNCLEAR}, {0: UNCLEAR}):
        submit_marked(make_assignment(batch), marks)
    return batch


def test_the_report_counts_what_could_not_be_judged_and_says_why(given_up):
    facts = survey_facts(given_up, ratings_of(record_ratings(batch=given_up, now=NOW)))
    assert facts["counts"]["pairs_not_judged"] == 1
    assert facts["counts"]["marked_questionnaires"] == 1
    assert facts["marks"] == [
        "3 raters said 4 times that they could not judge a pair (I do not understand it: 3, Another reason: "
        "1). 1 pair was given up, since 2 raters could not judge it, and lacks ratings. The ratings of 1 "
        "questionnaire do not count, because its rater could not judge a pair that was not given up."
    ]
    assert facts["ratings"]["completions"] == 2


def test_a_snapshot_keeps_the_ratings_and_the_sentence(given_up):
    sentence = describe_marks(given_up)
    close_batch(batch=given_up, now=NOW)
    snapshot = freeze_batch(batch=given_up, clock=lambda: NOW)
    assert (snapshot.head["marks"], snapshot.head["questionnaires"]["marked"]) == (sentence, 1)
    assert (snapshot.counted, snapshot.total) == (4, 5)


def test_what_comes_after_the_freeze_changes_no_account_of_marks():
    batch = make_batch(corpus=make_corpus(documents=1), raters=2)
    late = make_assignment(batch)
    for _ in range(2):
        submit_marked(make_assignment(batch), {0: UNCLEAR})
    close_batch(batch=batch, now=NOW)
    freeze_batch(batch=batch, clock=lambda: NOW)
    ratings = record_ratings(batch=batch, now=NOW)
    before = survey_facts(batch, ratings_of(ratings))
    submit_marked(late, {0: UNCLEAR})
    after = survey_facts(batch, ratings_of(ratings))
    assert describe_marks(batch) != before["marks"]
    assert (after["counts"], after["marks"]) == (before["counts"], before["marks"])


def test_a_snapshot_from_before_there_were_marks_counts_none_of_them(given_up):
    close_batch(batch=given_up, now=NOW)
    snapshot = freeze_batch(batch=given_up, clock=lambda: NOW)
    ratings = record_ratings(batch=given_up, now=NOW)
    whole = survey_facts(given_up, ratings_of(ratings))["counts"]
    older = {key: value for key, value in snapshot.head.items() if key not in {"marks", "pairs_not_judged"}}
    del older["questionnaires"]["marked"]
    Snapshot.objects.filter(pk=snapshot.pk).update(head=older)
    found = survey_facts(given_up, ratings_of(ratings))["counts"]
    assert whole.keys() - found.keys() == {"pairs_not_judged", "marked_questionnaires"}
    assert found == {what: whole[what] for what in found}


def test_a_report_says_it_in_its_notes_its_counts_and_its_methods(given_up):
    result = make_report(batch=given_up).read()
    assert describe_marks(given_up)[0] in result.notes
    counts = {row.what: row.count for row in result.left_out}
    assert (counts["pairs_not_judged"], counts["marked_questionnaires"]) == (1, 1)
    assert "1 was not rated. Raters could not judge 1 pair, which was given up." in methods_paragraph(result)
