"""Pages about a batch that has too many questionnaires to be read at once: a worker reads them."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from survey_site.batches.services import close_batch
from survey_site.desk.quality import views
from survey_site.quality import kept
from survey_site.quality.kept import compute_kept
from survey_site.quality.models import KeptFindings
from survey_site.quality.services import exclude_rater
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, submit_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _many(monkeypatch):
    monkeypatch.setattr(kept, "FEW_PAGES", 0)


@pytest.fixture
def batch():
    batch = make_batch(corpus=make_corpus(documents=3, systems=4), raters=4)
    for _ in range(2):
        submit_all(make_assignment(batch))
    return batch


def work():
    assert compute_kept(KeptFindings.objects.get(), clock=timezone.now)


def page_of(client, name, batch, *more, **headers):
    response = client.get(reverse(f"quality:{name}", args=[batch.pk, *more]), headers=headers)
    return response.status_code, " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_every_page_waits_for_the_worker_and_says_so(admin_client, batch):
    rater = batch.people.first()
    waiting = "There are many: 2 submitted questionnaires."
    pages = [("detail",), ("found",), ("so-far",), ("rater", rater.code)]
    for name, *more in pages:
        status, text = page_of(admin_client, name, batch, *more)
        assert (name, status, waiting in text) == (name, 200, True)
    assert KeptFindings.objects.get().is_waiting
    work()
    for name, *more in pages:
        status, text = page_of(admin_client, name, batch, *more)
        assert (name, status, "A worker reads" in text) == (name, 200, False)


def test_the_page_that_freezes_waits_for_the_worker_too(admin_client, batch):
    close_batch(batch=batch, now=NOW)
    assert "There are many: 2 submitted" in page_of(admin_client, "freeze", batch)[1]
    work()
    exclude_rater(rater=batch.people.first(), reason="all alike", now=NOW)
    assert "1 rater flagged" in page_of(admin_client, "freeze", batch)[1]


def test_the_page_that_freezes_says_that_its_count_is_older_than_the_ratings(admin_client, batch):
    late = make_assignment(batch)
    close_batch(batch=batch, now=NOW)
    warning = "The checks of raters are older than the ratings As of "
    page_of(admin_client, "freeze", batch)
    work()
    assert warning not in page_of(admin_client, "freeze", batch)[1]
    assert (
        "data-refresh=" not in admin_client.get(reverse("quality:freeze", args=[batch.pk])).content.decode()
    )
    submit_all(late)
    for name in ("freeze", "flagged"):
        text = page_of(admin_client, name, batch)[1]
        assert (name, warning in text, "since then 1 questionnaire was" in text) == (name, True, True)
    assert "2 raters flagged" in text
    page = admin_client.get(reverse("quality:freeze", args=[batch.pk])).content.decode()
    assert f'data-refresh="{reverse("quality:flagged", args=[batch.pk])}"' in page


def test_a_page_that_shows_what_there_is_is_sent_nothing(admin_client, batch):
    def version(name):
        page = admin_client.get(reverse(f"quality:{name}", args=[batch.pk])).content.decode()
        return re.search(r'data-version="([^"]+)"', page).group(1)

    for name in ("found", "so-far", "flagged"):
        shown = {"Concord-Shown": version(name)}
        assert page_of(admin_client, name, batch, **shown) == (204, "")
    work()
    assert page_of(admin_client, "found", batch, **shown)[0] == 200
    assert page_of(admin_client, "so-far", batch, **shown)[0] == 200
    assert page_of(admin_client, "flagged", batch, **shown)[0] == 200


def test_a_decision_shows_at_once_and_newer_ratings_with_their_number(admin_client, batch):
    page_of(admin_client, "detail", batch)
    work()
    exclude_rater(rater=batch.people.first(), reason="all alike", now=NOW)
    submit_all(make_assignment(batch))
    text = page_of(admin_client, "detail", batch)[1]
    assert "since then 1 questionnaire was submitted." in text
    assert "Look at the flagged rater " in text
    assert (
        "raters flagged, of 2 who submitted a questionnaire 1 " in page_of(admin_client, "so-far", batch)[1]
    )


def test_a_rater_who_came_later_is_shown_without_being_compared(admin_client, batch):
    page_of(admin_client, "detail", batch)
    work()
    late = submit_all(make_assignment(batch)).rater
    status, text = page_of(admin_client, "rater", batch, late.code)
    assert (status, "What compares this rater with all others: As of" in text) == (200, True)
    assert "1 of 1 rated all alike" in text


def test_what_went_wrong_is_said(admin_client, batch):
    page_of(admin_client, "detail", batch)
    row = KeptFindings.objects.get()
    row.status, row.error, row.finished_at = "failed", "Interrupted 5 times.", timezone.now()
    row.save()
    text = page_of(admin_client, "detail", batch)[1]
    assert "The ratings could not be read through Interrupted 5 times. Open this page again in a few" in text


def test_the_list_of_raters_has_pages(admin_client, monkeypatch, batch):
    paginate = views.paginate
    monkeypatch.setattr(views, "paginate", lambda request, rows: paginate(request, rows, per_page=1))
    page_of(admin_client, "detail", batch)
    work()
    there = reverse("quality:detail", args=[batch.pk])
    pages = [admin_client.get(there, {"page": number}).context["rows"] for number in (1, 2)]
    codes = [row.rater.code for rows in pages for row in rows]
    assert sorted(codes) == sorted(batch.people.values_list("code", flat=True))
