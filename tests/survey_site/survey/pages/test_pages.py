"""The rater's pages over HTTP, as a browser without scripts uses them."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.batches.services import close_batch
from survey_site.batches.states import Scale
from survey_site.corpus.models import Document
from survey_site.survey.models import Assignment, Rater, Rating
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db

AS_JSON = {"accept": "application/json"}
"""As the page's script sends an answer."""


@pytest.fixture
def batch():
    return make_batch(corpus=make_corpus(documents=3))


def url(name, batch, *args):
    return reverse(f"survey:{name}", args=[batch.token, *args])


def join_key(response):
    return re.search(r'name="key" value="([^"]+)"', response.content.decode()).group(1)


def start(client, batch, **data):
    page = client.get(url("join", batch))
    key = {"key": join_key(page)} if b'name="key"' in page.content else {}
    return client.post(url("start", batch), key | data)


def codes(response):
    """Names of the rating fields, in page order."""
    return list(dict.fromkeys(re.findall(r'name="(rating-[^"]+)"', response.content.decode())))


def checked(response):
    """Field name -> checked value."""
    pattern = r'name="(rating-[^"]+)" value="(\d)" checked'
    return {name: int(value) for name, value in re.findall(pattern, response.content.decode())}


def answer_all(client, address, value=3):
    page = client.get(address)
    return client.post(address, dict.fromkeys(codes(page), value))


def test_joining_leads_to_a_questionnaire_with_the_document_and_all_pairs(client, batch):
    response = start(client, batch)
    page = client.get(response.url)
    document = Assignment.objects.get().questionnaire.document
    assert response.status_code == 302
    assert len(codes(page)) == 3
    for text in (document.title, document.body, batch.question, batch.low_label, batch.high_label):
        assert text in page.content.decode()


def test_the_cookie_is_signed_and_only_for_this_batch(client, batch):
    start(client, batch)
    cookie = client.cookies["rater"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (url("join", batch), True, "Lax")
    client.cookies["rater"] = "forged:signature:here"
    assert client.get(url("done", batch)).status_code == 302


def test_a_double_click_on_start_is_one_rater_and_one_questionnaire(batch):
    first, second = Client(), Client()
    key = join_key(first.get(url("join", batch)))
    addresses = {client.post(url("start", batch), {"key": key}).url for client in (first, second)}
    assert len(addresses) == 1
    assert (Rater.objects.count(), Assignment.objects.count()) == (1, 1)


def test_starting_again_resumes_the_open_questionnaire(client, batch):
    assert start(client, batch).url == start(client, batch).url


def test_a_whole_questionnaire_without_scripts(client, batch):
    address = start(client, batch).url
    response = answer_all(client, address, 5)
    assert (response.status_code, response.url) == (302, url("done", batch))
    assert list(Rating.objects.values_list("value", flat=True)) == [5, 5, 5]
    page = client.get(response.url).content.decode()
    assert "Thank you" in page
    assert "Next questionnaire" in page


def test_a_missing_item_is_named_and_the_other_answers_are_kept(client, batch):
    address = start(client, batch).url
    first, second, third = codes(client.get(address))
    response = client.post(address, {first: 2, third: 6})
    page = response.content.decode()
    assert response.status_code == 422
    assert "1 of 3 pairs still needs a rating" in page
    assert '<a href="#pair-2">pair 2</a>' in page
    assert re.search(rf'name="{second}" value="1" autofocus', page)
    assert checked(response) == {first: 2, third: 6}
    assert checked(client.get(address)) == {first: 2, third: 6}


def test_two_missing_items_read_well(client, batch):
    address = start(client, batch).url
    page = client.post(address, {codes(client.get(address))[0]: 2}).content.decode()
    assert "2 of 3 pairs still need a rating" in page
    assert '<a href="#pair-2">pair 2</a> and <a href="#pair-3">pair 3</a>' in page


def test_one_answer_is_saved_at_once(client, batch):
    address = start(client, batch).url
    code = codes(client.get(address))[0].removeprefix("rating-")
    response = client.post(f"{address}rate/", {"item": code, "value": 4})
    assert (response.status_code, response.json()) == (200, {"value": 4})
    assert checked(client.get(address)) == {f"rating-{code}": 4}


@pytest.mark.parametrize(("value", "status"), [("7", 422), ("", 422), (None, 422)])
def test_a_bad_value_is_an_error_that_says_so(client, batch, value, status):
    address = start(client, batch).url
    code = codes(client.get(address))[0].removeprefix("rating-")
    response = client.post(
        f"{address}rate/", {"item": code} | ({"value": value} if value is not None else {}), headers=AS_JSON
    )
    assert response.status_code == status
    assert "whole number from 1 to 6" in response.json()["message"]


def test_every_refusal_has_the_same_shape(client, admin_client, batch):
    address = start(client, batch).url
    of_rater = client.post(f"{address}rate/", {"item": "nonsense", "value": 4}, headers=AS_JSON)
    of_staff = admin_client.get(f"/batches/{batch.pk}/participation/texts/xx/", headers=AS_JSON)
    assert [set(one.json()) for one in (of_rater, of_staff)] == [{"error", "message", "action"}] * 2
    assert of_rater["Cache-Control"] == "private, no-store"


def test_an_unknown_item_is_an_error_and_saves_nothing(client, batch):
    address = start(client, batch).url
    assert client.post(f"{address}rate/", {"item": "nonsense", "value": 4}).status_code == 404
    page = codes(client.get(address))
    response = client.post(address, dict.fromkeys(page, 3) | {"rating-nonsense": 3})
    assert response.status_code == 404
    assert "nothing was saved" in response.content.decode()
    assert Rating.objects.count() == 0


def test_somebody_else_cannot_see_or_rate_a_questionnaire(client, batch):
    address = start(client, batch).url
    stranger, other = Client(), Client()
    start(other, batch)
    assert (stranger.get(address).status_code, other.get(address).status_code) == (403, 404)
    assert (stranger.post(address).status_code, other.post(address).status_code) == (403, 404)
    assert other.post(f"{address}rate/", {"item": "x", "value": 1}).status_code == 404


def test_going_back_shows_the_submitted_answers_and_takes_corrections(client, batch):
    address = start(client, batch).url
    answer_all(client, address, 3)
    page = client.get(address)
    assert "You have submitted this questionnaire" in page.content.decode()
    assert set(checked(page).values()) == {3}
    answer_all(client, address, 4)
    assert set(Rating.objects.values_list("value", flat=True)) == {4}
    assert Assignment.objects.get().state == "submitted"


def test_when_nothing_is_left_the_rater_is_thanked(client):
    batch = make_batch(corpus=make_corpus(documents=1))
    page = client.get(answer_all(client, start(client, batch).url).url).content.decode()
    assert "There is nothing left for you to do" in page
    assert client.post(url("start", batch)).url == url("done", batch)


def test_when_all_places_are_taken_the_rater_is_told_to_come_back(client):
    batch = make_batch(corpus=make_corpus(documents=1), raters=1)
    key = join_key(client.get(url("join", batch)))
    start(Client(), batch)
    for page in (
        client.post(url("start", batch), {"key": key}, follow=True),
        Client().get(url("join", batch)),
    ):
        assert "Other people are working" in page.content.decode()
        assert "Try again" in page.content.decode()


def test_who_has_done_all_waits_for_nobody_else(client):
    """Others still rate the same questionnaires, which nobody rates twice."""
    batch = make_batch(corpus=make_corpus(documents=1), raters=2)
    address = start(client, batch).url
    start(Client(), batch)
    page = client.get(answer_all(client, address).url).content.decode()
    assert ("There is nothing left for you to do" in page, "Try again" in page) == (True, False)


def test_a_closed_batch_has_a_friendly_page_and_keeps_what_is_in_progress(client, batch):
    address = start(client, batch).url
    close_batch(batch=batch, now=NOW)
    newcomer = Client().get(url("join", batch))
    assert newcomer.status_code == 410
    assert "This survey is closed" in newcomer.content.decode()
    assert "Finish my questionnaire" in client.get(url("join", batch)).content.decode()
    assert answer_all(client, address, 6).status_code == 302
    page = client.get(address).content.decode()
    assert "they can no longer be changed" in page
    code = codes(client.get(address))[0].removeprefix("rating-")
    refused = client.post(f"{address}rate/", {"item": code, "value": 1}, headers=AS_JSON)
    assert (refused.status_code, "closed" in refused.json()["message"]) == (409, True)
    assert list(Rating.objects.values_list("value", flat=True)) == [6, 6, 6]


def test_starting_in_a_closed_batch_is_refused_kindly(client, batch):
    close_batch(batch=batch, now=NOW)
    response = client.post(url("start", batch))
    assert (response.status_code, "This survey is closed" in response.content.decode()) == (410, True)


@pytest.mark.parametrize("path", ["", "start/", "done/", "q/x/", "q/x/rate/"])
def test_a_draft_and_a_wrong_link_are_both_not_there(client, path):
    draft = make_batch(launched=False)
    method = client.post if path in {"start/", "q/x/rate/"} else client.get
    for token in (draft.token, "no-such-token"):
        assert method(f"/s/{token}/{path}").status_code == 404


def test_the_direction_of_the_scale_is_on_the_form(client):
    batch = make_batch(scale=Scale.DISSIMILARITY)
    page = client.get(start(client, batch).url).content.decode()
    assert "How different are the two texts" in page
    assert "Very dissimilar" in page


def test_raters_pages_are_never_cached(client, batch):
    address = start(client, batch).url
    for response in (client.get(url("join", batch)), client.get(address), client.get(url("done", batch))):
        assert response["Cache-Control"] == "private, no-store"


def test_an_expired_rater_finds_the_page_again_over_http(client, batch):
    """The claim ends by the clock of the database row; what was rated is still there."""
    address = start(client, batch).url
    code = codes(client.get(address))[0].removeprefix("rating-")
    client.post(f"{address}rate/", {"item": code, "value": 4})
    long_ago = NOW - timedelta(days=365)
    Assignment.objects.update(claimed_at=long_ago, expires_at=long_ago)
    thief = Client()
    start(thief, batch)
    assert Assignment.objects.filter(state="expired").count() == 1
    assert checked(client.get(address)) == {f"rating-{code}": 4}
    assert answer_all(client, address, 2).status_code == 302
    assert Assignment.objects.filter(state="submitted").count() == 1


@pytest.mark.parametrize(
    ("title", "body", "heading"), [("T", "B", "The article"), ("T", "", "The headline"), ("", "", None)]
)
def test_a_document_without_text_leaves_no_empty_box(client, batch, title, body, heading):
    Document.objects.update(title=title, body=body)
    page = client.get(start(client, batch).url).content.decode()
    boxes = re.findall(r"<summary>(The \w+)</summary>", page)
    assert boxes == ([heading] if heading else [])


def test_texts_are_shown_as_text(client):
    corpus = make_corpus(documents=1)
    corpus.documents.update(title="<script>alert(1)</script>", body="Line one\n\nLine <b>two</b>")
    page = client.get(start(client, make_batch(corpus=corpus)).url).content.decode()
    assert "<script>alert" not in page
    assert "&lt;b&gt;two&lt;/b&gt;" in page


def test_documents_without_text_are_not_announced(client):
    corpus = make_corpus(documents=1)
    batch = make_batch(corpus=corpus)
    assert "Read a short article" in client.get(url("join", batch)).content.decode()
    assert "The article" in client.get(start(client, batch).url).content.decode()
    corpus.documents.update(title="", body="")
    batch = make_batch(corpus=corpus)
    assert "Read a short article" not in client.get(url("join", batch)).content.decode()
    page = client.get(start(client, batch).url).content.decode()
    assert ("The article" in page, "The headline" in page, "<h2" in page) == (False, False, False)


@pytest.mark.parametrize("count", [1, 6])
def test_a_questionnaire_page_takes_the_same_queries_for_any_number_of_pairs(
    client, count, django_assert_num_queries
):
    batch = make_batch(corpus=make_corpus(documents=1, systems=count), systems_per_questionnaire=9)
    address = start(client, batch).url
    with django_assert_num_queries(5):
        client.get(address)
