"""Which scripts a browser asks a site with collected files for, and how often."""

import re

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test.testcases import LiveServerThread
from django.urls import reverse
from playwright.sync_api import expect

from survey_site.operations.static_files import collect_into
from tests.browser.rating.steps import progress, rate_all, submit
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus

SCRIPTS = ["at-once", "digits", "folds", "kept", "place", "rating"]


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    return collect_into(tmp_path_factory.mktemp("collected"))


@pytest.fixture
def asked():
    """The paths that the site was asked to send; what a browser has kept it does not ask for."""
    return []


@pytest.fixture
def site(collected, asked, settings):
    """The address of a site that serves collected files by itself, as a test's live server does not."""
    settings.STATIC_ROOT = collected
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = False
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "survey_site.common.stylesheet.SiteFilesStorage"}
    }

    def noting(_media_files):
        handler = WSGIHandler()

        def note(environ, start_response):
            if environ["REQUEST_METHOD"] == "GET":
                asked.append(environ["PATH_INFO"])
            return handler(environ, start_response)

        return note

    server = LiveServerThread("127.0.0.1", static_handler=noting)
    server.start()
    server.is_ready.wait()
    assert server.error is None
    yield f"http://127.0.0.1:{server.port}"
    server.terminate()


def test_a_questionnaire_names_all_scripts_at_once_and_none_is_asked_for_twice(site, asked, page, problems):
    answers = []
    batch = make_batch(corpus=make_corpus(documents=3, systems=5))
    page.on("response", lambda one: answers.append(one) or None)
    page.goto(site + reverse("survey:join", args=[batch.token]))
    page.get_by_role("button", name="Start").click()
    expect(progress(page)).to_have_text("0 of 6 rated")
    scripts = sorted(path for path in asked if path.endswith(".js"))
    assert [re.fullmatch(r"/static/js/([\w-]+)\.[0-9a-f]{12}\.js", path)[1] for path in scripts] == SCRIPTS
    (questionnaire,) = [one for one in answers if one.request.method == "POST"]
    named = re.findall(r'(?:href|src)="([^"]+\.js)"', questionnaire.text())
    assert sorted(named) == scripts
    sent = [one.all_headers() for one in answers if one.url.removeprefix(site) in scripts]
    assert {(one["cache-control"], one["content-encoding"]) for one in sent} == {
        ("max-age=315360000, public, immutable", "gzip")
    }
    rate_all(page)
    submit(page)
    page.get_by_role("button", name="Next questionnaire").click()
    expect(progress(page)).to_have_text("0 of 6 rated")
    assert sorted(path for path in asked if path.endswith(".js")) == scripts
    assert problems == []
