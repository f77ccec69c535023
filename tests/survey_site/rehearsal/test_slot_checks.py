"""Places: each planted fault is found, where it is, and nothing is found where none is."""

from contextlib import contextmanager

import pytest
from django.db import connection

from survey_site.batches.models import Questionnaire
from survey_site.rehearsal.logbook import Exchange
from survey_site.survey.models import Assignment, AssignmentItem, Rating, RatingHistory
from tests.factories.batches import make_batch
from tests.factories.survey import make_assignment
from tests.survey_site.rehearsal.story import LATER, Story, tell_story

pytestmark = pytest.mark.django_db


@contextmanager
def unguarded(name):
    """The schema without one constraint: what the checks would meet if it were not there."""
    options = Assignment._meta
    all_of_them, constraint = (
        options.constraints,
        next(one for one in options.constraints if one.name == name),
    )
    options.constraints = [one for one in all_of_them if one is not constraint]
    with connection.schema_editor() as editor:
        editor.remove_constraint(Assignment, constraint)
    try:
        yield
    finally:
        for table in (RatingHistory, Rating, AssignmentItem, Assignment):
            table.objects.all().delete()
        options.constraints = all_of_them
        with connection.schema_editor() as editor:
            editor.add_constraint(Assignment, constraint)


def assignment_of(story, number):
    return Assignment.objects.filter(rater=story.raters[number])


def test_nothing_is_found_where_all_is_well():
    verdict = tell_story().check()
    assert verdict.violations == ()
    assert verdict.checked == {
        "cap": 1,
        "distinct": 3,
        "slots": 5,
        "claims": 6,
        "surplus": 1,
        "ratings": 9,
        "history": 9,
        "returns": 9,
        "requests": 3,
    }


def test_more_raters_than_places():
    story = tell_story()
    Questionnaire.objects.update(slots=1)
    assert (
        "[cap] 2 raters in the main analysis and 2 places taken, 1 wanted (questionnaire 1)"
        in story.violations()
    )


def test_a_place_taken_beside_those_in_the_main_analysis():
    story = tell_story()
    assignment_of(story, 3).update(state="open", slot=3, slots=3, submitted_at=None)
    found = story.violations()
    assert found[:2] == [
        "[cap] 2 raters in the main analysis and 3 places taken, 2 wanted (questionnaire 1)",
        "[slots] place 3 of 2 (questionnaire 1, rater rater 3)",
    ]


@pytest.mark.django_db(transaction=True)
def test_one_rater_twice_on_a_questionnaire():
    story = tell_story()
    with unguarded("assignment_rater_unique"):
        assignment_of(story, 2).update(rater=story.raters[1])
        assert story.violations() == ["[distinct] one rater has it 2 times (questionnaire 1, rater rater 1)"]


@pytest.mark.django_db(transaction=True)
def test_one_place_held_twice():
    story = tell_story()
    with unguarded("assignment_slot_unique"):
        assignment_of(story, 2).update(slot=assignment_of(story, 1).get().slot)
        assert story.violations() == ["[slots] place 1 is held 2 times (questionnaire 1)"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("number", "change", "fault"),
    [
        (1, {"slot": None}, "submitted, but without a place"),
        (3, {"slot": 2, "slots": 2}, "surplus, but holds place 2"),
    ],
)
def test_a_place_that_does_not_fit_the_state(number, change, fault):
    story = tell_story()
    assignment_of(story, 2).update(slot=None, state="expired", submitted_at=None)
    story.logbook.submitted.pop(assignment_of(story, 2).get().code)
    with unguarded("assignment_slot_matches_state"):
        assignment_of(story, number).update(**change)
        assert f"[slots] {fault} (questionnaire 1, rater rater {number})" in story.violations()


def test_a_claim_that_is_gone():
    story = tell_story()
    lost = assignment_of(story, 2).get()
    lost.delete()
    assert f"[claims] claim {lost.code} was handed out and is lost (rater rater 2)" in story.violations()


def test_a_claim_that_nobody_was_told_of():
    story = Story()
    hidden = make_assignment(story.batch)
    fault = f"[claims] claim {hidden.code} (open) was handed to nobody"
    assert f"{fault}, who was handed no other (questionnaire 1)" in story.violations()


def test_of_a_claim_that_nobody_was_told_of_it_is_said_whose_it_must_be():
    story = Story()
    told = story.claim(1)
    story.submit(told, 1, 2, 3)
    other = make_batch(corpus=story.batch.corpus)
    hidden = make_assignment(other)
    Assignment.objects.filter(pk=hidden.pk).update(rater=told.rater)
    Questionnaire.objects.filter(batch=other).update(batch=story.batch, number=2)
    story.logbook.exchanges.append(Exchange(1, "start", 3, 4, None, True))
    fault = f"[claims] claim {hidden.code} (open) was handed to nobody"
    known = "rater 1 was handed 1 more, and 1 of their 2 starts had no answer"
    assert f"{fault}; {known} (questionnaire 2)" in story.violations()


def test_a_claim_that_several_people_were_given():
    story = tell_story()
    code = assignment_of(story, 2).get().code
    story.logbook.add_claim(1, code)
    found = story.violations()
    assert (
        f"[claims] claim {code} was handed to several people (questionnaire 1, rater rater 1, rater 2)"
        in found
    )
    assert "[claims] the site took one person for 2 raters (rater rater 1)" in found


def test_a_submission_that_was_undone():
    story = tell_story()
    assignment_of(story, 2).update(state="open", submitted_at=None)
    code = assignment_of(story, 2).get().code
    assert story.violations() == [
        f"[claims] claim {code} was acknowledged as submitted and is open (questionnaire 1, rater rater 2)"
    ]


@pytest.mark.django_db(transaction=True)
def test_a_state_that_does_not_exist():
    story = tell_story()
    code = assignment_of(story, 3).get().code
    with unguarded("assignment_slot_matches_state"), unguarded("assignment_submitted_at_matches_state"):
        assignment_of(story, 3).update(state="limbo")
        assert story.violations() == [
            f"[claims] claim {code} is in the unknown state 'limbo' (questionnaire 1, rater rater 3)"
        ]


def test_surplus_where_a_place_was_free():
    story = tell_story()
    assignment_of(story, 2).update(state="surplus", slot=None)
    assert story.violations() == [
        "[surplus] surplus although at most 1 of 2 places were taken (questionnaire 1, rater rater 2)"
    ]


def test_surplus_where_the_place_was_claimed_only_after_the_rater_was_told():
    story = tell_story()
    told = story.logbook.submitted[assignment_of(story, 3).get().code]
    assignment_of(story, 2).update(claimed_at=told.replace(year=told.year + 1))
    assert story.violations() == [
        "[surplus] surplus although at most 1 of 2 places were taken (questionnaire 1, rater rater 3)"
    ]


def test_surplus_is_right_where_a_claim_that_expired_later_held_the_place():
    story = tell_story()
    story.logbook.submitted.pop(assignment_of(story, 2).get().code)
    assignment_of(story, 2).update(state="expired", slot=None, submitted_at=None, expires_at=LATER)
    assert story.violations() == []


def test_a_check_without_a_subject_has_not_held():
    story = Story()
    assert story.check().checked["distinct"] == 0
    assert "[distinct] there was nothing to check" in story.violations()
