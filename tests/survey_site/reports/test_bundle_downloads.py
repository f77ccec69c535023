"""Who asks for the sealed bundle of a large report: on its page, by a program, by the library's client."""

import pytest
from django.urls import reverse
from django.utils import timezone

from survey_site.accounts.models import AuditEntry
from survey_site.common.refreshing import SHOWN
from survey_site.reports.bundles.kept import kept_bundle
from survey_site.reports.models import KeptBundle
from tests.factories.api import make_program
from tests.factories.bundles import LATER, ask, bundle_address, work
from tests.factories.client import make_concord

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]


def test_the_page_says_how_far_it_is_and_gives_the_file(at_once, client, report, many):
    asking = client.get(bundle_address(report))
    page = asking.url
    assert (asking.status_code, page) == (302, reverse("reports:bundle-made", args=[report.pk]))
    waiting = client.get(page).content.decode()
    assert ("A worker is asked to make it" in waiting, "data-awaited" in waiting) == (True, True)
    taken = AuditEntry.objects.filter(action="ratings exported").count()  # by `at_once`
    assert work(KeptBundle.objects.get(), now=timezone.now())
    there = client.get(page).content.decode()
    assert ("The bundle is there" in there, f'href="{bundle_address(report)}"' in there) == (True, True)
    response = client.get(bundle_address(report))
    assert response.getvalue() == at_once
    seal = kept_bundle(report, with_texts=True).seal
    assert response["Content-Length"] == str(len(at_once))
    assert response["Content-Disposition"].endswith(f'"concord-report-{report.pk}-{seal[:12]}.zip"')
    entries = AuditEntry.objects.filter(action="ratings exported").order_by("pk")
    last = entries[taken]  # only who takes the file away is written down
    assert last.detail["holds"] == f"sealed bundle of report {report.pk}, seal {seal}"


def test_the_page_of_hashes_is_of_hashes(admin_client, report, many):
    page = admin_client.get(bundle_address(report, texts="hashes")).url
    assert KeptBundle.objects.get().with_texts is False
    waiting = admin_client.get(page).content.decode()
    assert "bundle/progress/?texts=hashes" in waiting
    assert f'href="{bundle_address(report, texts="hashes")}"' not in waiting
    work(KeptBundle.objects.get(), now=timezone.now())
    assert f'href="{bundle_address(report, texts="hashes")}"' in admin_client.get(page).content.decode()


def test_the_page_is_sent_again_only_where_something_changed(admin_client, report, many):
    admin_client.get(bundle_address(report))
    progress = reverse("reports:bundle-progress", args=[report.pk])
    headers = {SHOWN: KeptBundle.objects.get().version}
    assert admin_client.get(progress, headers=headers).status_code == 204
    work(KeptBundle.objects.get(), now=timezone.now())
    changed = admin_client.get(progress, headers=headers)
    assert (changed.status_code, "Download" in changed.content.decode()) == (200, True)


def test_the_page_says_why_it_could_not_be_made(admin_client, report, many):
    page = admin_client.get(bundle_address(report)).url
    KeptBundle.objects.update(status="failed", error="The disk is full.", finished_at=timezone.now())
    assert admin_client.get(bundle_address(report)).url == page
    shown = admin_client.get(page).content.decode()
    assert ("The disk is full." in shown, "Try again" in shown) == (True, True)


def test_the_page_offers_to_make_what_is_gone(admin_client, report, many):
    shown = admin_client.get(reverse("reports:bundle-made", args=[report.pk])).content.decode()
    assert ("It is not there" in shown, f'href="{bundle_address(report)}"' in shown) == (True, True)


def test_the_status_page_shows_it(admin_client, report, many):
    ask(report)
    KeptBundle.objects.update(status="failed", error="The disk is full.", finished_at=LATER)
    shown = admin_client.get(reverse("operations:status")).content.decode()
    assert f"Sealed bundle of report {report.pk}" in shown


def test_a_program_is_told_to_come_again(at_once, report, many):
    program = make_program("admin")
    where = f"reports/{report.pk}/files/bundle.zip"
    waiting = program.get(where)
    assert (waiting.status_code, waiting.json()["state"], waiting["Retry-After"]) == (202, "queued", "2")
    work(KeptBundle.objects.get(), now=timezone.now())
    assert b"".join(program.get(where).streaming_content) == at_once
    KeptBundle.objects.update(status="failed", error="The disk is full.", finished_at=timezone.now())
    refused = program.get(where)
    assert (refused.status_code, "The disk is full." in refused.json()["detail"]) == (409, True)


def test_the_client_waits_for_the_worker(at_once, report, many, monkeypatch, tmp_path):
    concord = make_concord()
    looks = []

    def make(_seconds):
        looks.append(None)
        assert work(KeptBundle.objects.get(), now=timezone.now())

    monkeypatch.setattr(concord._site, "sleep", make)
    path = concord.reports.get(report.pk).bundle(tmp_path / "sealed.zip")
    assert (path.read_bytes(), len(looks)) == (at_once, 1)
    assert [one.name for one in tmp_path.iterdir()] == ["sealed.zip"]
