"""Parts of a page that are kept are those of this page: its codes, its answers, its language."""

import re

import pytest
from django.template.loader import render_to_string
from django.test import Client

from survey_site.batches.translations import shown_wording
from survey_site.common import kept
from survey_site.survey.pages.questionnaire import PairView, QuestionnaireView
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus
from tests.survey_site.survey.pages.test_pages import codes, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    corpus = make_corpus(documents=2, systems=2)
    return make_batch(corpus=corpus, languages=["en", "ar"], low_label="Nothing <i>alike</i>")


def checked(html):
    return dict(re.findall(r'name="(rating-[^"]+)" value="(\d)" checked', html))


def test_each_page_has_its_own_codes_and_answers(client, batch):
    clients = [client, Client()]
    addresses = [start(one, batch).url for one in clients]
    names = [codes(one.get(address)) for one, address in zip(clients, addresses, strict=True)]
    sent = {"item": names[0][0].removeprefix("rating-"), "value": 5}
    assert client.post(f"{addresses[0]}rate/", sent).json() == {"value": 5}
    first, second = (
        one.get(address).content.decode() for one, address in zip(clients, addresses, strict=True)
    )
    assert (checked(first), checked(second)) == ({names[0][0]: "5"}, {})
    assert {name: first.count(f'name="{name}"') for name in names[0] + names[1]} == {
        **dict.fromkeys(names[0], first.count(f'name="{names[0][0]}"')),
        **dict.fromkeys(names[1], 0),
    }
    assert kept._MARK not in first + second
    assert "Nothing &lt;i&gt;alike" in first


def test_a_part_is_kept_in_each_language(client, batch):
    page = start(client, batch).url
    english = client.get(page).content.decode()
    client.post(page, {"language": "ar"})
    arabic = client.get(page).content.decode()
    assert "I cannot judge this pair" in english
    assert "I cannot judge this pair" not in arabic


def test_what_a_rater_wrote_is_not_kept(client, batch):
    page = start(client, batch).url
    item = codes(client.get(page))[0].removeprefix("rating-")
    client.post(f"{page}rate/", {"item": item, "value": "other", "words": "in my own words"})
    before = kept._kept_parts.cache_info().currsize
    assert "in my own words" in client.get(page).content.decode()
    assert kept._kept_parts.cache_info().currsize == before


NASTY = (
    "</script><script>alert(1)</script>",
    "\"'><b onmouseover=alert(1)>&amp; & {{ right }} {0} {left} %(left)s \\1 \\g<0>",
    f"{kept._MARK}-right- {kept._MARK}-code-",
    "نص عربي \u202e and \u2066English\u2069",
    "   ",
    "",
    "own_left",
    "<" * 500,
)


@pytest.mark.parametrize("language", ["en", "ar", ""])
def test_kept_and_not_kept_a_pair_is_the_same(batch, language):
    """Whatever its texts are, and whichever texts the kept part was first put together with."""
    common = {"wording": shown_wording(batch, "en"), "article_link": True, "read_only": False}
    for left, right in zip(NASTY, (*NASTY[1:], NASTY[0]), strict=True):
        pair = PairView("the-code", 1, left, right)
        page = QuestionnaireView("", "An article.", (pair,), language)
        shown = common | {"pair": pair, "page": page}
        alone = {name: getattr(pair, name) for name in ("code", "position", "left", "right", "is_long")}
        alone |= {"total": 1, "attributes": page.attributes, "reasons": page.said_reasons}
        whole = render_to_string("survey/_pair.html", shown).split()
        assert whole == render_to_string("survey/_item.html", shown | alone).split()
        assert "<script" not in " ".join(whole)
