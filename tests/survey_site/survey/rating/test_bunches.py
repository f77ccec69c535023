"""Several answers in one request: each answered by itself, and stored as one that comes alone."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.survey.models import Assignment, Mark, Rating, RatingHistory
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.batches import make_batch
from tests.survey_site.survey.pages.test_pages import codes, start

pytestmark = pytest.mark.django_db
TAB = "0a1b"


class Visit:
    """A rater's browser on its first questionnaire."""

    def __init__(self, batch):
        self.client, self.batch = Client(), batch
        address = start(self.client, batch).url
        page = self.client.get(address)
        self.code = address.rstrip("/").rpartition("/")[2]
        self.items = [name.removeprefix("rating-") for name in codes(page)]

    def post(self, **fields):
        address = reverse("survey:rate", args=[self.batch.token, self.code])
        return self.client.post(address, fields, headers={"Accept": "application/json"})

    def send(self, *answers):
        sent = [dict(zip(("item", "value", "turn", "words"), one, strict=False)) for one in answers]
        return self.post(tab=TAB, answers=json.dumps(sent))


@pytest.fixture
def visit():
    return Visit(make_batch())


def stands():
    return dict(Rating.objects.values_list("assignment_item__code", "value"))


def history():
    return list(RatingHistory.objects.order_by("pk").values_list("value", flat=True))


def test_each_answer_is_stored_and_told(visit):
    one, two, three = visit.items[:3]
    told = visit.send((one, "5", 1), (two, "unclear", 2), (three, "2", 3)).json()
    assert told == {
        "answers": [{"item": one, "value": 5}, {"item": two, "value": None}, {"item": three, "value": 2}]
    }
    assert (stands(), Mark.objects.get().assignment_item.code) == ({one: 5, three: 2}, two)


def test_what_is_refused_leaves_the_others_as_they_are(visit):
    one, two, three = visit.items[:3]
    told = visit.send((one, "7", 1), ("another", "3", 2), (two, "3", 3), (three, "no reason", 4))
    refused = [one.get("message", "") for one in told.json()["answers"]]
    assert told.status_code == 200
    assert [bool(one) for one in refused] == [True, True, False, True]
    assert "whole number from 1 to 6" in refused[0]
    assert "belongs to no text pair" in refused[1]
    assert (stands(), history()) == ({two: 3}, [3])


def test_turns_tell_of_each_answer_whether_it_is_older(visit):
    one, two = visit.items[:2]
    visit.send((one, "5", 20), (two, "4", 21))
    told = visit.send((one, "1", 10), (two, "3", 30)).json()
    assert [answer["value"] for answer in told["answers"]] == [5, 3]
    visit.send((one, "2", 40), (one, "6", 41))
    assert (stands(), history()) == ({one: 6, two: 3}, [5, 4, 3, 2, 6])


def test_sending_it_again_changes_nothing(visit):
    one, two = visit.items[:2]
    for _ in range(2):
        visit.send((one, "5", 1), (two, "4", 2))
    assert (stands(), history()) == ({one: 5, two: 4}, [5, 4])


def test_a_page_that_is_submitted_or_given_back_takes_them_as_single_ones(visit):
    visit.send(*((one, "3", turn) for turn, one in enumerate(visit.items, 1)))
    Assignment.objects.update(state="expired", slot=None)
    visit.send((visit.items[0], "4", 50), (visit.items[1], "4", 51))
    assert Assignment.objects.get().state == "open"
    address = reverse("survey:questionnaire", args=[visit.batch.token, visit.code])
    visit.client.post(address, {})
    page = Assignment.objects.get()
    told = visit.send((visit.items[0], "6", 60), (visit.items[1], "6", 61)).json()
    assert (told["submitted"], [one["value"] for one in told["answers"]]) == (True, [6, 6])
    assert Assignment.objects.get().changes > page.changes


def test_who_has_withdrawn_and_who_is_somebody_else_stores_nothing(visit):
    other = Visit(visit.batch)
    other.code = visit.code
    assert other.send((visit.items[0], "5", 1), (visit.items[1], "5", 2)).status_code == 404
    withdraw_rater(rater=Assignment.objects.get(code=visit.code).rater, now=visit.batch.launched_at)
    assert visit.send((visit.items[0], "5", 1), (visit.items[1], "5", 2)).status_code == 410
    visit.client.cookies.clear()
    assert visit.send((visit.items[0], "5", 1), (visit.items[1], "5", 2)).status_code == 403
    assert stands() == {}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("", 422),
        ("{}", 422),
        ("[1]", 422),
        ('[{"item": "a", "value": 3, "turn": 1}]', 422),
        ('[{"item": "a\\u0000b", "value": "3", "turn": 1}]', 422),
        ('[{"item": "a", "value": "3", "turn": 1, "words": "\\u0000"}]', 422),
        ('[{"item": "a", "value": "3", "turn": 1, "rater": "b"}]', 422),
        (json.dumps([{"item": "a", "value": "3", "turn": 1}] * 21), 413),
    ],
)
def test_what_no_script_sends_is_refused(visit, sent, status):
    assert visit.post(tab=TAB, answers=sent).status_code == status
