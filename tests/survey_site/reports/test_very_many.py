"""Reports on batches with so many ratings that a worker reads them."""

import pytest
from django.db import OperationalError
from django.urls import reverse

from survey_site.keeping.deleting import asked_name, delete_thing
from survey_site.keeping.dependents import fingerprint
from survey_site.reports.bundles.content import bundle_content
from survey_site.reports.models import Report
from survey_site.reports.services import build_report, request_report
from survey_site.scoring import jobs, rating_sets
from survey_site.scoring.models import RatingSet
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.batches import NOW
from tests.factories.scoring import make_rated_batch, rate_batch

pytestmark = pytest.mark.django_db
LATER = NOW.replace(year=NOW.year + 1)
OPTIONS = {"measures": ["jsd"], "surrogates": ["jsd"]}


@pytest.fixture
def few_pages(monkeypatch):
    monkeypatch.setattr(rating_sets, "FEW_PAGES", 0)


def ask(batch, **options):
    return request_report(batch=batch, now=NOW, **(OPTIONS | options))


def test_a_worker_reads_the_ratings_and_the_report_is_that_of_a_small_batch(few_pages, monkeypatch):
    batch = make_rated_batch()
    asked = ask(batch)
    assert (RatingSet.objects.count(), asked.rating_set, asked.survey) == (0, None, {})
    built = build_report(report=asked, clock=lambda: LATER)
    built.refresh_from_db()
    assert (built.status, built.error, built.created_at) == ("done", "", LATER)
    monkeypatch.setattr(rating_sets, "FEW_PAGES", 300)
    assert ask(batch) == built  # which was read at once: its key is that of the same inputs
    assert bundle_content(built).ratings != []


def test_who_asks_for_the_same_gets_the_same_report_until_something_changes(few_pages):
    batch = make_rated_batch()
    first = build_report(report=ask(batch, min_raters=1), clock=lambda: LATER)
    assert ask(batch, min_raters=1) == first
    assert ask(batch, min_raters=1, seed=1) != first
    withdraw_rater(rater=batch.people.order_by("pk").first(), now=NOW)
    after = ask(batch, min_raters=1)
    assert (after == first, after.is_waiting) == (False, True)


def test_the_same_ratings_by_another_way_make_a_report_of_their_own(few_pages):
    """A page that ceased to count and counts again: all is as it was, though something has changed."""
    batch = make_rated_batch()
    first = build_report(report=ask(batch), clock=lambda: LATER)
    page = batch.people.order_by("pk").first().assignments.first()
    type(page).objects.filter(pk=page.pk).update(changes=page.changes + 2)
    second = build_report(report=ask(batch), clock=lambda: LATER)
    assert (second == first, second.status, second.survey) == (False, "done", first.survey)
    assert second.rating_set == first.rating_set


def test_ratings_that_change_while_a_worker_reads_them_are_read_again(few_pages, monkeypatch):
    batch = make_rated_batch()
    asked, read = ask(batch, min_raters=1), rating_sets.read_ratings

    def read_and_change(of):
        found = read(of)
        withdraw_rater(rater=batch.people.order_by("pk").first(), now=NOW)
        return found

    monkeypatch.setattr(rating_sets, "read_ratings", read_and_change)
    built = build_report(report=asked, clock=lambda: LATER)
    rater = batch.people.order_by("pk").first()
    assert (built.rating_set.withdrawn, built.survey["ratings"]["hash"]) == (0, built.rating_set.content_hash)
    assert rater.code not in {row[4] for row in built.rating_set.ratings}


def test_a_report_whose_ratings_were_all_withdrawn_says_so_and_may_be_tried_again(
    few_pages, client, researcher
):
    batch = make_rated_batch(completions=1)
    asked = ask(batch, min_raters=1)
    withdraw_rater(rater=batch.people.get(), now=NOW)
    failed = build_report(report=asked, clock=lambda: LATER)
    assert (failed.status, failed.rating_set) == ("failed", None)
    client.force_login(researcher)
    assert "Nobody has submitted a questionnaire" in client.get(failed.get_absolute_url()).content.decode()
    rate_batch(batch, completions=1)
    client.post(reverse("reports:retry", args=[failed.pk]))
    assert build_report(report=Report.objects.get(), clock=lambda: LATER).status == "done"


def test_who_asks_again_before_they_are_read_gets_the_report_that_waits(few_pages):
    batch = make_rated_batch()
    waiting = ask(batch, min_raters=1)
    withdraw_rater(rater=batch.people.order_by("pk").first(), now=NOW)
    assert ask(batch, min_raters=1) == waiting
    assert ask(batch, min_raters=1, seed=1) != waiting


@pytest.mark.django_db(transaction=True)
def test_ratings_that_could_not_be_stored_are_read_again(few_pages, monkeypatch):
    """The database is lost once where the report is told of its ratings: nothing of them is stored then."""
    monkeypatch.setattr(jobs, "PAUSES", (0.0,) * 4)
    asked, save, lost = ask(make_rated_batch()), Report.save, []

    def save_or_lose(report, *arguments, **named):
        save(report, *arguments, **named)
        if "survey" in named.get("update_fields", ()) and not lost:
            lost.append(RatingSet.objects.count())
            raise OperationalError("the database is gone")

    monkeypatch.setattr(Report, "save", save_or_lose)
    built = build_report(report=asked, clock=lambda: LATER)
    built.refresh_from_db()
    assert (lost, built.status, built.error) == ([1], "done", "")
    assert built.rating_set == RatingSet.objects.get()


def test_one_that_waits_for_its_ratings_can_be_deleted(few_pages):
    asked = ask(make_rated_batch())
    delete_thing(thing=asked, typed=asked_name(asked), seen=fingerprint(asked), now=LATER)
    assert Report.objects.count() == 0
