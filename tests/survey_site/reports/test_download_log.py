"""Whoever takes a file of a report is written down, whatever the file is."""

import pytest
from django.urls import reverse

from survey_site.accounts.models import AuditEntry
from survey_site.reports import urls
from tests.factories.reports import make_report

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]

PAGES = {"list", "new", "detail", "progress", "retry", "compare"}
"""What stays in the browser."""

PARTS = {"table": ["leaderboard"], "figure": ["forest"], "figure-file": ["scatter", "svg"]}
"""What some addresses need besides the report."""

DOWNLOADS = sorted({pattern.name for pattern in urls.urlpatterns} - PAGES)


@pytest.mark.parametrize("name", DOWNLOADS)
def test_every_download_is_in_the_audit_log(researcher_client, report, name):
    address = reverse(f"reports:{name}", args=[report.pk, *PARTS.get(name, [])])
    response = researcher_client.get(address)
    file_name = response.headers["Content-Disposition"].split('"')[1]
    assert response.status_code == 200
    entry = AuditEntry.objects.get(action__endswith="exported")
    assert (entry.actor_name, entry.subject_id) == ("rita", report.batch_id)
    if name == "bundle":
        assert entry.detail["holds"].startswith(f"sealed bundle of report {report.pk}, seal ")
    else:
        file = file_name.removeprefix(f"concord-report-{report.pk}-")
        assert (entry.action, entry.detail) == ("report exported", {"report": report.pk, "file": file})


def test_what_does_not_exist_is_not_recorded(researcher_client):
    report = make_report(built=False)
    for name in ("json", "xlsx", "pdf", "scatter"):
        assert researcher_client.get(reverse(f"reports:{name}", args=[report.pk])).status_code == 409
    assert AuditEntry.objects.filter(action__endswith="exported").count() == 0
