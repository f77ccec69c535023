"""Distances from outside in reports: the numbers of what they are of, in the bundle, kept when removed."""

import html
import io
import re
import zipfile

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from meta_eval.publish.bundle import verify_bundle, write_bundle
from meta_eval.report.options import RESAMPLES
from survey_site.accounts.models import AuditEntry
from survey_site.corpus.queries import load_corpus
from survey_site.reports.bundles.content import bundle_content
from survey_site.reports.forms import ReportForm
from survey_site.scoring.given.measures import books_of
from survey_site.scoring.given.services import import_distances, remove_distances
from survey_site.scoring.models import GivenDistances
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.given import distances_table
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]


def text_of(response):
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split()))


def bring(corpus, measure="rouge-l"):
    table = io.BytesIO(distances_table(load_corpus(corpus), measure))
    return import_distances(corpus=corpus, name="mine", files=[("mine.csv", table)], now=NOW)


@pytest.fixture(scope="module")
def made_once(make_once):
    """A report whose measure and surrogate are the distances of ROUGE-L, beside ROUGE-L as a measure."""

    def make():
        batch = make_rated_batch()
        bring(batch.corpus)
        return make_report(
            batch=batch, measures=["rouge-l", "mine"], surrogates=["mine"], resamples=RESAMPLES[0]
        )

    return make_once(make)


def estimates(report, measure):
    keys = ("human", "automatic", "coefficient", "n", "estimate")
    return [[row[key] for key in keys] for row in report.result["correlations"] if row["measure"] == measure]


def test_a_report_has_the_numbers_of_the_measure_that_the_distances_are_of(report):
    assert report.is_done
    assert not report.failures
    assert estimates(report, "mine") == estimates(report, "rouge-l")
    rows = [row for row in report.result["correlations"] if row["measure"] == "mine"]
    assert any(row["ci_low"] is not None for row in rows)


def test_a_run_knows_the_distances_by_their_signature(report):
    row = GivenDistances.objects.get()
    runs = report.runs.filter(measure="mine")
    assert {run.signature["revision"] for run in runs} == {row.content_hash}
    assert {run.kind for run in runs} == {"automatic", "human"}
    assert report.options["given"] == {"mine": row.content_hash}


def test_the_pages_show_and_the_bundle_carries_what_the_report_rests_on(report, researcher_client):
    text = text_of(researcher_client.get(report.get_absolute_url()))
    assert "mine" in text
    stream = io.BytesIO()
    write_bundle(stream, bundle_content(report))
    with zipfile.ZipFile(stream) as archive:
        assert len(archive.read("distances.csv").splitlines()) == 1 + GivenDistances.objects.get().pairs
    found = verify_bundle(stream)
    assert found.differences == ()
    skipped = {one.path.partition("[")[0].partition(".")[0] for one in found.not_recomputed}
    assert not skipped & {"leaderboard", "correlations", "inference"}


def test_what_rests_on_distances_is_named_and_keeps_them(report, admin_client, admin):
    row = GivenDistances.objects.get()
    address = reverse("given:remove", args=[row.corpus_id, row.pk])
    assert f"Report {report.pk} on {report.batch.name}" in text_of(admin_client.get(address))
    assert "The reports that rest on them keep them." in text_of(admin_client.post(address, follow=True))
    entry = AuditEntry.objects.get(action="distances removed")
    assert (entry.actor, entry.detail["reports"]) == (admin, [report.pk])
    assert "mine" not in dict(ReportForm(user=make_user()).fields["measures"].choices)
    stream = io.BytesIO()
    write_bundle(stream, bundle_content(report))
    assert verify_bundle(stream).differences == ()
    with pytest.raises(ValidationError, match="There is no measure mine"):
        make_report(batch=report.batch, measures=["mine"], built=False)


def test_one_name_may_be_other_distances_later_and_then_is_another_report(report):
    remove_distances(row=GivenDistances.objects.get(), now=NOW)
    corpus = report.batch.corpus
    bring(corpus, "jsd")
    other = make_report(
        batch=report.batch,
        measures=report.options["measures"],
        surrogates=report.options["surrogates"],
        built=False,
    )
    assert other.pk != report.pk
    assert [book.digest for book in books_of(corpus, report.given)] == [report.given["mine"]]
