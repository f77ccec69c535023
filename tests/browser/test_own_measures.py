"""Measures of one's own in a browser: uploaded, chosen, built into a report, and verified from its bundle."""

import pytest
from django.apps import apps
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import expect

from meta_eval.measures.added import install_files
from meta_eval.publish.bundle import verify_bundle
from meta_eval.report.options import RESAMPLES
from survey_site.corpus.queries import load_corpus
from survey_site.reports.models import Report
from tests.browser.test_uploads import check_at_both_widths
from tests.factories.given import distances_table
from tests.factories.scoring import make_rated_batch
from tests.meta_eval.measures.test_plugins import CHRF_PLUGIN


@pytest.fixture
def plugin(settings, tmp_path):
    """chrF of sacreBLEU as the operator installs it: a file that the setting names when the site starts."""
    path = tmp_path / "own.py"
    path.write_text(CHRF_PLUGIN, encoding="utf-8")
    settings.CONCORD_PLUGINS = [str(path)]
    apps.get_app_config("scoring").ready()
    yield path
    install_files([])


@pytest.fixture
def files(plugin, tmp_path):
    """A rated batch, and a file with the distances of the plug-in on its corpus."""
    batch = make_rated_batch()
    table = tmp_path / "mine.csv"
    table.write_bytes(distances_table(load_corpus(batch.corpus), "my-chrf"))
    return batch, table


@pytest.fixture
def start(page, login, admin, live_server):
    """The page of an admin, and where the site is."""
    login(page, admin)
    return page, live_server.url


def upload(page, table):
    page.get_by_role("link", name="Distances from outside").click()
    page.get_by_role("link", name="Upload distances").click()
    page.get_by_label("Name").fill("mine")
    page.get_by_label("Files of distances").set_input_files(table)
    page.get_by_role("button", name="Upload").click()
    expect(
        page.get_by_text("“mine” is a measure and a surrogate of reports on this corpus now.")
    ).to_be_visible()


def ask_for_a_report(page, batch, chosen):
    page.get_by_label("Batch").select_option(str(batch.pk))
    expect(page.locator("[name=measures][value=mine]")).to_be_visible()
    for box in page.locator("[name=measures], [name=surrogates]").all():
        box.set_checked(box.get_attribute("value") in chosen)
    page.locator("[name=resamples]").fill(str(RESAMPLES[0]))
    page.get_by_role("button", name="Build the report").click()
    expect(page.get_by_role("heading", name=f"Report on {batch.name}")).to_be_visible()
    call_command("build_reports")
    expect(page.get_by_role("heading", name="Downloads")).to_be_visible()


def correlations(report, name):
    """Coefficients, intervals and p of the measure and surrogate of that name."""
    keys = ("human", "automatic", "coefficient", "n", "estimate", "ci_low", "ci_high", "p_value")
    rows = [row for row in report.result["correlations"] if row["measure"] == row["surrogate"] == name]
    return [[str(row[key]).replace(name, "") for key in keys] for row in rows]


def test_plug_in_and_distances_go_from_upload_to_a_verified_bundle(
    start, files, violations, problems, tmp_path
):
    (page, site), (batch, table) = start, files
    page.goto(site + batch.corpus.get_absolute_url())
    upload(page, table)
    page.goto(site + reverse("reports:new"))
    ask_for_a_report(page, batch, {"mine", "my-chrf"})
    assert problems == []
    report = Report.objects.get()
    assert not report.failures
    by_plugin = correlations(report, "my-chrf")
    assert by_plugin == correlations(report, "mine") != []
    for name in ("chrF of sacreBLEU", "mine"):
        expect(page.get_by_text(name).first).to_be_visible()
    check_at_both_widths(page, violations)
    with page.expect_download() as download:
        page.get_by_role("link", name="With all texts").click()
    path = tmp_path / "bundle.zip"
    download.value.save_as(path)
    found = verify_bundle(path)
    assert (found.differences, found.not_recomputed) == ((), ())
    assert found.verified > 1000
