"""The list of raters: found, ordered, excluded and counted again in place, and the next flagged one."""

import html
import math
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


def page_of(client, there):
    return client.get(there).content.decode()


def listed(client, batch, **query):
    return [row.rater for row in client.get(address(batch, **query)).context["rows"]]


def test_the_list_is_ordered_and_searched(researcher_client, rated):
    batch, raters = rated
    flagged = {raters["alike"], raters["same"]}
    assert set(listed(researcher_client, batch)[:2]) == flagged
    assert listed(researcher_client, batch, sort="-time")[0] == raters["slow"]
    assert listed(researcher_client, batch, sort="time")[0] == raters["quick"]
    assert set(listed(researcher_client, batch, sort="-alike")[:2]) == flagged
    code = raters["slow"].code
    assert listed(researcher_client, batch, rater=code[2:].upper()) == [raters["slow"]]
    nobody = researcher_client.get(address(batch, rater="nobody"))
    assert "No rater with this name." in nobody.content.decode()


def test_a_heading_orders_the_list_and_turns_it_round(researcher_client, rated):
    batch, raters = rated
    assert 'aria-sort="descending"><a class="sort-link" href="?sort=flagged#raters">Flagged for' in page_of(
        researcher_client, address(batch)
    )
    fastest = researcher_client.get(address(batch, sort="time", rater="r-"))
    assert 'aria-sort="ascending"><a class="sort-link" href="?sort=-time&amp;rater=r-#raters">' in (
        fastest.content.decode()
    )
    assert fastest.context["heads"]["alike"].sort == "-alike"
    by_time = [raters[name] for name in ("quick", "alike", "same", "slow")]
    assert [row.rater for row in fastest.context["rows"]] == by_time
    assert listed(researcher_client, batch, sort="-time") == by_time[::-1]


@pytest.mark.parametrize("sort", ["time", "-time"])
def test_who_has_no_time_comes_last(researcher_client, rated, sort):
    batch, _ = rated
    simulated = make_rater(batch, simulated=True)
    submit_all(make_assignment(batch, rater=simulated), now=NOW)
    assert listed(researcher_client, batch, sort=sort)[-1] == simulated


def test_times_are_ticks_on_a_scale_that_all_raters_share(researcher_client, rated):
    batch, raters = rated
    ticks = {row.rater: row.ticks for row in researcher_client.get(address(batch)).context["rows"]}
    at = [ticks[raters[name]].at for name in ("quick", "alike", "slow")]
    assert at == [(0.0,), (pytest.approx(60 * math.log(5) / math.log(30)),), (60.0,)]
    assert ticks[raters["quick"]].words == "Seconds a pair, fastest page first: 12"


def test_a_rater_s_page_shows_ratings_and_times_beside_those_of_the_others(researcher_client, rated):
    batch, raters = rated
    page = researcher_client.get(reverse("quality:rater", args=[batch.pk, raters["alike"].code]))
    given = [(one.label, one.count, one.percent, one.percent_of_others) for one in page.context["ratings"]]
    others = [pytest.approx(100 * n / 15) for n in (2, 2, 2, 2 + 5, 2, 0)]
    assert given == [
        (str(point), 5 * (point == 4), 100.0 * (point == 4), others[point - 1]) for point in range(1, 7)
    ]
    times = {one.label: (one.count, one.percent_of_others) for one in page.context["times"]}
    assert times == {
        **dict.fromkeys(("<1", "1–2", "2–4", "4–8", "15–30", "30–60"), (0, 0.0)),
        "8–15": (0, pytest.approx(100 / 3)),
        "60–120": (1, pytest.approx(100 / 3)),
        "120+": (0, pytest.approx(100 / 3)),
    }
    assert "60–120 seconds: 100 %, others 33 %" in page.content.decode()


def test_what_a_rater_gave_is_drawn_and_said(researcher_client, rated):
    batch, raters = rated
    page = researcher_client.get(address(batch, rater=raters["alike"].code))
    (row,) = page.context["rows"]
    assert [(bar.point, bar.count, bar.height) for bar in row.bars] == [
        (1, 0, 0),
        (2, 0, 0),
        (3, 0, 0),
        (4, 5, 10),
        (5, 0, 0),
        (6, 0, 0),
    ]
    assert "0 times 3, 5 times 4, 0 times 5" in page.content.decode()


def test_a_rater_is_excluded_and_counted_again_in_the_list(admin_client, rated):
    batch, raters = rated
    page = admin_client.get(address(batch, rater=raters["alike"].code)).content.decode()
    reason = html.unescape(re.search(r'name="reason"[^>]*value="([^"]*)"', page).group(1))
    sent = {"what": "rater", "came_from": "quality", "reason": reason}
    there = reverse("quality:rater", args=[batch.pk, raters["alike"].code])
    assert admin_client.post(there, sent).url == address(batch) + "#raters"
    exclusion = Exclusion.objects.get()
    assert (exclusion.rater, exclusion.reason) == (raters["alike"], "1 of 1 rated all alike")
    undo = reverse("quality:undo", args=[batch.pk, exclusion.pk])
    row = admin_client.get(address(batch, rater=raters["alike"].code)).content.decode()
    assert (row.count(f'action="{undo}"'), "Exclude everything" in row) == (2, False)
    admin_client.post(undo)
    assert not Exclusion.objects.exists()


def test_researchers_are_offered_no_exclusion(researcher_client, rated):
    assert 'name="came_from"' not in researcher_client.get(address(rated[0])).content.decode()


def test_the_next_flagged_rater_is_one_click_away(admin_client, rated):
    batch, raters = rated
    by_code = {one.code: one for one in raters.values()}

    def following(name):
        page = admin_client.get(reverse("quality:rater", args=[batch.pk, raters[name].code]))
        return page.context["following"] and by_code[page.context["following"].code]

    first, last = sorted(("alike", "same"), key=lambda name: raters[name].code)
    assert (following(first), following("slow"), following(last)) == (raters[last], raters[first], None)
    begin = reverse("quality:rater", args=[batch.pk, raters[first].code])
    assert f'href="{begin}">Look at the flagged raters one by one' in page_of(admin_client, address(batch))
    there = reverse("quality:rater", args=[batch.pk, raters[last].code])
    assert f'href="{address(batch)}#raters">Last flagged rater' in page_of(admin_client, there)
    admin_client.post(there, {"what": "rater", "reason": ""})
    assert "Last flagged rater" in page_of(admin_client, there)
    admin_client.post(there, {"what": "rater", "reason": "all alike"})
    assert (following(first), following("slow")) == (None, raters[first])
