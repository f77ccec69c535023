"""Expired claims reopened by hand: places become free, answers stay, and it is written down."""

from datetime import timedelta

import pytest
from django.urls import reverse

from survey_site.accounts.models import AuditEntry
from survey_site.batches.queries import batch_progress, rater_totals
from survey_site.batches.services import close_batch, pause_batch
from survey_site.common.errors import ConflictError
from survey_site.survey.models import Rating
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.reopening import reopen_expired
from survey_site.survey.rating.services import submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, save_rating, submit_all

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def busy_batch(**settings):
    """Two claims that are past their time at NOW + 61 minutes, one that is not, one completed."""
    batch = make_batch(corpus=make_corpus(documents=4), claim_minutes=60, **settings)
    stale = [make_assignment(batch) for _ in range(2)]
    fresh = make_assignment(batch, now=NOW + 30 * MINUTE)
    done = submit_all(make_assignment(batch))
    return batch, stale, fresh, done


def test_every_claim_past_its_time_is_released_and_no_other(admin):
    batch, stale, fresh, done = busy_batch()
    save_rating(assignment=stale[0], code=next(iter(answers_for(stale[0]))), value=6, now=NOW)
    assert reopen_expired(batch=batch, by=admin, now=NOW + 61 * MINUTE) == 2
    for one, state in ((stale[0], "expired"), (stale[1], "expired"), (fresh, "open"), (done, "submitted")):
        one.refresh_from_db()
        assert (one.state, one.slot is None) == (state, state == "expired")
    assert Rating.objects.filter(assignment_item__assignment=stale[0]).count() == 1
    progress = batch_progress(batch, now=NOW + 61 * MINUTE)
    assert (progress.active, progress.stale, progress.expired) == (1, 0, 2)
    entry = AuditEntry.objects.get(action="expired claims reopened")
    assert (entry.actor_name, entry.detail) == ("adam", {"claims": 2})


def test_doing_it_again_changes_nothing_and_writes_nothing():
    batch, *_ = busy_batch()
    assert reopen_expired(batch=batch, now=NOW) == 0
    assert reopen_expired(batch=batch, now=NOW + 61 * MINUTE) == 2
    assert reopen_expired(batch=batch, now=NOW + 61 * MINUTE) == 0
    assert AuditEntry.objects.filter(action="expired claims reopened").count() == 1


def test_who_comes_back_late_takes_a_free_place():
    batch, stale, _, _ = busy_batch()
    reopen_expired(batch=batch, now=NOW + 61 * MINUTE)
    late = submit_questionnaire(
        assignment=stale[0], answers=answers_for(stale[0]), now=NOW + 90 * MINUTE
    ).assignment
    assert (late.state, late.slot is not None) == ("submitted", True)


def test_other_batches_are_left_alone():
    batch, *_ = busy_batch()
    _, others, _, _ = busy_batch()
    reopen_expired(batch=batch, now=NOW + 61 * MINUTE)
    assert [type(one).objects.get(pk=one.pk).state for one in others] == ["open", "open"]


def test_a_paused_batch_allows_it_and_a_closed_one_does_not():
    batch, *_ = busy_batch()
    pause_batch(batch=batch, now=NOW)
    assert reopen_expired(batch=batch, now=NOW + 61 * MINUTE) == 2
    close_batch(batch=batch, now=NOW)
    with pytest.raises(ConflictError, match="not live"):
        reopen_expired(batch=batch, now=NOW + 61 * MINUTE)


def test_the_button_is_there_for_admins_when_it_is_needed(admin_client, researcher_client):
    batch, *_ = busy_batch()  # long ago by the clock of the pages
    monitor, button = batch.get_absolute_url(), b"Give their places back"
    assert button not in researcher_client.get(monitor).content
    assert button in admin_client.get(monitor).content
    polled = reverse("batches:progress", args=[batch.pk])
    assert [button in who.get(polled).content for who in (admin_client, researcher_client)] == [True, False]
    response = admin_client.post(reverse("batches:reopen", args=[batch.pk]), follow=True)
    assert b"3 places given back. Answers that were given are kept." in response.content
    assert button not in response.content
    again = admin_client.post(reverse("batches:reopen", args=[batch.pk]), follow=True)
    assert b"Every questionnaire in work is still in time" in again.content
    assert researcher_client.post(reverse("batches:reopen", args=[batch.pk])).status_code == 403


def test_who_withdrew_is_no_rater_any_more(admin_client):
    batch = make_batch()
    gone, stays = make_rater(batch), make_rater(batch)
    submit_all(make_assignment(batch, rater=gone))
    withdraw_rater(rater=gone, now=NOW)
    progress = batch_progress(batch, now=NOW)
    assert (progress.raters, progress.withdrawn) == (1, 1)
    assert [one.pk for one in rater_totals(batch)] == [stays.pk]
    page = admin_client.get(batch.get_absolute_url()).content
    assert b"1 person withdrew" in page
    assert gone.code.encode() not in page
