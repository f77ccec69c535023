"""What only a browser shows of the survey from right to left: its sides, keys and script, on a phone too."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from survey_site.batches.services import close_batch, launch_batch, pause_batch
from survey_site.corpus.models import Corpus
from survey_site.survey.models import Rater
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.browser.conftest import PHONE, scrolls_sideways, tab_to, wait_until_loaded
from tests.browser.rating.steps import choose, progress, stored
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all

AGREE, SUBMIT, GO_ON, NEXT = "أوافق: بدء", "إرسال", "متابعة", "الاستبيان التالي"
THANKS = "شكرًا لك!"


def make_arabic_batch(*, documents=2, raters=2, systems=2, languages=("ar",), **settings):
    corpus = make_corpus(documents=documents, systems=systems)
    Corpus.objects.update(language="en")
    batch = make_batch(corpus=corpus, raters=raters, launched=False, languages=languages)
    save_participation(batch=batch, settings=ParticipationSettings(**settings), now=NOW)
    return launch_batch(batch=batch, now=NOW)


def heading(page, text):
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


@pytest.fixture
def sound(page, violations):
    """No axe violation, light and dark and on a phone (200 % of 720 pixels); nothing scrolls sideways."""

    def check(at=page):
        assert at.evaluate("document.documentElement.dir") == "rtl"
        for colours in ("light", "dark"):
            at.emulate_media(color_scheme=colours)
            assert violations(at) == []
        at.set_viewport_size(PHONE)
        assert not scrolls_sideways(at)
        assert violations(at) == []
        at.emulate_media(color_scheme="light")
        at.set_viewport_size({"width": 1280, "height": 800})

    return check


def test_the_whole_way_in_arabic(page, open_survey, sound):
    batch = make_arabic_batch(practice=True, questions=["field", "gender", "age"])
    open_survey(page, batch)
    page.get_by_text("أمثلة", exact=True).click()
    sound()
    page.get_by_role("link", name="لا، شكرًا").click()
    heading(page, "لا بأس في ذلك. شكرًا لك على القراءة!")
    sound()
    page.get_by_role("link", name="العودة في حال تغيير الرأي").click()
    heading(page, "مقارنة نصوص قصيرة")
    press(page, AGREE)
    heading(page, "قبل البدء: معلومات عنك")
    sound()
    page.get_by_label("من 25 إلى 34").check()
    press(page, GO_ON)
    heading(page, "3 أزواج للتدريب")
    sound()
    choose(page, 1, 5)
    press(page, "عرض تقييمنا لها")
    expect(page.get_by_text("تقييمك: 5. وهذا يوافق تقييمنا: 5 أو 6.")).to_be_visible()
    sound()
    press(page, "الانتقال إلى الاستبيان الأول")
    heading(page, "مقارنة 3 أزواج من النصوص")
    page.get_by_text("التعليمات", exact=True).click()
    sound()
    choose(page, 2, 4)
    expect(page.get_by_role("status")).to_have_text("تم الحفظ")
    press(page, SUBMIT)
    expect(page.get_by_role("alert")).to_have_text("يُرجى تقييم الزوجين 1 و3 أيضًا.")
    sound()
    choose(page, 1, 1)
    choose(page, 3, 6)
    expect(page.locator("[data-progress]")).to_have_text("قُيّم 3 من 3")
    press(page, SUBMIT)
    heading(page, THANKS)
    expect(page.get_by_text("أكملت استبيانًا واحدًا.")).to_be_visible()
    sound()
    assert stored() == {1: 1, 2: 4, 3: 6}


def test_coming_back_leaving_and_the_ends(page, browser, open_survey, sound):
    batch = make_arabic_batch(documents=1, raters=1)
    open_survey(page, batch)
    press(page, AGREE)
    heading(page, "مقارنة 3 أزواج من النصوص")
    late = browser.new_context().new_page()
    open_survey(late, batch)
    expect(late.get_by_text("جميع الأماكن مشغولة")).to_be_visible()
    sound(late)
    late.context.close()
    open_survey(page, batch)
    expect(page.get_by_text("مرحبًا بعودتك")).to_be_visible()
    sound()
    press(page, GO_ON)
    heading(page, "مقارنة 3 أزواج من النصوص")
    page.get_by_role("link", name="يمكنك التوقف متى شئت").click()
    heading(page, "خيارات المغادرة")
    sound()
    press(page, "التوقف هنا")
    heading(page, "يمكنك المتابعة متى شئت")
    sound()
    pause_batch(batch=batch, now=NOW)
    open_survey(page, batch)
    heading(page, "هذا الاستطلاع متوقف مؤقتًا")
    sound()
    page.goto(page.url + "leave/")
    page.get_by_text("أريد الانسحاب", exact=True).click()
    sound()
    press(page, "حذف إجاباتي والانسحاب")
    heading(page, "تم انسحابك")
    sound()
    close_batch(batch=batch, now=NOW)
    closed = browser.new_context().new_page()
    open_survey(closed, batch)
    heading(closed, "هذا الاستطلاع مغلق")
    sound(closed)
    closed.context.close()


def test_panel_members_and_wrong_links(page, live_server, sound):
    batch = make_arabic_batch(
        documents=1,
        raters=1,
        entry="panel",
        no_place_code="N0NE",
        return_address="https://panel.example/{code}",
    )
    address = live_server.url + reverse("survey:join", args=[batch.token])
    page.goto(address)
    heading(page, "يُرجى فتح الرابط المرسل إليك")
    sound()
    submit_all(make_assignment(batch, rater=make_rater(batch, entry="panel")))
    page.goto(address + "?PROLIFIC_PID=p1")
    expect(page.get_by_text("N0NE")).to_be_visible()
    sound()
    page.goto(address + "i/wrong/")
    heading(page, "غير موجود")
    sound()


def test_by_keyboard_alone_arrows_follow_what_is_seen(page, open_survey, problems):
    """The scale begins at the right, as reading does; the arrow to the left goes to the next higher point."""
    open_survey(page, make_arabic_batch())
    tab_to(page, "document.activeElement.matches('.start-bar .button--primary')")
    page.keyboard.press("Enter")
    heading(page, "مقارنة 3 أزواج من النصوص")
    expect(progress(page)).to_be_visible()
    points = page.locator("#pair-1 .scale__option")
    assert points.nth(0).bounding_box()["x"] > points.nth(5).bounding_box()["x"]
    tab_to(page, "document.activeElement.matches('#pair-1 input')")
    page.keyboard.press("3")
    page.keyboard.press("ArrowLeft")
    expect(points.locator("input:checked")).to_have_value("4")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(points.locator("input:checked")).to_have_value("2")
    tab_to(page, "document.activeElement.matches('#pair-2 input')")
    page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '٥', bubbles: true}))"
    )
    tab_to(page, "document.activeElement.matches('#pair-3 input')")
    page.keyboard.press("6")
    expect(page.get_by_role("status")).to_have_text("تم الحفظ")
    page.keyboard.press("Enter")
    heading(page, THANKS)
    assert (stored(), problems) == ({1: 2, 2: 5, 3: 6}, [])


def test_texts_run_in_their_own_direction(page, open_survey):
    open_survey(page, make_arabic_batch())
    press(page, AGREE)
    heading(page, "مقارنة 3 أزواج من النصوص")
    wait_until_loaded(page)
    text = page.locator("#pair-1 .pair__words").first
    assert text.evaluate("one => [one.lang, getComputedStyle(one).direction]") == ["en", "ltr"]
    assert page.locator(".pair__label").first.evaluate("one => getComputedStyle(one).direction") == "rtl"
    first, second = (page.locator("#pair-1 .pair__text").nth(n).bounding_box() for n in (0, 1))
    assert first["x"] > second["x"]


def test_another_language_in_the_middle_loses_no_answer(browser, open_survey):
    """The script saves one by one; without it the form brings them, as the tests of the pages show."""
    page = browser.new_context(locale="en-GB").new_page()
    open_survey(page, make_arabic_batch(languages=["ar", "en"]))
    heading(page, "Compare short texts")
    press(page, "العربيّة")
    heading(page, "مقارنة نصوص قصيرة")
    press(page, AGREE)
    heading(page, "مقارنة 3 أزواج من النصوص")
    choose(page, 1, 5)
    choose(page, 3, 2)
    press(page, "English")
    heading(page, "Compare 3 pairs of texts")
    expect(page.locator("#pair-1 input:checked")).to_have_value("5")
    expect(page.locator("#pair-3 input:checked")).to_have_value("2")
    assert (stored(), Rater.objects.get().language) == ({1: 5, 3: 2}, "en")
    page.context.close()


def test_without_a_connection_the_language_stays_and_it_is_said_in_arabic(page, open_survey):
    open_survey(page, make_arabic_batch(languages=["ar", "en"]))
    press(page, "العربيّة")
    heading(page, "مقارنة نصوص قصيرة")
    press(page, AGREE)
    heading(page, "مقارنة 3 أزواج من النصوص")
    expect(progress(page)).to_be_visible()
    page.context.set_offline(True)
    choose(page, 1, 5)
    expect(page.get_by_role("status")).to_contain_text(
        "لم يُحفظ بعد: لا يوجد اتصال. إجاباتك محفوظة في هذا المتصفح"
    )
    press(page, "English")
    heading(page, "مقارنة 3 أزواج من النصوص")
    page.context.set_offline(False)
    expect(page.get_by_role("status")).to_have_text("تم الحفظ")
    assert stored() == {1: 5}


def test_an_admin_writes_examples_in_arabic(page, live_server, login, violations):
    login(page, make_user(role="admin"))
    batch = make_batch(launched=False, languages=["en", "ar"])
    page.goto(live_server.url + reverse("batches:participation", args=[batch.pk]))
    page.get_by_role("link", name="Arabic").click()
    heading(page, "Texts in Arabic")
    page.get_by_text("Worked example 1", exact=True).click()
    field = page.locator("#id_example-1-left")
    assert field.evaluate("one => getComputedStyle(one).direction") == "rtl"
    field.fill("قط ينام")
    page.locator("#id_example-1-right").fill("كلب ينبح")
    page.locator("#id_example-1-low").select_option("1")
    page.locator("#id_example-1-high").select_option("2")
    press(page, "Save the texts")
    expect(page.get_by_text("A pair needs both texts, its rating and a reason.")).to_be_visible()
    assert violations(page) == []
    page.locator("#id_example-1-why").fill("حيوانان مختلفان")
    press(page, "Save the texts")
    expect(page.get_by_role("status")).to_have_text("Saved.")
    page.set_viewport_size(PHONE)
    assert (violations(page), scrolls_sideways(page)) == ([], False)
    page.get_by_role("link", name="Preview").click()
    page.get_by_text("التعليمات", exact=True).click()
    expect(page.get_by_text("حيوانان مختلفان")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize(
    ("language", "button", "listed"),
    [("en", "I agree: start", "2, 3, 4 and 6"), ("ar", AGREE, "2 و3 و4 و6")],
)
def test_missing_pairs_are_listed_alike_with_and_without_the_script(
    new_page, open_survey, language, button, listed
):
    batch = make_arabic_batch(systems=5, languages=(language,))
    said = []
    for scripts in (True, False):
        page = new_page(java_script_enabled=scripts)
        open_survey(page, batch)
        press(page, button)
        if scripts:
            expect(progress(page)).to_be_visible()
        for pair in (1, 5):
            choose(page, pair, 3)
        page.locator("[data-submit]").click()
        said.append(page.get_by_role("alert").filter(visible=True))
    by_script, by_server = said
    expect(by_script).to_contain_text(f" {listed} ")
    expect(by_server.locator("a")).to_have_count(4)
    words = by_server.locator("a").all_inner_texts()
    separators = by_server.locator("p").last.inner_text()
    for word in words:
        separators = separators.replace(word, word.split()[-1])
    assert listed in separators
