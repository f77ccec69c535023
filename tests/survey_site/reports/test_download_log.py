"""Whoever takes a file of a report is written down, whatever the file is."""

import re

import pytest
from django.urls import reverse

from survey_site.accounts.models import AuditEntry
from survey_site.reports.downloads import ADDRESSES, files_of
from tests.factories.reports import make_report

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]

SOME = ("tables/leaderboard.csv", "figures/scatter.svg")
DOWNLOADS = sorted({*SOME, *(address for address in ADDRESSES if "/" not in address)})


@pytest.mark.parametrize("name", DOWNLOADS)
def test_every_download_is_in_the_audit_log(researcher_client, report, name):
    response = researcher_client.get(reverse("reports:file", args=[report.pk, name]))
    file_name = response.headers["Content-Disposition"].split('"')[1]
    assert response.status_code == 200
    entry = AuditEntry.objects.get(action__endswith="exported")
    assert (entry.actor_name, entry.subject_id) == ("rita", report.batch_id)
    if name == "bundle.zip":
        assert entry.detail["holds"].startswith(f"sealed bundle of report {report.pk}, seal ")
    else:
        file = file_name.removeprefix(f"concord-report-{report.pk}-")
        assert (entry.action, entry.detail) == ("report exported", {"report": report.pk, "file": file})


def test_what_does_not_exist_is_not_recorded(researcher_client):
    report = make_report(built=False)
    for name in ("report.json", "report.xlsx", "report.pdf", "figures/scatter.svg"):
        assert researcher_client.get(reverse("reports:file", args=[report.pk, name])).status_code == 409
    assert AuditEntry.objects.filter(action__endswith="exported").count() == 0


def test_every_download_link_of_the_pages_leads_to_a_file_that_is_in(researcher_client, report):
    listed = files_of(report, {}).keys()
    for page in ("detail", "papers"):
        shown = researcher_client.get(reverse(f"reports:{page}", args=[report.pk])).content.decode()
        below = reverse("reports:detail", args=[report.pk])
        linked = set(re.findall(rf'href="{below}([^"?]+)[^"]*" download', shown))
        assert linked
        assert linked <= listed
