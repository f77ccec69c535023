"""Answers that arrive in another order than they were given (`survey.turns`)."""

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.survey.models import Rating, RatingHistory
from survey_site.survey.rating.services import submit_questionnaire
from survey_site.survey.rating.turns import Turn
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import answers_for, make_assignment, save_rating
from tests.survey_site.survey.pages.test_pages import codes, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def held():
    return make_assignment(make_batch())


@pytest.fixture
def item(held):
    return next(iter(answers_for(held)))


def save(held, item, value, turn):
    return save_rating(assignment=held, code=item, value=value, now=NOW, turn=turn and Turn(*turn)).value


def history():
    return list(RatingHistory.objects.values_list("value", flat=True))


def test_an_older_answer_that_arrives_late_changes_nothing(held, item):
    assert save(held, item, 5, ("a", 20)) == 5
    assert save(held, item, 3, ("a", 10)) == 5
    assert (Rating.objects.get().value, history()) == (5, [5])


def test_an_older_answer_does_not_overtake_one_that_confirmed_what_stood(held, item):
    save(held, item, 5, ("a", 10))
    save(held, item, 5, ("a", 30))
    assert save(held, item, 3, ("a", 20)) == 5
    assert history() == [5]


def test_the_same_request_again_is_no_older_one(held, item):
    save(held, item, 3, ("a", 10))
    save(held, item, 5, ("a", 20))
    assert save(held, item, 5, ("a", 20)) == 5
    assert save(held, item, 4, ("a", 21)) == 4
    assert history() == [3, 5, 4]


@pytest.mark.parametrize(("first", "second"), [(("a", 20), ("b", 10)), (("a", 20), None), (None, ("a", 10))])
def test_between_tabs_and_without_a_script_the_last_to_arrive_stands(held, item, first, second):
    save(held, item, 5, first)
    assert save(held, item, 3, second) == 3
    assert history() == [5, 3]


def test_a_late_form_changes_only_what_no_later_answer_replaced(held, item):
    save(held, item, 6, ("a", 50))
    answers = answers_for(held, 2)
    done = submit_questionnaire(assignment=held, answers=answers, now=NOW, turn=Turn("a", 40))
    assert done.complete
    values = dict(Rating.objects.values_list("assignment_item__code", "value"))
    assert values == answers | {item: 6}


@pytest.fixture
def visit():
    """A rater's browser on its first questionnaire: posts an answer to its first item, or the form."""
    client, batch = Client(), make_batch()
    address = start(client, batch).url
    code = address.rstrip("/").rpartition("/")[2]
    items = [name.removeprefix("rating-") for name in codes(client.get(address))]

    def send(value, *, form=False, **turn):
        name = "survey:questionnaire" if form else "survey:rate"
        answers = {f"rating-{one}": value for one in items} if form else {"item": items[0], "value": value}
        client.post(reverse(name, args=[batch.token, code]), answers | turn)
        return Rating.objects.get(assignment_item__code=items[0]).value

    return send


@pytest.mark.parametrize("form", [False, True])
def test_pages_pass_on_what_the_script_says(visit, form):
    assert visit(5, form=form, tab="0a1b", turn="20") == 5
    assert visit(3, form=form, tab="0a1b", turn="10") == 5
    assert visit(3, form=form, tab="0a1b", turn="30") == 3


@pytest.mark.parametrize(
    "turn",
    [
        {"tab": "0a1b", "turn": ""},
        {"tab": "", "turn": "10"},
        {"tab": "0a1b", "turn": "-1"},
        {"tab": "0a1b", "turn": "1" * 16},
        {"tab": "x" * 33, "turn": "10"},
        {"tab": "<b>", "turn": "10"},
    ],
)
def test_a_turn_that_makes_no_sense_is_none(visit, turn):
    assert visit(5, tab="0a1b", turn="20") == 5
    assert visit(3, **turn) == 3
