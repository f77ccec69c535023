"""Every rater's page in Arabic: from right to left, and without a word of English but the corpus' texts."""

import json
import re
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from survey_site.batches.services import close_batch, launch_batch, pause_batch
from survey_site.batches.states import Scale
from survey_site.survey.models import Assignment
from survey_site.survey.people.identity import invitation_code
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all
from tests.survey_site.survey.pages.test_pages import AS_JSON, answer_all, codes
from tests.survey_site.survey.people.test_ways_in import enter, panel_link, url

pytestmark = pytest.mark.django_db
VOID = {"meta", "link", "input", "br", "img", "hr"}
SHOWN = {"aria-label", "title", "placeholder", "alt"}


class Words(HTMLParser):
    """Latin words of a page outside elements that say they are in another language."""

    def __init__(self):
        super().__init__()
        self.open, self.found, self.scripts = [], [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in VOID:
            self.open.append((tag, given.get("lang", "ar")))
        self._look(" ".join(value or "" for name, value in attrs if name in SHOWN))

    def handle_endtag(self, tag):
        while self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script":
            data = re.sub(r"{\w+}", "", " ".join(map(str, json.loads(data).values())) if data.strip() else "")
        self._look(data)

    def _look(self, text):
        if all(language == "ar" for _, language in self.open):
            self.found += re.findall(r"[A-Za-z]{2,}", text)


def english_words(html):
    reader = Words()
    reader.feed(html)
    return reader.found


def check(response, status=200):
    """The page is Arabic throughout; gives it back."""
    html = response.content.decode()
    assert (response.status_code, english_words(html)) == (status, [])
    assert '<html lang="ar" dir="rtl">' in html
    return response


def words_of(response):
    """The words of a page without its tags."""
    return re.sub(r"<[^>]*>", "", response.content.decode()).split()


def make_arabic_batch(*, documents=2, raters=2, practice=False, scale=Scale.SIMILARITY, **settings):
    corpus = make_corpus(documents=documents)
    batch = make_batch(corpus=corpus, raters=raters, scale=scale, launched=False, languages=["ar"])
    save_participation(batch=batch, settings=ParticipationSettings(practice=practice, **settings), now=NOW)
    return launch_batch(batch=batch, now=NOW)


def test_the_reader_of_pages_finds_english_where_it_is():
    page = (
        '<p lang="en">Skipped <b>too</b></p><p title="Tip">نص and <bdi lang="">corpus</bdi></p>'
        '<script>{"a": "Saved {x}"}</script>'
    )
    assert english_words(page) == ["Tip", "and", "Saved"]


@pytest.mark.parametrize("scale", Scale.values)
def test_the_way_through_a_questionnaire(client, scale):
    batch = make_arabic_batch(
        practice=True, questions=["field", "gender", "age"], limit=3, scale=scale, documents=3
    )
    check(client.get(url("join", batch)))
    check(client.get(url("declined", batch)))
    about = enter(client, url("join", batch))
    check(client.get(about))
    check(client.post(about, {"age": "99"}), 422)
    practice = client.post(about, {"age": "25 to 34"}).url
    names = codes(check(client.get(practice)))
    check(client.post(practice, {names[0]: 5, names[1]: 1}))
    address = client.post(url("start", batch), {"practised": "yes"}).url
    names = codes(check(client.get(address)))
    missing = " ".join(words_of(check(client.post(address, {names[0]: 4}), 422)))
    assert "ما زال زوجان من أصل 3 بلا تقييم" in missing
    assert "يمكنك الانتقال إلى الزوج 2 والزوج 3." in missing
    check(client.post(address, {names[0]: "9"}), 422)
    check(client.post(address, {"rating-unknown": 4}), 404)
    check(client.get(url("leave", batch)))
    check(client.get(url("join", batch)))
    check(client.get(url("done", batch)))
    answer_all(client, address)
    check(client.get(address))
    check(client.get(url("done", batch)))
    check(client.get(url("leave", batch)))
    close_batch(batch=batch, now=NOW)
    for page in (address, url("done", batch), url("leave", batch)):
        check(client.get(page))
    check(client.post(address, {names[0]: 1}), 409)


def test_leaving(client):
    batch = make_arabic_batch()
    enter(client, url("join", batch))
    client.post(url("stop", batch))
    check(client.get(url("done", batch)))
    address = client.post(url("start", batch)).url
    client.post(url("withdraw", batch))
    check(client.get(url("done", batch)))
    check(client.get(address), 410)


@pytest.mark.parametrize("begun", [True, False])
def test_paused_and_closed(client, begun):
    batch = make_arabic_batch()
    address = enter(client, url("join", batch))
    if not begun:
        answer_all(client, address)
    pause_batch(batch=batch, now=NOW)
    check(client.get(url("join", batch)))
    check(client.get(address)) if begun else check(client.post(url("start", batch)), 503)
    close_batch(batch=batch, now=NOW)
    check(client.get(url("join", batch), follow=True))
    check(Client().get(url("join", batch)), 410)
    check(Client().post(url("start", batch)), 410)


@pytest.mark.parametrize("hours", [(1, 2), (-2, -1)])
def test_before_and_after_the_time_window(client, hours):
    batch = make_arabic_batch()
    opens, closes = (timezone.now() + timedelta(hours=one) for one in hours)
    type(batch).objects.update(opens_at=opens, closes_at=closes)
    for response in (client.get(url("join", batch)), client.post(url("start", batch))):
        assert set(english_words(response.content.decode())) <= {"UTC"}


def test_nothing_left_and_late(client):
    batch = make_arabic_batch(documents=1, raters=1, entry="panel", completed_code="7", no_place_code="8")
    taken = make_assignment(batch, rater=make_rater(batch, entry="panel"))
    check(client.get(panel_link(batch), follow=True))
    check(Client().get(url("join", batch)), 403)
    check(Client().post(url("start", batch)), 403)
    open_batch = make_arabic_batch(documents=1, raters=1)
    held = make_assignment(open_batch)
    check(client.get(url("join", open_batch)))
    enter(client, url("join", open_batch))
    check(client.get(url("done", open_batch)))
    submit_all(held)
    check(client.get(url("done", open_batch)))
    assert taken.state == "open"


def test_the_end_of_a_panel_member(client):
    batch = make_arabic_batch(
        entry="panel", limit=1, completed_code="7", return_address="https://panel.example/{code}"
    )
    answer_all(client, enter(client, panel_link(batch)))
    check(client.get(url("done", batch)))


def test_what_goes_wrong(client, settings):
    batch = make_arabic_batch()
    check(client.post(url("start", batch)), 409)
    check(client.get(url("invited", batch, invitation_code(batch, 1) + "x")), 404)
    address = enter(client, url("join", batch))
    check(Client().get(address), 403)
    check(client.get(url("questionnaire", batch, "nothing")), 404)
    refused = client.post(address + "rate/", {"item": "x", "value": 9}, headers=AS_JSON)
    assert re.findall("[A-Za-z]{2,}", " ".join(refused.json().values())) == []
    settings.CONCORD_POSTS_PER_RATER = 0
    check(client.post(url("start", batch)), 429)


def in_arabic(**settings):
    return Client(headers={"accept-language": "ar-EG,ar;q=0.9,en;q=0.5"}, **settings)


def test_pages_that_know_no_batch_speak_the_browser_s_language():
    check(in_arabic().get("/s/nothing/"), 404)
    check(in_arabic().get("/s/nothing/at/all/of/it/"), 404)
    check(in_arabic(enforce_csrf_checks=True).post(url("start", make_arabic_batch())), 403)
    english = Client(headers={"accept-language": "fr"}).get("/s/nothing/")
    assert '<html lang="en" dir="ltr">' in english.content.decode()


def test_the_page_of_a_fault_of_ours(monkeypatch):
    def fail(*_):
        raise RuntimeError

    batch = make_arabic_batch()
    monkeypatch.setattr("survey_site.survey.pages.entry_views.has_articles", fail)
    client = in_arabic(raise_request_exception=False)
    check(client.get(url("join", batch)), 500)


def test_texts_keep_their_own_language_and_direction(client):
    batch = make_arabic_batch()
    page = client.get(enter(client, url("join", batch))).content.decode()
    document = Assignment.objects.get().questionnaire.document
    article = '<article class="disclosure__body prose" lang="" dir="auto">'
    assert document.title in page.split(article, 1)[1][:100]
    type(document.corpus).objects.update(language="en")
    page = client.get(reverse("survey:questionnaire", args=[batch.token, Assignment.objects.get().code]))
    assert page.content.decode().count('<p class="pair__words" lang="en" dir="ltr">') == 6
    type(document).objects.update(language="ar-EG")
    page = client.get(reverse("survey:questionnaire", args=[batch.token, Assignment.objects.get().code]))
    assert page.content.decode().count('<p class="pair__words" lang="ar-EG" dir="rtl">') == 6


def test_an_arabic_text_on_an_english_page_runs_from_the_right(client):
    batch = make_batch(languages=["en"])
    type(batch.corpus).objects.update(language="ar")
    page = client.get(enter(client, url("join", batch))).content.decode()
    assert '<html lang="en" dir="ltr">' in page
    assert page.count('<p class="pair__words" lang="ar" dir="rtl">') == 6


def test_staff_read_english_whatever_their_browser_asks_for(admin_client):
    batch = make_arabic_batch()
    for page in ("monitor", "participation"):
        html = admin_client.get(
            reverse(f"batches:{page}", args=[batch.pk]), headers={"accept-language": "ar"}
        )
        assert '<html lang="en">' in html.content.decode()
    preview = admin_client.get(reverse("batches:preview", args=[batch.pk])).content.decode()
    assert ('<html lang="ar" dir="rtl">' in preview, english_words(preview)) == (
        True,
        ["Preview", "of", "questionnaire"],
    )


def test_the_site_s_language_is_that_of_new_batches(settings):
    settings.CONCORD_LANGUAGE = "ar"
    batch = make_batch()
    assert (batch.languages, batch.question) == (["ar"], "ما مدى تشابه النصين فيما يقولانه؟")
    assert batch.instructions.startswith("إذا ظهر مقال")
