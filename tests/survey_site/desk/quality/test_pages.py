"""The page that says whether a batch's ratings can be trusted."""

import re

import pytest
from django.urls import reverse

from survey_site.survey.rating.services import submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater

pytestmark = pytest.mark.django_db


def url(batch):
    return reverse("quality:detail", args=[batch.pk])


def text_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def rate(batch, value_of, raters=2):
    """Complete the batch; value_of(number of the rater, placement) is the rating."""
    for number in range(raters):
        rater = make_rater(batch)
        for _ in range(batch.questionnaires.count()):
            claim = make_assignment(batch, rater=rater)
            answers = {one.code: value_of(number, one) for one in claim.placements.select_related("item")}
            submit_questionnaire(assignment=claim, answers=answers, now=NOW)


def test_agreement_and_positions_of_raters_who_agree(researcher_client):
    batch = make_batch(corpus=make_corpus(documents=6))
    rate(batch, lambda _number, one: 1 + one.item_id % 6)
    response = researcher_client.get(url(batch))
    assessment = response.context["assessment"]
    assert (assessment.ratings, assessment.agreement.units, assessment.resampled) == (36, 18, "pairs")
    assert [one.estimate for one in assessment.agreement.agreements] == pytest.approx([1.0] * 7)
    assert [shift.ratings for shift in assessment.positions.shifts] == [12, 12, 12]
    text = text_of(response)
    assert "Over the 36 ratings that count so far." in text
    assert "Krippendorff&#x27;s alpha, ordinal 1.00 1.00 to 1.00" in text


def test_a_batch_without_ratings_says_that_it_is_too_early(researcher_client):
    text = text_of(researcher_client.get(url(make_batch())))
    assert "0 pairs have two ratings or more, at least 10 are needed." in text
    assert "0 completed questionnaires, at least 10 are needed." in text


def test_raters_who_favour_a_position_are_found(researcher_client):
    batch = make_batch(corpus=make_corpus(documents=10, systems=5))
    rate(batch, lambda number, one: 5 if one.position == 1 else 3 - number)
    response = researcher_client.get(url(batch))
    positions = response.context["assessment"].positions
    assert positions.p_positions < 0.01
    assert positions.shifts[0].shift > 1
    assert f"{positions.raters} raters are too few to tell a drift of their own" in text_of(response)


def test_the_same_ratings_are_assessed_once(researcher_client, monkeypatch):
    batch = make_batch(corpus=make_corpus(documents=4))
    rate(batch, lambda _number, one: 1 + one.item_id % 6)
    first = researcher_client.get(url(batch)).context["assessment"]
    monkeypatch.setattr("survey_site.quality.kept.find_out", None)
    assert researcher_client.get(url(batch)).context["assessment"].agreement.units == first.agreement.units


def test_only_staff_see_the_page_and_only_of_a_launched_batch(client, researcher_client):
    assert client.get(url(make_batch())).status_code == 302
    assert researcher_client.get(url(make_batch(launched=False))).status_code == 404
