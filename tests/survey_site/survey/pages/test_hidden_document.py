"""A batch whose raters see pairs alone, as the papers' did: no byte of the document reaches them."""

import pytest
from django.urls import reverse

from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_effort
from survey_site.batches.services import BatchSettings, update_batch
from survey_site.batches.wording import PAIRS_INSTRUCTIONS, THESIS_LABELS
from survey_site.common.errors import ConflictError
from survey_site.corpus.models import Document
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.survey_site.survey.pages.test_pages import start, url
from tests.survey_site.survey.people.test_languages import BOTH, visitor

pytestmark = pytest.mark.django_db
TITLE, BODY = "Zebra crossing", "Quagga body of the document"


def make_hidden(**settings):
    corpus = make_corpus()
    Document.objects.filter(corpus=corpus).update(title=TITLE, body=BODY)
    return make_batch(corpus=corpus, **({"document_shown": False} | settings))


@pytest.mark.parametrize("shown", [False, True])
def test_no_page_of_a_rater_holds_the_document_unless_it_is_shown(client, shown):
    batch = make_hidden(document_shown=shown)
    first = client.get(url("join", batch)).content.decode()
    page = client.get(start(client, batch).url).content.decode()
    assert (TITLE in page, BODY in page) == (shown, shown)
    assert ("article" in page.lower(), "article" in first.lower()) == (shown, shown)
    assert ("rating--beside" in page, page.count("Text 1")) == (shown, 3)
    assert "Submit. You can then go on with another set of pairs or stop." in first or shown


@pytest.mark.parametrize("launched", [False, True])
def test_neither_does_the_preview(researcher_client, launched):
    batch = make_hidden(launched=launched)
    page = researcher_client.get(reverse("batches:preview", args=[batch.pk])).content.decode()
    assert (TITLE in page, BODY in page, page.count("Text 1")) == (False, False, 3)


def test_the_instructions_follow_in_every_language():
    batch = make_hidden(languages=BOTH)
    assert batch.instructions == PAIRS_INSTRUCTIONS
    arabic = visitor("ar").get(url("join", batch)).content.decode()
    assert "يُرجى مقارنة النصين في كل زوج." in arabic
    assert "مقال" not in arabic
    draft = make_hidden(launched=False, languages=["ar"])
    assert draft.instructions.startswith("يُرجى مقارنة النصين")
    settings = {"name": "Pilot", "documents": 1, "instructions": draft.instructions}
    update_batch(batch=draft, settings=BatchSettings(**settings), now=NOW)
    assert Batch.objects.get(pk=draft.pk).instructions.startswith("Where an article is shown, read it first")


def test_it_is_decided_before_the_launch():
    batch = make_hidden()
    with pytest.raises(ConflictError, match="already work with its settings"):
        update_batch(batch=batch, settings=BatchSettings(name="Pilot", document_shown=True), now=NOW)


def test_nobody_is_told_to_take_the_time_of_reading_it():
    shown, hidden = (batch_effort(make_hidden(document_shown=shown)) for shown in (True, False))
    assert shown.minutes_each > hidden.minutes_each


def test_all_six_points_show_their_words_where_they_have_some(client):
    batch = make_hidden(scale="dissimilarity", languages=BOTH, **THESIS_LABELS)
    page = client.get(start(client, batch).url).content.decode()
    for point, words in enumerate(THESIS_LABELS.values(), 1):
        assert page.count(f'<span>{point}<span class="scale__word">{words}</span></span>') == 3
    assert ("scale__end" in page, page.count("scale--worded")) == (False, 3)
    arabic = visitor("ar").get(url("join", batch)).content.decode()
    assert '<span class="scale__word">متشابهان إلى حدٍّ ما</span>' in arabic
    plain = client.get(start(client, make_hidden()).url).content.decode()
    assert ("scale__word" in plain, "scale__end" in plain) == (False, True)
