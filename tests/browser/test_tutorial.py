"""The tutorial, followed in a browser: its words in italics are those of the pages, in its order."""

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
FIRST, LAST = "## 2. Bring your texts", "## The same by command"
LEFT = ("lead", "title", "copycat", "reader-extract", "wrong-reader")


def words_in_italics(text):
    """What the tutorial says to press, fill in or look for; *file* is none where code stands around it."""
    prose = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    return re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", prose)


@pytest.fixture
def logged_in(page, login, admin, live_server):
    login(page, admin)
    page.goto(live_server.url)
    return page


def test_the_tutorial_leads_from_texts_to_a_report(logged_in, new_page, tmp_path):
    text = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    told = words_in_italics(text[text.index(FIRST) : text.index(LAST)])
    command = re.search(r"head -(\d) (\S+) > (\S+)", text)
    lines = (ROOT / command[2]).read_text(encoding="utf-8").splitlines(keepends=True)
    texts = tmp_path / command[3]
    texts.write_text("".join(lines[: int(command[1])]), encoding="utf-8")
    done = list(follow(logged_in, new_page, texts))
    assert done == told


def follow(page, new_page, texts):
    """Do what the tutorial says, step by step; yields the words in italics that led to it."""

    def press(word, role="button"):
        page.get_by_role(role, name=word, exact=True).first.click()
        return word

    yield press("Corpora", "link")
    yield press("Import a corpus", "link")
    page.get_by_label("JSONL file, or a table").set_input_files(texts)
    yield press("Import")
    yield press("Plan a batch", "link")
    page.get_by_label("Name", exact=True).fill("My first batch")
    expect(page.get_by_role("group", name="What is rated")).to_be_visible()
    yield "What is rated"
    for box in page.locator("[name=systems]").all():
        box.uncheck()
    for system in LEFT:
        page.get_by_role("checkbox", name=system, exact=True).check()
    page.get_by_label("How many documents").fill("2")
    page.keyboard.press("Tab")
    yield "How many documents"
    expect(page.get_by_role("heading", name="Effort")).to_be_visible()
    expect(page.get_by_text("about 11 minutes of raters' time").first).to_be_visible()
    yield "Effort"
    yield press("Save the draft")
    yield press("Walk through as a rater", "link")
    expect(page).to_have_url(re.compile("/walk/"))
    page.go_back()
    yield press("Launch …", "link")
    page.get_by_label("launch all the same").check()
    yield press("Launch")
    expect(page.get_by_role("heading", name="Link for raters")).to_be_visible()
    yield "Link for raters"
    link = page.locator("[data-copy-source], input[readonly]").first.input_value()
    told = [rate_as_one_person(new_page(), link, point) for point in (2, 5)]
    assert told[0] == told[1]
    yield from told[0]
    page.reload()
    page.locator("details.menu > summary").click()
    yield "Actions"
    yield press("Report …", "link")
    expect(page.get_by_role("button", name="Build the report", exact=True)).to_be_visible()
    for box in page.locator("[name=measures], [name=surrogates]").all():
        box.set_checked(box.get_attribute("value") == "rouge-l")  # the same steps, and less to compute
    yield press("Build the report")
    expect(page.get_by_role("heading", name="Report on My first batch")).to_be_visible()
    call_command("build_reports")  # the page comes anew by itself once that is done
    expect(page.get_by_text("These ratings cannot answer it yet").first).to_be_visible()
    yield "These ratings cannot answer it yet"
    expect(page.get_by_role("heading", name="Downloads")).to_be_visible()
    yield "Downloads"


def rate_as_one_person(page, link, point):
    """Both questionnaires; the words that led through them, once."""
    page.goto(link)
    page.get_by_role("button", name="I agree: start").click()
    for number in (1, 2):
        expect(page).to_have_title(f"Questionnaire {number}")
        for pair in range(1, 7):
            page.locator(f"#pair-{pair} .scale__option").nth((point + pair) % 6).click()
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()
        if number == 1:
            page.get_by_role("button", name="Next questionnaire").click()
    expect(page.get_by_text("There is nothing left for you to do.")).to_be_visible()
    return ["I agree: start", "Submit", "Next questionnaire"]
