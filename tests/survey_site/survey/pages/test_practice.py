"""Worked examples and a practice with feedback, of which nothing is stored."""

import re

import pytest
from django.test import Client

from survey_site.batches.services import launch_batch
from survey_site.batches.states import Scale
from survey_site.survey.models import Assignment, PairUse, Rating
from survey_site.survey.pages.practice import (
    EXAMPLES,
    PRACTICE,
    built_in_examples,
    practice_feedback,
    practice_pairs,
    worked_examples,
)
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.factories.batches import NOW, make_batch
from tests.survey_site.survey.pages.test_pages import codes
from tests.survey_site.survey.people.test_ways_in import enter, url


def make_practice_batch(*, practice=True, questions=(), **settings):
    batch = make_batch(launched=False, **settings)
    wanted = ParticipationSettings(practice=practice, questions=questions)
    save_participation(batch=batch, settings=wanted, now=NOW)
    return launch_batch(batch=batch, now=NOW)


@pytest.mark.parametrize(("scale", "first", "last"), [(Scale.SIMILARITY, 6, 1), (Scale.DISSIMILARITY, 1, 6)])
def test_examples_follow_the_direction_of_the_scale(scale, first, last):
    points = [example.points for example in worked_examples(scale, built_in_examples(PairUse.EXAMPLE, "en"))]
    assert (points[0], points[-1]) == ((first,), (last,))


def test_every_example_lies_on_the_scale_and_no_practice_pair_gives_itself_away():
    for one in (*EXAMPLES, *PRACTICE):
        assert 1 <= one.low <= one.high <= 6
    assert {one.right for one in EXAMPLES} & {one.right for one in PRACTICE} == set()


def test_feedback_says_what_fits_and_forgives_what_is_missing():
    examples = built_in_examples(PairUse.PRACTICE, "en")
    page = practice_pairs(examples, {"practice-1": "5", "practice-2": "6", "practice-3": "many"})
    feedback = practice_feedback(page, examples, Scale.SIMILARITY)
    assert [(one.value, one.fits, one.points, one.off, one.is_higher) for one in feedback.answers] == [
        (5, True, (5, 6), 0, False),
        (6, False, (2, 3), 3, True),
        (None, False, (1,), 0, False),
    ]
    assert (feedback.fitting, feedback.is_empty) == (1, False)


@pytest.mark.parametrize(("value", "off", "is_higher"), [("1", 1, False), ("2", 0, False), ("4", 1, True)])
def test_how_far_off_is_counted_to_the_nearest_point_that_fits(value, off, is_higher):
    examples = built_in_examples(PairUse.PRACTICE, "en")
    page = practice_pairs(examples, {"practice-2": value})
    answer = practice_feedback(page, examples, Scale.SIMILARITY).answers[1]
    assert (answer.off, answer.is_higher) == (off, is_higher)


@pytest.mark.django_db
def test_practice_says_in_words_how_one_did(client):
    batch = make_practice_batch()
    enter(client, url("join", batch))

    def said(*values):
        answers = {f"rating-practice-{number}": value for number, value in enumerate(values, 1)}
        html = client.post(url("practice", batch), answers).content.decode()
        return " ".join(re.sub(r"<[^>]*>", "", html).split())

    page = said(5, 1, 3)
    for words in (
        "You rated 1 of 3 pairs as we would.",
        "✓ You said 5. So would we: 5 or 6.",
        "You said 1. We would say 2 or 3. Your rating is 1 point lower.",
        "You said 3. We would say 1. Your rating is 2 points higher.",
    ):
        assert words in page
    nothing = said()
    assert "You have not rated any pair." in nothing
    assert nothing.count("You have not rated this pair.") == 3


@pytest.mark.django_db
def test_practice_comes_before_the_first_questionnaire_and_stores_nothing(client):
    batch = make_practice_batch(questions=["age"])
    assert enter(client, url("join", batch)) == url("about", batch)
    assert client.post(url("about", batch), {"age": ""}).url == url("practice", batch)
    names = codes(client.get(url("practice", batch)))
    assert names == ["rating-practice-1", "rating-practice-2", "rating-practice-3"]
    page = client.post(url("practice", batch), {names[0]: 6, names[1]: 1}).content.decode()
    assert ("You said 6. So would we: 5 or 6." in page, "You said 1. We would say" in page) == (True, True)
    assert (Rating.objects.count(), Assignment.objects.count()) == (0, 0)
    address = client.post(url("start", batch), {"practised": "yes"}).url
    assert "/q/" in address
    assert enter(client, url("join", batch)) == address


@pytest.mark.django_db
def test_without_the_setting_nobody_has_to_practise(client):
    assert "/q/" in enter(client, url("join", make_practice_batch(practice=False)))


@pytest.mark.django_db
def test_practice_is_for_people_who_joined():
    batch = make_practice_batch()
    assert Client().get(url("practice", batch)).url == url("join", batch)


@pytest.mark.django_db
@pytest.mark.parametrize("instructions", ["Read well.", ""])
def test_instructions_have_examples_on_the_first_page_and_on_each_questionnaire(client, instructions):
    batch = make_practice_batch(practice=False, instructions=instructions)
    first = client.get(url("join", batch)).content.decode()
    page = client.get(enter(client, url("join", batch))).content.decode()
    for one in EXAMPLES:
        assert (one.why in first, one.why in page) == (True, True)
