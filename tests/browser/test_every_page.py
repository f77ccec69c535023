"""Every page of the site in a real browser, with the demonstration's data: axe finds nothing on any."""

import io
from functools import partial
from itertools import islice

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from survey_site.batches.services import close_batch, launch_batch, pause_batch
from survey_site.corpus.queries import load_corpus
from survey_site.demo.services import _ensure_report, prepare_demo
from survey_site.quality.freezing import freeze_batch
from survey_site.scoring.given.services import import_distances
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.browser.rating.steps import choose
from tests.browser.walking import Walk, filled, is_page, routes
from tests.factories.batches import NOW, make_batch
from tests.factories.given import distances_table
from tests.factories.scoring import make_rated_batch
from tests.factories.webhooks import make_webhook

FEW = 1_000
SMALL = {"DOCUMENTS": 3, "SIMULATED_RATERS": 3, "MEASURES": ("jsd",)}
FULL = {
    "questions": ("gender", "age"),
    "practice": True,
    "limit": 1,
    "completed_code": "C0DE",
    "partial_code": "EARLY",
    "researchers": "The Institute",
    "contact": "study@example.org",
}


PAGES_AT_LEAST = 50
HELP = ("glossary", "reports", "models", "settings")
WALKED = ("leave/withdraw", "late", "done")
"""Of pages that are one template or that raters see as they are, some."""
ALL_STATES = {"batches/<int:pk>/", "batches/<int:pk>/participation/", "keep/<slug:kind>/<int:pk>/delete/"}
"""Routes whose page is another one for a draft, a batch that runs and a frozen one."""


@pytest.fixture
def walk(page):
    return Walk(page)


@pytest.fixture
def demo(monkeypatch, settings, tmp_path):
    """The demonstration, smaller; a draft on which everything is asked; and a frozen batch with distances."""
    settings.CONCORD_DATA_DIR = tmp_path
    for name, value in SMALL.items():
        monkeypatch.setattr(f"survey_site.demo.services.{name}", value)
    monkeypatch.setattr(
        "survey_site.demo.services._ensure_prompts", lambda *_: None
    )  # its pages are like these
    monkeypatch.setattr("survey_site.demo.services._ensure_report", partial(_ensure_report, resamples=FEW))
    demo = prepare_demo(now=timezone.now(), say=lambda _line: None)
    draft = make_batch(corpus=demo.corpus, launched=False, name="Draft", languages=["en", "ar"], documents=2)
    save_participation(batch=draft, settings=ParticipationSettings(**FULL), now=NOW)
    frozen = close_batch(batch=make_rated_batch(), now=NOW)
    freeze_batch(batch=frozen, clock=lambda: NOW)
    table = io.BytesIO(distances_table(load_corpus(frozen.corpus)))
    given = import_distances(corpus=frozen.corpus, name="mine", files=[("mine.csv", table)], now=NOW).row
    return demo, draft, frozen, given


def values_of(demo, draft, frozen, given, admin):
    """What stands in the parts of a route, for each address of it that is looked at."""
    live = {
        "run": demo.model_run.pk,
        "code": demo.batch.people.first().code,
        "exclusion": 0,
        "language": "en",
    }
    kept = {"batch": frozen, "report": demo.report, "corpus": demo.corpus}
    by_part = {
        "<path:page>": [{"pk": draft.pk, "language": "ar", "page": page} for page in WALKED],
        "<slug:kind>": [{"kind": kind, "pk": row.pk} for kind, row in kept.items()],
        "<int:corpus>": [{"corpus": given.corpus_id, "pk": given.pk}],
        "batches/": [live | {"pk": batch.pk} for batch in (demo.batch, draft, frozen)],
        "corpora/": [{"pk": demo.corpus.pk}],
        "reports/": [{"pk": demo.report.pk, "name": "forest"}],
        "help/": [{"name": name} for name in HELP],
        "webhooks/": [{"pk": make_webhook("https://example.org/hook", owner=admin).pk, "delivery": 0}],
        "projects/": [{"pk": demo.corpus.project_id, "user": admin.pk}],
        "studies/": [{"pk": demo.study.pk, "name": "results.zip"}],
        "": [{"pk": admin.pk, "secret": "none"}],
    }
    return lambda route: next(values for part, values in by_part.items() if part in route)


@pytest.fixture
def staff(walk, login, admin):
    """A walk of an admin."""
    login(walk.page, admin)
    return walk


@pytest.fixture
def values(demo, admin):
    return values_of(*demo, admin)


def test_every_page_of_staff(staff, values, client, live_server):
    for route in routes(("s/", "admin/", "api/")):
        pages = (one for one in filled(route, values) if is_page(client, one))
        many = route in ALL_STATES or "page>" in route or "help/" in route
        for address in islice(pages, None if many else 1):
            staff.page.goto(live_server.url + address)
            staff.look_in_turn(address)
    assert len(staff.seen) > PAGES_AT_LEAST
    assert staff.faults == []


def test_every_page_of_strangers_and_raters(walk, live_server, open_survey):
    batch = make_batch(launched=False, languages=["en", "ar"], raters=3, documents=1)
    settings = ParticipationSettings(**FULL)
    save_participation(batch=batch, settings=settings, now=NOW)
    launch_batch(batch=batch, now=NOW)
    page, button = walk.page, lambda name: walk.page.get_by_role("button", name=name)
    for name in ("home", "accounts:login", "accounts:forgotten"):
        page.goto(live_server.url + reverse(name))
        walk.look_in_turn(name)
    page.goto(f"{live_server.url}/nowhere/")
    walk.look_in_turn("no such page")
    open_survey(page, batch)
    walk.look("first page")
    button("I agree: start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Before you start: about you")
    walk.look_closely("questions about the person")
    button("Go on").click()
    expect(page.get_by_role("heading", name="to practise")).to_be_visible()
    walk.look_closely("practice")
    page.locator("#pair-1 .scale__option").first.click()
    button("See how we would rate them").click()
    expect(page.get_by_role("heading", name="How you rated")).to_be_visible()
    walk.look_closely("how one practised")
    button("Go on to the first questionnaire").click()
    expect(page.locator("#pair-1")).to_be_visible()
    walk.look("questionnaire")
    page.locator("#pair-2 summary").click()
    button("Submit").click()
    expect(page.get_by_role("alert")).to_be_visible()
    walk.look_closely("a mark opened, ratings missing")
    for pair in (1, 2, 3):
        choose(page, pair, 4)
    button("Submit").click()
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()
    walk.look_closely("last page")
    for name in ("leave", "declined"):
        page.goto(live_server.url + reverse(f"survey:{name}", args=[batch.token]))
        walk.look_closely(name)
    for end, state in ((pause_batch, "paused"), (close_batch, "closed")):
        end(batch=batch, now=NOW)
        page.context.clear_cookies()
        open_survey(page, batch)
        expect(page.get_by_role("heading", name=state)).to_be_visible()
        walk.look_closely(state)
    assert walk.faults == []


def test_every_way_in_and_out_of_raters(walk, live_server, open_survey):
    page, button = walk.page, lambda name: walk.page.get_by_role("button", name=name)
    open_survey(page, taking_part(entry="invitation"))
    walk.look_closely("a personal link is needed")
    batch = taking_part(entry="panel", limit=2, partial_code="EARLY", no_place_code="N0NE", documents=2)
    open_survey(page, batch)
    walk.look_closely("the id of a panel is needed")
    panel = live_server.url + reverse("survey:join", args=[batch.token]) + "?PROLIFIC_PID="
    page.goto(f"{panel}first")
    button("I agree: start").click()
    expect(page.locator("#pair-1")).to_be_visible()
    button("Submit").click()
    expect(page.get_by_role("alert")).to_be_visible()
    choose(page, 1, 4)
    walk.look_closely("a pair rated, others missing")
    page.goto(live_server.url + reverse("survey:leave", args=[batch.token]))
    page.get_by_text("I want to withdraw", exact=True).click()
    walk.look_closely("asked whether to withdraw")
    button("Delete my answers and withdraw").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You have withdrawn")
    walk.look_closely("withdrawn")
    for end, state in ((pause_batch, "paused"), (close_batch, "closed")):
        end(batch=batch, now=NOW)
        page.context.clear_cookies()
        page.goto(f"{panel}{state}")
        expect(page.get_by_role("heading", name=state)).to_be_visible()
        walk.look_closely(f"a panel member comes, {state}")
    assert walk.faults == []


def taking_part(*, documents=1, **settings):
    """A launched batch into which people come as these settings say."""
    batch = make_batch(launched=False, documents=documents)
    save_participation(batch=batch, settings=ParticipationSettings(**settings), now=NOW)
    return launch_batch(batch=batch, now=NOW)
