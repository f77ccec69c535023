"""A questionnaire about a story of many pages, whose texts are as long as those that real corpora hold."""

from playwright.sync_api import expect

from survey_site.corpus.models import Document, Reference, Summary
from survey_site.corpus.services import measure_texts
from tests.browser.conftest import wait_until_loaded
from tests.browser.rating.steps import progress
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus

SENTENCE = "The lighthouse keeper counted the ships again, and again there was one too many. "


def make_long_batch(**settings):
    """About 5,000 words to read and three pairs of texts of 240 words each."""
    corpus = make_corpus(documents=2)
    story = "\n\n".join(SENTENCE * 8 for _ in range(45))
    Document.objects.filter(corpus=corpus).update(title="The keeper", body=story)
    Reference.objects.filter(document__corpus=corpus).update(text=SENTENCE * 17)
    for number, summary in enumerate(Summary.objects.filter(document__corpus=corpus)):
        summary.text = f"Version {number}. " + SENTENCE * 17
        summary.save()
    measure_texts(corpus)
    return make_batch(corpus=corpus, **settings)


def start_long(page, batch, open_survey, *, scripts=True):
    """Open a page's first questionnaire and wait for its styles, and for its script, where it has one."""
    open_survey(page, batch)
    page.locator(".start-bar .button--primary").click()
    expect(page.locator("#pair-1")).to_be_visible()
    wait_until_loaded(page)
    if scripts:
        expect(progress(page)).to_be_visible()


def in_view(locator):
    """Whether all of an element's box is in the window and nothing lies over its middle."""
    return locator.evaluate(
        """one => {
          const { top, bottom, left, right } = one.getBoundingClientRect();
          const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
          const isInside = top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
          return isInside && (one.contains(hit) || hit.contains(one));
        }"""
    )


def scroll_to(page, y):
    page.evaluate("y => scrollTo({ top: y, behavior: 'instant' })", y)


def scrollable_height(page):
    """How far a page scrolls, in CSS pixels."""
    return page.evaluate("document.documentElement.scrollHeight - innerHeight")
