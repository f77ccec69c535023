"""The list of raters: found, ordered, excluded and counted again in place, and the next flagged one."""

import html
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from survey_site.quality.models import Exclusion
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, submit_all, submit_questionnaire

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated():
    """Four raters: two who rate all alike, one slow and one quick who do not."""
    batch = make_batch(corpus=make_corpus(documents=3, systems=4), raters=4)
    raters = {}
    for name, minutes in (("alike", 5), ("slow", 30), ("quick", 1), ("same", 6)):
        rater = raters[name] = make_rater(batch)
        claim = make_assignment(batch, rater=rater)
        now = NOW + timedelta(minutes=minutes)
        if name in {"alike", "same"}:
            submit_all(claim, value=4, now=now)
        else:
            answers = {code: 1 + i % 6 for i, code in enumerate(answers_for(claim))}
            submit_questionnaire(assignment=claim, answers=answers, now=now)
    return batch, raters


def address(batch, **query):
    return reverse("quality:detail", args=[batch.pk], query=query or None)


def listed(client, batch, **query):
    return [row.checked.rater for row in client.get(address(batch, **query)).context["rows"]]


def test_the_list_is_ordered_and_searched(researcher_client, rated):
    batch, raters = rated
    flagged = {raters["alike"], raters["same"]}
    assert set(listed(researcher_client, batch)[:2]) == flagged
    assert listed(researcher_client, batch, sort="slow")[0] == raters["slow"]
    assert listed(researcher_client, batch, sort="fast")[0] == raters["quick"]
    assert set(listed(researcher_client, batch, sort="alike")[:2]) == flagged
    code = raters["slow"].code
    assert listed(researcher_client, batch, rater=code[2:].upper()) == [raters["slow"]]
    assert "No rater is called so." in researcher_client.get(address(batch, rater="nobody")).content.decode()


def test_what_a_rater_gave_is_drawn_and_said(researcher_client, rated):
    batch, raters = rated
    page = researcher_client.get(address(batch, rater=raters["alike"].code))
    (row,) = page.context["rows"]
    assert row.bars == ((1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 5, 10), (5, 0, 0), (6, 0, 0))
    assert "0 times 3, 5 times 4, 0 times 5" in page.content.decode()


def test_a_rater_is_excluded_and_counted_again_in_the_list(admin_client, rated):
    batch, raters = rated
    page = admin_client.get(address(batch, rater=raters["alike"].code)).content.decode()
    reason = html.unescape(re.search(r'name="reason"[^>]*value="([^"]*)"', page).group(1))
    sent = {"what": "rater", "from_list": "yes", "reason": reason}
    there = reverse("quality:rater", args=[batch.pk, raters["alike"].code])
    assert admin_client.post(there, sent).url == address(batch) + "#raters"
    exclusion = Exclusion.objects.get()
    assert (exclusion.rater, exclusion.reason) == (raters["alike"], "1 of 1 rated all alike")
    undo = reverse("quality:undo", args=[batch.pk, exclusion.pk])
    row = admin_client.get(address(batch, rater=raters["alike"].code)).content.decode()
    assert (row.count(f'action="{undo}"'), 'name="from_list"' in row) == (2, False)
    admin_client.post(undo)
    assert not Exclusion.objects.exists()


def test_researchers_are_offered_no_exclusion(researcher_client, rated):
    assert 'name="from_list"' not in researcher_client.get(address(rated[0])).content.decode()


def test_the_next_flagged_rater_is_one_click_away(admin_client, rated):
    batch, raters = rated

    def following(name):
        page = admin_client.get(reverse("quality:rater", args=[batch.pk, raters[name].code]))
        return page.context["following"] and page.context["following"].rater

    assert (following("alike"), following("same")) == (raters["same"], raters["alike"])
    assert following("slow") in {raters["alike"], raters["same"]}
    there = reverse("quality:rater", args=[batch.pk, raters["same"].code])
    admin_client.post(there, {"what": "rater", "reason": "all alike"})
    assert (following("alike"), following("slow")) == (None, raters["alike"])
