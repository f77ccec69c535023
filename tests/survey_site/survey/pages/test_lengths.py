"""What a page says and does about the length of what there is to read."""

import re

import pytest

from survey_site.batches.queries import Shortness, documents_of, what_is_short
from survey_site.corpus.models import Document, Reference
from survey_site.corpus.services import measure_texts
from survey_site.survey.pages.questionnaire import LONG_ARTICLE, LONG_TEXT, PairView, QuestionnaireView
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus
from tests.survey_site.survey.pages.test_pages import start, url

WORD = "words "  # as long as one is taken to be


def batch_of(*, article, text, longest=0):
    """A batch with articles and texts of so many words; one article has `longest`."""
    corpus = make_corpus()
    Document.objects.filter(corpus=corpus).update(body=WORD * article)
    if longest:
        Document.objects.filter(pk=corpus.documents.first().pk).update(body=WORD * longest)
    Reference.objects.filter(document__corpus=corpus).update(text=WORD * text)
    measure_texts(corpus)
    return make_batch(corpus=corpus)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"article": 600, "text": 99}, Shortness(articles=True, texts=True)),
        ({"article": 601, "text": 101}, Shortness(articles=False, texts=False)),
        ({"article": 10, "text": 10, "longest": 601}, Shortness(articles=False, texts=True)),
    ],
)
def test_only_what_is_short_is_called_so(client, words, expected):
    batch = batch_of(**words)
    assert what_is_short(batch, documents_of(batch)) == expected
    page = client.get(url("join", batch)).content.decode()
    assert ("a short article" in page, "short texts" in page) == (expected.articles, expected.texts)
    assert ("Read an article." in page, "Compare texts" in page) == (
        not expected.articles,
        not expected.texts,
    )


def test_a_pair_is_long_where_one_of_its_texts_is():
    long, short = "x" * (LONG_TEXT + 1), "x" * LONG_TEXT
    pairs = [(short, short), (long, short), ("", long)]
    assert [PairView("c", 1, *texts).is_long for texts in pairs] == [False, True, True]
    bodies = ("x" * LONG_ARTICLE, "x" * (LONG_ARTICLE + 1))
    assert [QuestionnaireView("", body, ()).is_long for body in bodies] == [False, True]


@pytest.mark.django_db
def test_only_what_may_scroll_is_one_more_stop_of_the_keyboard(client):
    page = client.get(start(client, batch_of(article=10, text=10)).url).content.decode()
    assert re.findall(r'tabindex="0" aria-label="([^"]+)"', page) == ["The article"]
    assert "Read on" not in page
    page = client.get(start(client, batch_of(article=300, text=100)).url).content.decode()
    stops = re.findall(r'tabindex="0" aria-label="([^"]+)"', page)
    assert stops == ["The article", "Text 1", "Text 2"]  # the pair of references
    assert "Read on" in page
