"""A withdrawal and a request for a report at the same moment: no copy of the ratings outlives them."""

from threading import Event

import pytest
from django.db import transaction

from survey_site.scoring.models import RatingSet
from survey_site.scoring.rating_sets import record_ratings
from survey_site.survey.rating.leaving import rater_withdrawn, withdraw_rater
from tests.factories.batches import NOW
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db(transaction=True)

MEETING_SECONDS = 60
BLOCKED_SECONDS = 1  # what the other side would need by far, were it not kept waiting


def rows_of(rater):
    return [row for one in RatingSet.objects.all() for row in one.ratings if row[4] == rater.code]


def test_a_withdrawal_waits_for_the_set_that_is_being_recorded_and_then_empties_it(in_threads):
    batch = make_rated_batch()
    rater = batch.people.order_by("pk").first()
    recorded, withdrawn = Event(), Event()

    def record():
        with transaction.atomic():
            rating_set = record_ratings(batch=batch, now=NOW)
            recorded.set()
            waited = not withdrawn.wait(BLOCKED_SECONDS)
        return len([row for row in rating_set.ratings if row[4] == rater.code]), waited

    def withdraw():
        assert recorded.wait(MEETING_SECONDS)
        withdraw_rater(rater=rater, now=NOW)
        withdrawn.set()

    (given, waited), nothing = in_threads(record, withdraw)
    assert (given > 0, waited, nothing) == (True, True, None)
    assert rows_of(rater) == []
    assert list(RatingSet.objects.values_list("withdrawn", flat=True)) == [given]


def test_a_set_recorded_during_a_withdrawal_holds_nothing_of_it(in_threads):
    batch = make_rated_batch()
    rater = batch.people.order_by("pk").first()
    scrubbed, recorded = Event(), Event()

    def wait_after_the_scrub(**_signal):
        scrubbed.set()
        recorded.wait(BLOCKED_SECONDS)

    def record():
        assert scrubbed.wait(MEETING_SECONDS)
        held = len(record_ratings(batch=batch, now=NOW).ratings)
        recorded.set()
        return held

    rater_withdrawn.connect(wait_after_the_scrub)
    try:
        tombstone, held = in_threads(lambda: withdraw_rater(rater=rater, now=NOW), record)
    finally:
        rater_withdrawn.disconnect(wait_after_the_scrub)
    assert (tombstone.withdrawn_at, held > 0) == (NOW, True)
    assert rows_of(rater) == []
    assert list(RatingSet.objects.values_list("withdrawn", flat=True)) == [0]
