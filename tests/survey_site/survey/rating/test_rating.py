"""Answers: stored at once, kept when changed, never lost."""

from datetime import timedelta

import pytest

from survey_site.batches.services import close_batch
from survey_site.common.errors import ConflictError, InvalidInputError, NotFoundError
from survey_site.survey.models import Rating, RatingHistory
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, save_rating, submit_all

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def only_slot():
    """A batch with a single place."""
    return make_batch(corpus=make_corpus(documents=1), raters=1)


def values(assignment):
    return sorted(
        Rating.objects.filter(assignment_item__assignment=assignment).values_list("value", flat=True)
    )


def history(code):
    return list(RatingHistory.objects.filter(assignment_item__code=code).values_list("value", flat=True))


def expire(assignment, batch):
    """Let another rater take the place; gives their assignment."""
    return make_assignment(batch, now=NOW + 2 * HOUR)


def test_a_changed_answer_replaces_the_old_one_and_both_are_remembered():
    held = make_assignment(make_batch())
    code = next(iter(answers_for(held)))
    for minute, value in enumerate([2, 5, 5]):
        save_rating(assignment=held, code=code, value=value, now=NOW + timedelta(minutes=minute))
    rating = Rating.objects.get(assignment_item__code=code)
    assert (rating.value, rating.created_at) == (5, NOW)
    assert rating.updated_at == NOW + timedelta(minutes=1)
    assert history(code) == [2, 5]


@pytest.mark.parametrize("value", [0, 7, -1, "", "six", "1.0", " 3", "٣", None, True, 3.0, [3]])
def test_a_value_off_the_scale_is_refused(value):
    held = make_assignment(make_batch())
    with pytest.raises(InvalidInputError):
        save_rating(assignment=held, code=next(iter(answers_for(held))), value=value, now=NOW)
    assert Rating.objects.count() == 0


def test_an_item_of_another_questionnaire_is_refused_and_nothing_is_saved():
    batch = make_batch()
    held, other = make_assignment(batch), make_assignment(batch)
    answers = answers_for(held) | answers_for(other)
    with pytest.raises(NotFoundError):
        submit_questionnaire(assignment=held, answers=answers, now=NOW)
    assert Rating.objects.count() == 0


def test_submitting_with_a_missing_item_keeps_the_answers_and_names_the_item():
    held = make_assignment(make_batch())
    first, second, third = held.placements.all()
    submission = submit_questionnaire(assignment=held, answers={first.code: 1, third.code: 6}, now=NOW)
    assert (submission.missing, submission.assignment.state) == ((second.position,), "open")
    assert values(held) == [1, 6]
    completed = submit_questionnaire(assignment=held, answers={second.code: 3}, now=NOW)
    assert (completed.missing, completed.assignment.state) == ((), "submitted")
    assert values(held) == [1, 3, 6]


def test_submitting_twice_changes_nothing():
    done = submit_all(make_assignment(make_batch()), value=4)
    again = submit_all(done, value=4, now=NOW + HOUR)
    assert (again.state, again.slot, again.submitted_at) == ("submitted", 1, NOW)
    assert RatingHistory.objects.count() == Rating.objects.count() == 3


def test_a_submitted_questionnaire_can_be_corrected_while_the_batch_is_live():
    done = submit_all(make_assignment(make_batch()), value=4)
    code = next(iter(answers_for(done)))
    save_rating(assignment=done, code=code, value=1, now=NOW + HOUR)
    done.refresh_from_db()
    assert (values(done), history(code), done.state) == ([1, 4, 4], [4, 1], "submitted")


def test_after_the_batch_is_closed_submitted_answers_stand():
    done = submit_all(make_assignment(make_batch()), value=4)
    close_batch(batch=done.rater.batch, now=NOW)
    code = next(iter(answers_for(done)))
    with pytest.raises(ConflictError):
        save_rating(assignment=done, code=code, value=1, now=NOW)
    assert submit_all(done, value=4).state == "submitted"  # a repeated click is no change
    assert values(done) == [4, 4, 4]


def test_what_is_in_progress_when_the_batch_closes_is_still_stored():
    held = make_assignment(make_batch())
    close_batch(batch=held.rater.batch, now=NOW)
    assert submit_all(held).state == "submitted"


def test_a_late_submission_keeps_the_place_that_nobody_wanted(only_slot):
    held = make_assignment(only_slot)
    assert submit_all(held, now=NOW + 9 * HOUR).state == "submitted"


def test_a_late_submission_takes_a_free_place_back():
    batch = make_batch(corpus=make_corpus(documents=1), raters=2)
    first, _second = make_assignment(batch), make_assignment(batch)
    make_assignment(batch, now=NOW + 2 * HOUR)  # both claims are released, one place is taken
    first.refresh_from_db()
    assert first.state == "expired"
    late = submit_all(first, now=NOW + 2 * HOUR)
    assert (late.state, late.slot) == ("submitted", 2)


def test_a_late_submission_without_a_place_is_kept_as_surplus(only_slot):
    lost = make_assignment(only_slot)
    expire(lost, only_slot)
    late = submit_all(lost, value=2, now=NOW + 2 * HOUR)
    assert (late.state, late.slot, late.submitted_at) == ("surplus", None, NOW + 2 * HOUR)
    assert values(late) == [2, 2, 2]


def test_finished_work_takes_the_place_of_a_stale_claim(only_slot):
    lost = make_assignment(only_slot)
    thief = expire(lost, only_slot)
    late = submit_all(lost, now=NOW + 4 * HOUR)
    thief.refresh_from_db()
    assert (late.state, thief.state) == ("submitted", "expired")


def test_surplus_stays_surplus_when_submitted_again(only_slot):
    lost = make_assignment(only_slot)
    expire(lost, only_slot)
    submit_all(lost, value=2, now=NOW + 2 * HOUR)
    again = submit_all(lost, value=3, now=NOW + 9 * HOUR)
    assert (again.state, again.submitted_at) == ("surplus", NOW + 2 * HOUR)
    assert values(again) == [3, 3, 3]


def test_an_answer_to_an_expired_questionnaire_is_stored(only_slot):
    lost = make_assignment(only_slot)
    expire(lost, only_slot)
    save_rating(assignment=lost, code=next(iter(answers_for(lost))), value=5, now=NOW + 2 * HOUR)
    lost.refresh_from_db()
    assert (values(lost), lost.state) == ([5], "expired")


def test_an_answer_to_an_expired_questionnaire_takes_a_free_place_back():
    batch = make_batch(corpus=make_corpus(documents=1), raters=2)
    first, _second = make_assignment(batch), make_assignment(batch)
    make_assignment(batch, now=NOW + 2 * HOUR)
    save_rating(assignment=first, code=next(iter(answers_for(first))), value=5, now=NOW + 2 * HOUR)
    first.refresh_from_db()
    assert (first.state, first.slot, first.expires_at) == ("open", 2, NOW + 3 * HOUR)


def test_an_expired_questionnaire_is_not_reopened_beside_another_open_one():
    batch = make_batch(corpus=make_corpus(documents=2), raters=1)
    rater = make_rater(batch)
    lost = make_assignment(batch, rater=rater)
    expire(lost, batch)
    other = claim_questionnaire(rater=rater, now=NOW + 2 * HOUR)
    lost.questionnaire.assignments.exclude(pk=lost.pk).delete()  # the place is free again
    save_rating(assignment=lost, code=next(iter(answers_for(lost))), value=5, now=NOW + 2 * HOUR)
    lost.refresh_from_db()
    assert (lost.state, other.state) == ("expired", "open")
