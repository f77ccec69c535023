"""Answers that arrive at the same moment: each is kept, the state is one of the defined ones."""

from datetime import timedelta
from functools import partial

import pytest

from survey_site.batches.models import Questionnaire
from survey_site.batches.services import launch_batch
from survey_site.survey.models import Assignment, Rater, Rating, RatingHistory
from survey_site.survey.people.joining import join_batch
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, save_rating

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_double_click_on_submit_stores_one_rating_an_item(in_threads):
    held = make_assignment(make_batch())
    answers = answers_for(held, 5)
    results = in_threads(
        *[lambda: submit_questionnaire(assignment=held, answers=answers, now=NOW) for _ in range(4)]
    )
    assert [one.assignment.state for one in results] == ["submitted"] * 4
    assert list(Rating.objects.values_list("value", flat=True)) == [5, 5, 5]
    assert RatingHistory.objects.count() == 3


def test_different_answers_to_one_item_are_all_in_the_history(in_threads):
    held = make_assignment(make_batch())
    code = next(iter(answers_for(held)))
    in_threads(
        *[
            lambda value=value: save_rating(assignment=held, code=code, value=value, now=NOW)
            for value in range(1, 7)
        ]
    )
    values = list(RatingHistory.objects.values_list("value", flat=True))
    assert sorted(values) == [1, 2, 3, 4, 5, 6]
    assert Rating.objects.get().value == values[-1]


def test_the_same_first_answer_twice_is_one_rating(in_threads):
    held = make_assignment(make_batch())
    code = next(iter(answers_for(held)))
    results = in_threads(
        *[lambda: save_rating(assignment=held, code=code, value=3, now=NOW) for _ in range(4)]
    )
    assert {one.pk for one in results} == {Rating.objects.get().pk}
    assert RatingHistory.objects.count() == 1


def test_a_late_submission_races_the_rater_who_takes_the_place(in_threads):
    """Whoever comes first, one of them holds the place, and the late answers are stored."""
    batch = make_batch(corpus=make_corpus(documents=1), raters=1)
    late, newcomer = make_assignment(batch), make_rater(batch)
    later = NOW + timedelta(hours=2)
    submission, claim = in_threads(
        lambda: submit_questionnaire(assignment=late, answers=answers_for(late, 2), now=later),
        lambda: claim_questionnaire(rater=newcomer, now=later),
    )
    outcome = (submission.assignment.state, claim and claim.state)
    assert outcome in {("submitted", None), ("surplus", "open")}
    assert list(Rating.objects.values_list("value", flat=True)) == [2, 2, 2]
    assert Assignment.objects.filter(slot=1).count() == 1


def test_joining_at_once_with_one_key_is_one_rater(in_threads):
    batch = make_batch()
    join = partial(join_batch, batch=batch, secret="same", consent=1, now=NOW)
    results = in_threads(*[join for _ in range(4)])
    assert {one.pk for one in results} == {Rater.objects.get().pk}


def test_launching_at_once_stores_one_plan(in_threads):
    draft = make_batch(launched=False)
    results = in_threads(*[lambda: launch_batch(batch=draft, now=NOW) for _ in range(3)])
    assert [one.status for one in results] == ["live"] * 3
    assert Questionnaire.objects.count() == 2
