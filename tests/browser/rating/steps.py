"""What a rater does on the page of a questionnaire, and what the site has of it."""

from playwright.sync_api import expect

from survey_site.survey.models import Rating

WAITS_TO_SUBMIT = "Not submitted yet: no connection. Your answers are kept and submitted as soon as possible."


def progress(page):
    """The count that only the script shows."""
    return page.locator("[data-progress]:visible")


def choose(page, pair, value):
    page.locator(f"#pair-{pair} .scale__option").nth(value - 1).click()


def rate_all(page, value=3):
    for pair in range(1, 7):
        choose(page, pair, value)


def saved(page):
    expect(page.get_by_role("status")).to_have_text("Saved")


def stored():
    """Values by position."""
    rows = Rating.objects.order_by("assignment_item__position")
    return dict(rows.values_list("assignment_item__position", "value"))


def submit(page):
    page.get_by_role("button", name="Submit").click()


def kept(page):
    """What the browser keeps for later."""
    return page.evaluate("Object.keys(localStorage).length")
