"""Answers: what was acknowledged must stand, in order, in the database and on the page."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey_site.rehearsal.answer_checks import admissible_values, missing_in_history
from survey_site.rehearsal.logbook import Exchange, Return, Write
from survey_site.survey.models import Assignment, AssignmentItem, Rating, RatingHistory
from tests.factories.batches import NOW
from tests.factories.survey import save_rating
from tests.survey_site.rehearsal.story import codes, tell_story

WHERE = "(questionnaire 1, rater rater 1, item 1)"


def acknowledged(value, sent, ended):
    return Write(value, sent, ended, acknowledged=True)


def unanswered(value, sent, ended):
    return Write(value, sent, ended)


@pytest.mark.parametrize(
    ("writes", "allowed"),
    [
        ([], {None}),
        ([acknowledged(3, 0, 1)], {3}),
        ([acknowledged(3, 0, 1), acknowledged(5, 2, 3)], {5}),
        ([acknowledged(3, 0, 2), acknowledged(5, 1, 3)], {3, 5}),
        ([unanswered(3, 0, 1)], {3, None}),
        ([acknowledged(3, 0, 1), unanswered(5, 2, 3)], {3, 5}),
        ([unanswered(3, 0, 1), acknowledged(5, 2, 3)], {5}),
        ([unanswered(3, 0, 2), acknowledged(5, 1, 3)], {3, 5}),
    ],
)
def test_what_may_stand(writes, allowed):
    assert admissible_values(writes) == allowed


@pytest.mark.parametrize(
    ("writes", "history", "lost"),
    [
        ([acknowledged(3, 0, 1), acknowledged(5, 2, 3)], [3, 5], None),
        ([acknowledged(3, 0, 1), acknowledged(5, 2, 3)], [5], 3),
        ([acknowledged(3, 0, 1), acknowledged(5, 2, 3)], [5, 3], 5),
        ([acknowledged(3, 0, 2), acknowledged(5, 1, 3)], [5, 3], None),
        ([acknowledged(3, 0, 1), acknowledged(3, 2, 3)], [3], None),
        ([acknowledged(3, 0, 1), acknowledged(5, 2, 3), acknowledged(3, 4, 5)], [3, 5], 3),
        ([acknowledged(3, 0, 1), unanswered(5, 2, 3)], [3], None),
    ],
)
def test_what_the_history_must_hold(writes, history, lost):
    found = missing_in_history(writes, history)
    assert (found and found.value) == lost


@given(st.data())
def test_a_register_that_keeps_every_answer_is_never_accused(data):
    """Writes take effect one after the other at times 0, 1, ...; each is under way around its time."""
    steps = data.draw(st.lists(st.tuples(st.integers(1, 3), st.floats(0, 3), st.floats(0, 3), st.booleans())))
    writes, history = [], []
    for at, (value, before, after, heard) in enumerate(steps):
        writes.append(Write(value, at - before, at + after, acknowledged=heard))
        if history[-1:] != [value]:
            history.append(value)
    assert missing_in_history(writes, history) is None
    assert (history[-1] if history else None) in admissible_values(writes)


@pytest.fixture
def story(db):
    return tell_story()


@pytest.fixture
def item(story):
    """The code of the first rater's first item, rated 1 and then 4."""
    return codes(Assignment.objects.get(rater=story.raters[1]))[0]


def of(item):
    return {"assignment_item__code": item}


def test_a_rating_that_is_gone(story, item):
    Rating.objects.filter(**of(item)).delete()
    assert story.violations() == [
        f"[ratings] stored is None, it should be 4 {WHERE}",
        f"[history] [1, 4] does not end with the rating that stands, None {WHERE}",
    ]


def test_a_rating_that_fell_back_to_an_earlier_one(story, item):
    Rating.objects.filter(**of(item)).update(value=1)
    assert f"[ratings] stored is 1, it should be 4 {WHERE}" in story.violations()


def test_an_answer_that_was_given_up_and_overtakes_a_later_one(story, item):
    assignment = Assignment.objects.get(rater=story.raters[1])
    story.logbook.writes[assignment.code, item].insert(0, unanswered(2, 0, 1))
    save_rating(assignment=assignment, code=item, value=2, now=NOW)
    assert [one for one in story.violations() if "ratings" in one] == [
        f"[ratings] stored is 2, it should be 4 {WHERE}"
    ]


def test_a_rating_that_nobody_gave(story, item):
    story.logbook.writes.pop((Assignment.objects.get(rater=story.raters[1]).code, item))
    assert story.violations() == [
        f"[ratings] stored is 4, it should be none {WHERE}",
        f"[history] [1, 4] in [1, 4] was given more often than it was sent {WHERE}",
        f"[returns] the page shows 4, it should be none {WHERE}",
    ]


def test_an_item_that_is_gone(story, item):
    AssignmentItem.objects.filter(code=item).delete()
    assert [one.split(" (")[0] for one in story.violations()] == [
        "[ratings] stored is None, it should be 4",
        "[history] the acknowledged 1 is missing in []",
    ]


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ([4], "the acknowledged 1 is missing in [4]"),
        ([4, 1], "the acknowledged 4 is missing in [4, 1]"),
        ([1, 6, 4], "[6] in [1, 6, 4] was given more often than it was sent"),
        ([1, 1, 1, 4], "[1] in [1, 1, 1, 4] was given more often than it was sent"),
    ],
)
def test_a_history_that_lacks_or_invents(story, item, values, fault):
    placement = AssignmentItem.objects.get(code=item)
    RatingHistory.objects.filter(assignment_item=placement).delete()
    for value in values:
        RatingHistory.objects.create(assignment_item=placement, value=value, recorded_at=NOW)
    assert f"[history] {fault} {WHERE}" in story.violations()


def test_a_history_that_ends_with_another_value_than_stands(story, item):
    code = Assignment.objects.get(rater=story.raters[1]).code
    story.logbook.writes[code, item].append(unanswered(6, time.monotonic(), time.monotonic()))
    Rating.objects.filter(**of(item)).update(value=6)
    assert story.violations() == [f"[history] [1, 4] does not end with the rating that stands, 6 {WHERE}"]


def test_a_page_that_shows_something_else(story, item):
    code = Assignment.objects.get(rater=story.raters[1]).code
    visit = next(one for one in story.logbook.returns if one.claim == code)
    story.logbook.returns.append(Return(1, code, {**visit.values, item: 5}))
    assert story.violations() == [f"[returns] the page shows 5, it should be 4 {WHERE}"]


def test_a_page_that_lacks_an_item(story, item):
    code = Assignment.objects.get(rater=story.raters[1]).code
    visit = next(one for one in story.logbook.returns if one.claim == code)
    shown = {one: value for one, value in visit.values.items() if one != item}
    story.logbook.returns.append(Return(1, code, shown))
    assert story.violations() == [f"[returns] the page shows None, it should be 4 {WHERE}"]


@pytest.mark.parametrize("status", [500, 503, 403, 404])
def test_an_answer_no_rater_should_get(story, status):
    story.logbook.exchanges.append(Exchange(2, "rate", 10, 11, status, False))
    assert story.violations() == [f"[requests] rate was answered with status {status} (rater rater 2)"]


@pytest.mark.parametrize(("down", "excused"), [((10.5, 20), True), ((0, 10.5), True), ((11.5, 12), False)])
def test_an_error_is_excused_only_while_the_server_was_down(story, down, excused):
    story.logbook.downtimes.append(down)
    story.logbook.exchanges.append(Exchange(2, "rate", 10, 11, 502, False))
    assert (story.violations() == []) is excused


def test_a_rater_who_had_to_give_up(story):
    story.logbook.failures.append((2, "no good answer"))
    assert story.violations() == ["[requests] could not go on: no good answer (rater rater 2)"]
