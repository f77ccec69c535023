"""The ratings that human scores were computed from: kept, withdrawn, never used once incomplete."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test.utils import CaptureQueriesContext

from meta_eval.measures import make_measure
from survey_site.scoring.adapters import MeasureChoice, ratings_of_batch
from survey_site.scoring.models import RatingSet, ScoreRun
from survey_site.scoring.rating_sets import forget_rater, record_ratings
from survey_site.scoring.services import execute_run, request_human
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.batches import NOW, make_batch
from tests.factories.scoring import make_rated_batch, make_scored_corpus, rate_batch
from tests.factories.survey import make_rater
from tests.survey_site.scoring.test_services import score_batch, score_corpus

pytestmark = pytest.mark.django_db


def test_questionnaires_that_nobody_submitted_give_no_ratings():
    batch = make_batch(corpus=make_scored_corpus())
    make_rater(batch)
    assert ratings_of_batch(batch) == []


def test_human_scores_take_the_surrogate_distances_that_are_kept(monkeypatch):
    batch = make_rated_batch()
    score_corpus(batch.corpus, "jsd")

    def refuse(*_args):
        raise AssertionError("these distances are in the store")

    monkeypatch.setattr(type(make_measure("jsd")), "distances", refuse)
    assert score_batch(batch, "jsd").error == ""


def test_what_was_withdrawn_is_deleted_from_what_scores_were_computed_from():
    batch = make_rated_batch()
    rating_set = record_ratings(batch=batch, now=NOW)
    rater = batch.people.order_by("pk").first()
    given = [row for row in rating_set.ratings if row[4] == rater.code]
    kept = [row for row in rating_set.ratings if row[4] != rater.code]
    withdraw_rater(rater=rater, now=NOW)
    rating_set.refresh_from_db()
    assert (rating_set.ratings, rating_set.withdrawn) == (kept, len(given))
    assert given != []
    assert record_ratings(batch=batch, now=NOW).ratings == kept


def test_a_set_that_the_version_before_stored_during_an_upgrade_gets_its_ratings():
    batch = make_rated_batch()
    rating_set = record_ratings(batch=batch, now=NOW)
    ratings = rating_set.ratings
    rating_set.parts.all().delete()
    assert record_ratings(batch=batch, now=NOW).ratings == ratings != []


def test_a_withdrawal_counts_in_the_sets_that_name_the_rater_and_reads_no_rating():
    batch = make_rated_batch(completions=5)
    older = record_ratings(batch=batch, now=NOW)
    rate_batch(batch, completions=1)
    newer = record_ratings(batch=batch, now=NOW)
    rater = batch.people.exclude(code__in=[row[4] for row in older.ratings]).get()
    given = len(newer.ratings) - len(older.ratings)
    with CaptureQueriesContext(connection) as queries:
        forget_rater(rater=rater)
    assert [one["sql"] for one in queries if '"scoring_ratingsetpart"."ratings"' in one["sql"]] == []
    assert newer.ratings == older.ratings
    assert list(RatingSet.objects.order_by("pk").values_list("withdrawn", flat=True)) == [0, given]


@pytest.mark.parametrize("code", ["Zoë", 'the "first"', "back\\slash", "100%_"])
def test_a_rater_is_found_by_a_code_of_any_letters(code):
    batch = make_rated_batch()
    rater = batch.people.order_by("pk").first()
    type(rater).objects.filter(pk=rater.pk).update(code=code)
    rating_set = record_ratings(batch=batch, now=NOW)
    given = sum(row[4] == code for row in rating_set.ratings)
    withdraw_rater(rater=rater, now=NOW)
    rating_set.refresh_from_db()
    assert (rating_set.withdrawn, given > 0) == (given, True)
    assert code not in {row[4] for row in rating_set.ratings}


def test_scores_are_not_computed_from_what_is_left_after_a_withdrawal():
    batch = make_rated_batch()
    choice = MeasureChoice(spec="rouge-l")
    run = request_human(rating_set=record_ratings(batch=batch, now=NOW), choice=choice, now=NOW)
    withdraw_rater(rater=batch.people.order_by("pk").first(), now=NOW)
    done = execute_run(run=ScoreRun.objects.get(pk=run.pk))
    assert done.is_failed is True
    assert "were withdrawn by the people who gave them. Make a new report" in done.error


def test_sets_of_an_earlier_release_are_cut_by_rater(transactional_db):
    rating_set = record_ratings(batch=make_rated_batch(), now=NOW)
    rows, parts = (
        rating_set.ratings,
        list(rating_set.parts.order_by("rater").values("rater", "count", "ratings")),
    )
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes()
    before = [("scoring", "0005_waiting_for_parts")]
    executor.migrate(before)
    try:
        earlier = executor.loader.project_state(before).apps.get_model("scoring", "RatingSet")
        assert earlier.objects.get().ratings == rows
    finally:
        MigrationExecutor(connection).migrate(latest)
    assert list(rating_set.parts.order_by("rater").values("rater", "count", "ratings")) == parts
