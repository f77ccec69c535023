"""Withdrawing at the same moment as answering, claiming or withdrawing: nothing of the person remains."""

import pytest

from survey_site.common.errors import GoneError
from survey_site.survey.models import Assignment, Rating, RatingHistory
from survey_site.survey.rating.leaving import stop_rating, withdraw_rater
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, save_rating, submit_all

pytestmark = pytest.mark.django_db(transaction=True)


def unexpected(results):
    return [one for one in results if isinstance(one, Exception) and not isinstance(one, GoneError)]


def test_answers_on_their_way_are_gone_too(in_threads):
    held = make_assignment(make_batch())
    answers = answers_for(held)
    results = in_threads(
        lambda: withdraw_rater(rater=held.rater, now=NOW),
        *[lambda code=code: save_rating(assignment=held, code=code, value=3, now=NOW) for code in answers],
        lambda: submit_questionnaire(assignment=held, answers=answers, now=NOW),
        lambda: withdraw_rater(rater=held.rater, now=NOW),
    )
    assert unexpected(results) == []
    assert (Rating.objects.count(), RatingHistory.objects.count()) == (0, 0)
    assert list(Assignment.objects.values_list("state", "slot")) == [("withdrawn", None)]


def test_a_claim_at_the_same_moment_leaves_no_open_place(in_threads):
    batch = make_batch(corpus=make_corpus(documents=4))
    rater = make_rater(batch)
    results = in_threads(
        *[lambda: claim_questionnaire(rater=rater, now=NOW)] * 2, lambda: withdraw_rater(rater=rater, now=NOW)
    )
    assert unexpected(results) == []
    assert Assignment.objects.exclude(state="withdrawn").count() == 0


def test_people_who_withdraw_from_the_same_questionnaires_do_not_block_each_other(in_threads):
    batch = make_batch(corpus=make_corpus(documents=3), raters=4)
    raters = [make_rater(batch) for _ in range(4)]
    for rater in raters:
        while held := claim_questionnaire(rater=rater, now=NOW):
            submit_all(held)
    newcomers = [make_rater(batch) for _ in range(3)]
    results = in_threads(
        *[lambda rater=rater: withdraw_rater(rater=rater, now=NOW) for rater in raters],
        *[lambda rater=rater: claim_questionnaire(rater=rater, now=NOW) for rater in newcomers],
        *[lambda rater=rater: stop_rating(rater=rater) for rater in newcomers],
    )
    assert unexpected(results) == []
    assert Rating.objects.count() == 0
    assert Assignment.objects.filter(state="withdrawn", slot=None).count() == 12
