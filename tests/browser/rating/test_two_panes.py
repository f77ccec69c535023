"""What is read stands beside what is rated: long documents, the usual ones, wide windows and phones."""

import pytest
from playwright.sync_api import expect

from meta_eval.corpus.jsonl import read_jsonl
from survey_site.corpus.services import import_corpus
from survey_site.demo.services import CORPUS_FILE
from survey_site.survey.models import Assignment
from tests.browser.conftest import PHONE, resize, scrolls_sideways
from tests.browser.rating.long import in_view, make_long_batch, scroll_to, scrollable_height, start_long
from tests.browser.rating.steps import choose, progress, rate_all, submit
from tests.factories.batches import NOW, make_batch

NOTCH = 100  # CSS pixels that one notch of a mouse wheel scrolls
LAPTOP = {"width": 1280, "height": 800}


@pytest.fixture
def long_page(page, open_survey):
    start_long(page, make_long_batch(), open_survey)
    return page


@pytest.fixture
def demo(page, open_survey):
    """A questionnaire of the demonstration."""
    corpus = import_corpus(
        corpus=read_jsonl(CORPUS_FILE), name="Demo", source="", language="en", now=NOW
    ).corpus
    start_long(page, make_batch(corpus=corpus, documents=4), open_survey)
    return page


def bottom_bar(page):
    return page.locator(".rating-bar").bounding_box()["y"]


def texts(page, pair):
    return page.locator(f"#pair-{pair} .pair__text")


def test_document_question_and_a_scale_are_in_view_wherever_one_is(long_page, violations):
    resize(long_page, LAPTOP)
    article, question = (
        long_page.get_by_role("region", name="The article"),
        long_page.locator(".rating__question"),
    )
    height = scrollable_height(long_page)
    assert height < 3 * LAPTOP["height"]
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        scroll_to(long_page, height * share)
        expect(article).to_be_in_viewport(ratio=0.9)
        assert in_view(question)
        assert any(in_view(scale) for scale in long_page.locator(".scale__options").all())
    assert violations(long_page) == []


def test_the_texts_of_a_long_pair_show_nowhere_below_its_scale(long_page):
    resize(long_page, LAPTOP)
    number, scale = (
        long_page.locator(f"#pair-1 {part}").bounding_box() for part in (".item__number", ".scale")
    )
    assert (number["y"], number["height"]) == (scale["y"], scale["height"])
    assert number["x"] + number["width"] == pytest.approx(scale["x"], abs=1)


def test_one_step_leads_from_anywhere_to_the_pair_that_is_next(long_page):
    resize(long_page, LAPTOP)
    choose(long_page, 1, 4)
    following = long_page.get_by_role("link", name="Next: pair 2")
    for y in (0, scrollable_height(long_page)):
        scroll_to(long_page, y)
        following.click()
        expect(long_page.locator("#pair-2")).to_be_in_viewport(ratio=1)
        for part in (*texts(long_page, 2).all(), long_page.locator("#pair-2 .scale__options")):
            assert in_view(part)
        assert long_page.locator("#pair-2 .scale").bounding_box()["y"] < bottom_bar(long_page)
        expect(long_page.get_by_role("region", name="The article")).to_be_in_viewport(ratio=0.9)
    choose(long_page, 2, 4)
    choose(long_page, 3, 4)
    expect(long_page.locator("[data-next]")).to_be_hidden()


def test_the_document_and_long_texts_scroll_by_keyboard(long_page):
    resize(long_page, LAPTOP)
    scrollers = [long_page.get_by_role("region", name="The article"), texts(long_page, 1).nth(1)]
    for scroller in scrollers:
        scroller.focus()
        long_page.keyboard.press("End")
        long_page.wait_for_function("() => document.activeElement.scrollTop > 100")
        expect(scroller).to_be_in_viewport(ratio=0.9)
    expect(long_page.get_by_role("group", name="Text 2")).to_have_count(3)


@pytest.mark.parametrize("scripts", [True, False])
def test_on_a_phone_the_document_is_folded_and_every_pair_leads_back_to_it(new_page, open_survey, scripts):
    page = new_page(viewport=PHONE, java_script_enabled=scripts)
    start_long(page, make_long_batch(), open_survey, scripts=scripts)
    article = page.get_by_role("region", name="The article")
    assert article.bounding_box()["height"] <= 0.6 * PHONE["height"] + 1
    page.get_by_text("Read on", exact=True).click()
    expect(page.get_by_text("Show less", exact=True)).to_be_in_viewport()
    assert article.bounding_box()["height"] > 20 * PHONE["height"]
    page.get_by_role("link", name="Go to the pairs").click()
    expect(page.locator("#pair-1 .item__number")).to_be_in_viewport()
    page.locator("#pair-3").get_by_role("link", name="Back to the article").click()
    expect(page.get_by_role("heading", name="The keeper")).to_be_in_viewport()
    page.get_by_text("Show less", exact=True).click()
    expect(page.get_by_text("Read on", exact=True)).to_be_visible()
    assert article.bounding_box()["height"] <= 0.6 * PHONE["height"] + 1


def test_on_a_phone_both_texts_of_a_long_pair_are_in_view_with_their_scale(page, open_survey, violations):
    page.set_viewport_size(PHONE)
    start_long(page, make_long_batch(), open_survey)
    page.get_by_role("link", name="Next: pair 1").click()
    for part in (*texts(page, 1).all(), page.locator("#pair-1 .scale__options")):
        expect(part).to_be_in_viewport(ratio=1)
        assert in_view(part)
    assert not scrolls_sideways(page)
    assert violations(page) == []


@pytest.mark.parametrize("size", [{"width": 320, "height": 640}, {"width": 640, "height": 400}])
def test_long_documents_fit_narrow_windows_and_200_percent_zoom(page, open_survey, violations, size):
    page.set_viewport_size(size)
    start_long(page, make_long_batch(), open_survey)
    assert not scrolls_sideways(page)
    assert violations(page) == []


def test_from_right_to_left_the_document_stands_at_the_right(page, open_survey, violations):
    page.set_viewport_size(LAPTOP)
    page.emulate_media(color_scheme="dark")
    start_long(page, make_long_batch(languages=["ar"]), open_survey)
    article = page.get_by_role("region", name="المقال").bounding_box()
    form = page.locator("#rating-form").bounding_box()
    assert form["x"] + form["width"] < article["x"]
    assert article["y"] < form["y"] + 100
    assert not scrolls_sideways(page)
    assert violations(page) == []


def test_what_a_rater_folds_stays_folded_and_what_they_open_open(page, open_survey):
    page.set_viewport_size(LAPTOP)
    start_long(page, make_long_batch(), open_survey)
    article, what_to_do = page.locator("#article-fold"), page.locator("#instructions")
    page.get_by_text("What to do", exact=True).click()
    page.get_by_text("The article", exact=True).click()
    expect(page.get_by_role("region", name="The article")).to_be_hidden()
    # Folded, it leaves its room to the pairs.
    assert page.locator("#pair-1").bounding_box()["x"] == article.bounding_box()["x"]

    def stays():
        expect(progress(page)).to_be_visible()
        expect(article).not_to_have_attribute("open", "")
        expect(what_to_do).to_have_attribute("open", "")

    page.reload()
    stays()
    for pair in (1, 2, 3):
        choose(page, pair, 3)
    submit(page)
    page.get_by_role("button", name="Next questionnaire").click()
    expect(page.get_by_text("Questionnaire 2 of about 2")).to_be_visible()
    stays()


def test_the_pairs_of_a_long_questionnaire_are_printed_whole(long_page):
    choose(long_page, 2, 5)
    long_page.emulate_media(media="print")
    for part in (long_page.get_by_role("region", name="The article"), texts(long_page, 1).first):
        assert part.evaluate("one => one.scrollHeight <= one.clientHeight")
    chosen = long_page.locator("#pair-2 .scale__option > span").nth(4)
    expect(chosen).to_be_visible()
    assert chosen.evaluate("one => getComputedStyle(one).printColorAdjust") == "exact"
    expect(long_page.get_by_role("button", name="Submit")).to_be_hidden()


def test_two_whole_pairs_stand_beside_the_article_of_the_demonstration(demo, violations):
    resize(demo, LAPTOP)
    assert in_view(demo.get_by_role("region", name="The article"))
    for pair in (1, 2):
        expect(demo.locator(f"#pair-{pair}")).to_be_in_viewport(ratio=1)
        box = demo.locator(f"#pair-{pair}").bounding_box()
        assert box["y"] + box["height"] <= bottom_bar(demo)
    assert violations(demo) == []


def test_a_scale_stays_where_it_is_when_it_is_rated(demo):
    resize(demo, LAPTOP)
    scale = demo.locator("#pair-1 .scale__options")
    before = scale.bounding_box()
    choose(demo, 1, 6)
    expect(progress(demo)).to_have_text("1 of 6 rated")
    assert scale.bounding_box() == before


def test_a_questionnaire_of_the_demonstration_takes_at_most_eight_notches_of_a_wheel(demo):
    resize(demo, LAPTOP)
    expect(demo.locator("[data-item]")).to_have_count(6)
    assert scrollable_height(demo) <= 8 * NOTCH
    rate_all(demo)
    submit(demo)
    demo.wait_for_url("**/done/")
    assert Assignment.objects.get().state == "submitted"
