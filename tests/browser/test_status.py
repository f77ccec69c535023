"""The status page on a phone."""

from django.urls import reverse
from django.utils import timezone

from survey_site.operations.presence import show_presence
from tests.browser.conftest import PHONE, scrolls_sideways

HIDDEN = """() => [...document.querySelectorAll(".table-scroll")]
  .filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"""


def test_no_table_scrolls_sideways(page, login, admin, live_server):
    now = timezone.now()
    show_presence("celery@a-machine-of-a-long-name", "celery,cpu,gpu,llm", started_at=now, now=now)
    login(page, admin)
    page.set_viewport_size(PHONE)
    page.goto(live_server.url + reverse("operations:status"))
    assert page.locator(".table--stack").count() == 3
    assert (page.evaluate(HIDDEN), scrolls_sideways(page)) == ([], False)
