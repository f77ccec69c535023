"""Pace, pause and more raters: what an admin does with a batch that is under way."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from survey_site.accounts.models import AuditEntry
from survey_site.batches.models import Item
from survey_site.batches.queries import batch_pace, batch_progress
from survey_site.batches.services import add_raters, close_batch, pause_batch, resume_batch
from survey_site.batches.timing import completions_of
from survey_site.common.errors import ConflictError, InvalidInputError, PausedError
from survey_site.survey.models import Assignment, AssignmentItem
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def pace_of(batch, now):
    return batch_pace(batch, batch_progress(batch, now=now), completions_of(batch), now=now)


def test_pace_and_end_follow_the_last_day():
    batch = make_batch(corpus=make_corpus(documents=4), raters=2)
    assert pace_of(batch, NOW) is None
    for hours in (1, 2):
        submit_all(make_assignment(batch, now=NOW + hours * HOUR), now=NOW + hours * HOUR)
    assert pace_of(batch, NOW + 4 * HOUR) is None
    for hours in (3, 4):
        submit_all(make_assignment(batch, now=NOW + hours * HOUR), now=NOW + hours * HOUR)
    pace = pace_of(batch, NOW + 4 * HOUR)
    assert (pace.hours, pace.ratings_per_hour, pace.ends_at) == (4.0, 3.0, NOW + 8 * HOUR)
    later = pace_of(batch, NOW + 25.5 * HOUR)
    assert (later.hours, later.ratings_per_hour) == (24.0, 3 * 3 / 24)


def test_a_closed_batch_has_no_pace():
    batch = make_batch(corpus=make_corpus(documents=4), raters=2)
    for hours in (1, 2, 3):
        submit_all(make_assignment(batch, now=NOW + hours * HOUR), now=NOW + hours * HOUR)
    assert pace_of(batch, NOW + 4 * HOUR).hours == 4
    assert pace_of(close_batch(batch=batch, now=NOW + 4 * HOUR), NOW + 4 * HOUR) is None


def test_a_closed_batch_is_neither_extended_nor_closed_from_an_old_tab(admin_client):
    batch = close_batch(batch=make_batch(), now=NOW)
    refused = admin_client.get(reverse("batches:extend", args=[batch.pk]))
    assert (refused.status_code, b"is not live" in refused.content) == (409, True)
    assert admin_client.get(reverse("batches:close", args=[batch.pk])).url == batch.get_absolute_url()


def test_a_paused_batch_hands_out_nothing_but_lets_raters_finish(admin):
    batch = make_batch()
    held = make_assignment(batch)
    pause_batch(batch=batch, by=admin, now=NOW)
    pause_batch(batch=batch, by=admin, now=NOW + HOUR)
    batch.refresh_from_db()
    assert (batch.paused_at, batch.is_paused, batch.hands_out(NOW), batch.is_live) == (NOW, True, False, True)
    assert claim_questionnaire(rater=held.rater, now=NOW) == held
    submit_all(held)
    held.rater.refresh_from_db()
    with pytest.raises(PausedError):
        claim_questionnaire(rater=held.rater, now=NOW)
    with pytest.raises(PausedError):
        make_rater(batch)
    batch = resume_batch(batch=batch, by=admin, now=NOW)
    assert make_assignment(batch).state == "open"
    actions = AuditEntry.objects.filter(actor_name="adam").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["batch paused", "batch resumed"]


def test_raters_read_that_the_survey_is_paused(client):
    batch = make_batch()
    pause_batch(batch=batch, now=NOW)
    response = client.get(reverse("survey:join", args=[batch.token]))
    assert b"This survey is paused for now" in response.content
    assert b"I agree" not in response.content


def test_more_raters_change_nothing_that_was_rated_and_stay_balanced():
    batch = make_batch(corpus=make_corpus(documents=3), raters=2, claim_minutes=60)
    lost = make_assignment(batch)
    for _ in range(2):
        submit_all(make_assignment(batch, now=NOW + 2 * HOUR), now=NOW + 2 * HOUR)
    before = dict(AssignmentItem.objects.values_list("pk", "position"))
    batch = add_raters(batch=batch, raters=3, now=NOW)
    assert (batch.raters, set(batch.questionnaires.values_list("slots", flat=True))) == (5, {5})
    assert dict(AssignmentItem.objects.values_list("pk", "position")) == before
    items = Item.objects.filter(questionnaire__batch=batch)
    assert {len(item.places) for item in items} == {5}
    added = Counter((item.system_id, place) for item in items for place, _ in item.places[2:])
    assert set(added.values()) == {3}
    back = claim_questionnaire(rater=lost.rater, now=NOW + 3 * HOUR)
    assert (back.pk, back.slot) == (lost.pk, 3)
    for _ in range(2):
        submit_all(make_assignment(batch, now=NOW + 3 * HOUR), now=NOW + 3 * HOUR)
    submit_all(back, now=NOW + 3 * HOUR)
    assert batch_progress(batch, now=NOW + 3 * HOUR).by_completed[5] == 1


def test_more_raters_are_as_many_queries_for_many_questionnaires_as_for_few():
    counts = []
    for documents in (2, 40):
        batch = make_batch(corpus=make_corpus(documents=documents), raters=2)
        other = make_assignment(make_batch(raters=2))
        for _ in range(documents):
            make_assignment(batch)
        with CaptureQueriesContext(connection) as queries:
            add_raters(batch=batch, raters=1, now=NOW)
        counts.append(len(queries.captured_queries))
        held = Assignment.objects.filter(questionnaire__batch=batch)
        assert Counter(held.values_list("slots", flat=True)) == {3: documents}
        other = Assignment.objects.get(pk=other.pk)
        assert (other.slots, other.questionnaire.slots) == (2, 2)
    assert counts[0] == counts[1]


@pytest.mark.parametrize("raters", [0, -1, 49])
def test_a_senseless_number_of_raters_is_refused(raters):
    with pytest.raises(InvalidInputError):
        add_raters(batch=make_batch(), raters=raters, now=NOW)


def test_a_closed_batch_is_not_paused_resumed_or_extended():
    batch = close_batch(batch=make_batch(), now=NOW)
    for change in (pause_batch, resume_batch):
        with pytest.raises(ConflictError):
            change(batch=batch, now=NOW)
    with pytest.raises(ConflictError):
        add_raters(batch=batch, raters=1, now=NOW)


def test_an_admin_pauses_resumes_and_extends_on_the_pages(admin_client):
    batch = make_batch()
    monitor = reverse("batches:monitor", args=[batch.pk])
    admin_client.post(reverse("batches:pause", args=[batch.pk]))
    assert b"Paused since" in admin_client.get(monitor).content
    admin_client.post(reverse("batches:resume", args=[batch.pk]))
    assert b"Paused since" not in admin_client.get(monitor).content
    extend = reverse("batches:extend", args=[batch.pk])
    assert b"now has 2 raters" in admin_client.get(extend).content
    assert admin_client.post(extend, {"raters": "60"}).status_code == 422
    assert admin_client.post(extend, {"raters": "2"}).status_code == 302
    batch.refresh_from_db()
    assert batch.raters == 4


@pytest.mark.parametrize("name", ["pause", "resume", "extend"])
def test_researchers_change_nothing(researcher_client, name):
    assert researcher_client.post(reverse(f"batches:{name}", args=[make_batch().pk])).status_code == 403
