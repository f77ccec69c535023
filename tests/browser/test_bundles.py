"""The sealed bundle of a large report in a browser: asked for, waited for, taken away, verified."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from meta_eval.publish.bundle import verify_bundle
from survey_site.corpus.queries import load_corpus
from survey_site.reports.bundles import kept as kept_bundles
from survey_site.reports.bundles.kept import make_bundle
from survey_site.reports.models import KeptBundle
from tests.browser.conftest import PHONE, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.reports import make_report


@pytest.fixture
def reading(page, login, live_server, monkeypatch):
    """A researcher with a phone who reads a report that is taken for a large one."""
    monkeypatch.setattr(kept_bundles, "FEW_DOCUMENTS", 0)
    report = make_report(measures=["jsd"], resamples=1000)
    login(page, make_user(role="researcher"))
    page.set_viewport_size(PHONE)
    page.clock.install()
    page.goto(live_server.url + report.get_absolute_url())
    return page


def test_who_waits_for_a_bundle_is_given_it(reading, violations, problems, tmp_path):
    page = reading
    page.get_by_role("link", name="with hashes in place of the texts").click()
    expect(page.get_by_text("A worker is asked to make it")).to_be_visible()
    assert not scrolls_sideways(page)
    assert violations(page) == []
    make_bundle(KeptBundle.objects.get(), clock=timezone.now)
    page.clock.fast_forward(5000)
    expect(page.get_by_text("The bundle is there")).to_be_visible()
    assert not scrolls_sideways(page)
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    download.value.save_as(tmp_path / "bundle.zip")
    texts = load_corpus(KeptBundle.objects.get().report.batch.corpus)
    found = verify_bundle(tmp_path / "bundle.zip", corpus=texts)
    assert found.outcome == "sound", found.not_recomputed
    assert problems == []
