"""Documents are added while raters claim and submit: nobody is disturbed, no number is given twice."""

import pytest

from survey_site.batches.extending import add_documents
from survey_site.batches.services import close_batch
from survey_site.quality.freezing import freeze_batch, is_intact
from survey_site.survey.models import Assignment
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.snapshots import describe_snapshot
from tests.factories.survey import answers_for, make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db(transaction=True)


def test_claims_go_on_while_documents_are_added(in_threads):
    batch = make_batch(corpus=make_corpus(documents=9), documents=3, raters=2)
    held = make_assignment(batch)
    answers = answers_for(held)
    newcomers = [make_rater(batch) for _ in range(4)]
    results = in_threads(
        lambda: add_documents(batch=batch, documents=2, now=NOW),
        lambda: add_documents(batch=batch, documents=3, now=NOW),
        lambda: submit_questionnaire(assignment=held, answers=answers, now=NOW),
        *[lambda rater=rater: claim_questionnaire(rater=rater, now=NOW) for rater in newcomers],
    )
    assert [one for one in results if isinstance(one, Exception)] == []
    numbers = list(batch.questionnaires.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, 9))
    assert batch.questionnaires.values("document").distinct().count() == 8
    batch.refresh_from_db()
    assert batch.documents == 8
    assert Assignment.objects.filter(state="open").count() == 4
    held.refresh_from_db()
    assert held.state == "submitted"


def test_an_answer_on_its_way_is_in_the_snapshot_or_surplus(in_threads):
    batch = make_batch(corpus=make_corpus(documents=4), raters=2)
    submit_all(make_assignment(batch))
    held = [make_assignment(batch) for _ in range(4)]
    answers = {one.pk: answers_for(one) for one in held}
    close_batch(batch=batch, now=NOW)
    results = in_threads(
        lambda: freeze_batch(batch=batch, clock=lambda: NOW),
        *[
            lambda one=one: submit_questionnaire(assignment=one, answers=answers[one.pk], now=NOW)
            for one in held
        ],
    )
    assert [one for one in results if isinstance(one, Exception)] == []
    snapshot = results[0]
    frozen = {row["rater"] for row in describe_snapshot(snapshot)["ratings"]}
    counted = Assignment.objects.filter(state="submitted").values_list("rater__code", flat=True)
    assert frozen == set(counted)
    assert Assignment.objects.filter(state__in=["submitted", "surplus"]).count() == 5
    assert is_intact(snapshot)
