"""Walking through a batch as a rater: every page in every language, and no row of any table."""

import html
import re
from dataclasses import replace

import pytest
from django.apps import apps
from django.urls import reverse

from survey_site.batches.models import Batch
from survey_site.batches.services import launch_batch
from survey_site.corpus.models import Summary
from survey_site.survey.models import Rater
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db
PANEL = ParticipationSettings(
    entry="panel",
    questions=["age"],
    practice=True,
    limit=2,
    completed_code="DONE1",
    no_place_code="FULL1",
    partial_code="PART1",
    return_address="https://panel.example/?cc={code}",
)


def make_survey(settings=PANEL, *, launched=False):
    batch = make_batch(corpus=make_corpus(documents=3), launched=False, languages=["en", "ar"])
    save_participation(batch=batch, settings=settings, now=NOW)
    return launch_batch(batch=batch, now=NOW) if launched else batch


def count_rows():
    return {model._meta.label: model.objects.count() for model in apps.get_models()}


def forms_of(response):
    """For each form of the page its address and what it sends as it is."""
    found = []
    for form in re.findall(r"<form.*?</form>", response.content.decode(), re.DOTALL):
        action = re.search(r'action="([^"]*)"', form)
        fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
        found.append((html.unescape(action.group(1)), {name: html.unescape(value) for name, value in fields}))
    return found


def press(client, response, end):
    """Send the form whose address ends so, and follow to the next page."""
    address, fields = next(one for one in forms_of(response) if one[0].endswith(end))
    return client.post(address, fields, follow=True)


def rate_all_names(page):
    return set(re.findall(r'name="(rating-[^"]+)"', page))


def rate_all(response, value=4):
    return dict.fromkeys(rate_all_names(response.content.decode()), value)


def heading(response):
    return html.unescape(re.search(r"<h1>(.*?)</h1>", response.content.decode(), re.DOTALL).group(1)).strip()


@pytest.mark.parametrize("launched", [False, True])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_whole_way_is_walked_and_no_table_gets_a_row(researcher_client, launched, language):
    batch = make_survey(launched=launched)
    start = reverse("batches:walk", args=[batch.pk, language])
    before = count_rows()
    page = researcher_client.get(start)
    seen = [page]
    page = press(researcher_client, page, "/start/")
    seen.append(page)
    page = press(researcher_client, page, "/about-you/")
    seen.append(page)
    page = press(researcher_client, page, "/practice/")
    page = press(researcher_client, page, "/start/")
    seen.append(page)
    address = page.request["PATH_INFO"]
    item = next(iter(rate_all(page))).removeprefix("rating-")
    answer = researcher_client.post(f"{address}rate/", {"item": item, "value": 5})
    assert answer.json() == {"value": "5"}
    assert researcher_client.post(address, {f"rating-{item}": 5}).status_code == 422
    page = researcher_client.post(address, rate_all(page), follow=True)
    seen.append(page)
    page = press(researcher_client, page, "/start/")
    page = researcher_client.post(page.request["PATH_INFO"], rate_all(page), follow=True)
    seen.append(page)
    assert "DONE1" in page.content.decode()
    seen.append(researcher_client.get(f"{start}leave/"))
    seen.append(press(researcher_client, seen[-1], "/leave/withdraw/"))
    seen.append(press(researcher_client, seen[-2], "/leave/stop/"))
    seen.append(researcher_client.get(f"{start}late/"))
    seen.append(researcher_client.get(f"{start}declined/"))
    assert "FULL1" in seen[-2].content.decode()
    assert {one.status_code for one in seen} == {200}
    assert {f'<html lang="{language}"' in one.content.decode() for one in seen} == {True}
    assert {"nothing is stored" in one.content.decode() for one in seen} == {True}
    assert [one for one in seen if f"/s/{batch.token}/" in one.content.decode()] == []
    assert count_rows() == before


def test_the_pages_are_those_that_the_batch_has(researcher_client):
    names = {}
    for settings in (ParticipationSettings(), PANEL):
        batch = make_survey(settings)
        page = researcher_client.get(reverse("batches:walk", args=[batch.pk, "en"])).content.decode()
        steps = re.search(r'aria-label="Pages of the walk">(.*?)</nav>', page).group(1)
        names[settings.entry] = re.findall(r">([^<]+)</a>", steps)
    short = ["First page and consent", "Questionnaire", "Last page", "Stop or withdraw"]
    assert names["open"] == short
    assert names["panel"] == [short[0], "About you", "Practice", *short[1:], "Too late"]


def test_the_first_page_of_a_draft_is_that_of_the_launched_batch(researcher_client, client):
    batch = make_survey(ParticipationSettings())
    walked = researcher_client.get(reverse("batches:walk", args=[batch.pk, "en"]))
    launch_batch(batch=batch, now=NOW)
    real = client.get(reverse("survey:join", args=[batch.token]))
    begin, end = "<h1>", 'name="key"'

    def body(response):
        text = re.sub(r'(csrfmiddlewaretoken" value|href|action)="[^"]*"', "", response.content.decode())
        return " ".join(text[text.index(begin) : text.index(end)].split())

    assert body(walked) == body(real)
    assert "Read a short article." in body(walked)


def test_a_panel_is_told_nothing_by_a_rater_page(client):
    batch = make_survey(ParticipationSettings(), launched=True)
    page = client.get(reverse("survey:join", args=[batch.token])).content.decode()
    assert ("walk" in page, Rater.objects.count()) == (False, 0)


def test_who_may_walk_and_where(client, researcher_client):
    batch = make_survey()
    address = reverse("batches:begin-walk", args=[batch.pk])
    assert client.get(address).url.startswith(reverse("accounts:login"))
    assert researcher_client.get(address).url == reverse("batches:walk", args=[batch.pk, "en"])
    for page in ("nowhere", "q/other", "q/walk-x"):
        answer = researcher_client.get(reverse("batches:walk-page", args=[batch.pk, "en", page]))
        assert answer.status_code == 404
    assert researcher_client.get(reverse("batches:walk", args=[batch.pk, "fr"])).status_code == 404


@pytest.mark.parametrize("settings", [ParticipationSettings(), replace(PANEL, no_place_code="")])
def test_without_a_code_for_who_comes_too_late_there_is_no_such_page(admin_client, settings):
    batch = make_survey(settings)
    start = reverse("batches:walk", args=[batch.pk, "en"])
    response = admin_client.get(reverse("batches:walk-page", args=[batch.pk, "en", "late"]))
    assert (response.status_code, response.headers.get("Location")) == (302, start)


def test_pairs_of_the_same_two_texts_are_walked_through_once_where_the_batch_says_so(admin_client):
    batch = make_survey()
    Summary.objects.filter(system__corpus=batch.corpus).update(text="the same")
    address = reverse("batches:walk-page", args=[batch.pk, "en", "q/walk-1"])
    shown = []
    for once in (False, True):
        Batch.objects.filter(pk=batch.pk).update(equal_pairs_once=once)
        page = admin_client.get(address).content.decode()
        shown.append((len(rate_all_names(page)), "may come more than once" in page))
    assert shown == [(3, True), (2, False)]
