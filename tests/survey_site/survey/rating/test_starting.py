"""A newcomer who starts joins and claims in one transaction, and gets what `claim_questionnaire` gives."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from survey_site.batches.services import close_batch, launch_batch
from survey_site.survey.models import Assignment, AssignmentItem, Consent, Rater
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from survey_site.survey.rating import claiming
from survey_site.survey.rating.claiming import claim_first
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all
from tests.survey_site.survey.pages.test_pages import join_key, start, url

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(days=1)


def columns(row, *left_out):
    names = {field.attname for field in row._meta.concrete_fields} - {"id", "code", *left_out}
    return {name: getattr(row, name) for name in names}


@pytest.mark.parametrize("once", [False, True])
def test_both_ways_to_a_place_store_the_same(once):
    batch = make_batch(corpus=make_corpus(documents=1, systems=3), raters=2, equal_pairs_once=once)
    first = claim_first(make_rater(batch), NOW)
    assert batch.questionnaires.get().taken == 1
    second = claim_questionnaire(rater=make_rater(batch), now=NOW)
    rows = [Assignment.objects.get(pk=one.pk) for one in (first, second)]
    assert [columns(one) for one in (first, second)] == [columns(row) for row in rows]
    assert columns(rows[0], "rater_id", "slot") == columns(rows[1], "rater_id", "slot")
    assert [row.slot for row in rows] == [1, 2]
    assert batch.questionnaires.get().taken == 2
    for row in rows:
        placed = AssignmentItem.objects.filter(assignment=row).order_by("position")
        assert [one.position for one in placed] == [1, 2, 3, 4]
        assert len({one.code for one in placed}) == 4


def test_a_newcomer_takes_the_place_of_a_stale_claim():
    batch = make_batch(corpus=make_corpus(documents=1), raters=1)
    stale = make_assignment(batch)
    claim = claim_first(make_rater(batch, now=LATER), LATER)
    stale.refresh_from_db()
    assert (claim.slot, stale.slot, stale.state) == (1, None, "expired")


def test_a_newcomer_finds_nothing_in_a_full_batch_or_one_that_closed_meanwhile():
    full = make_batch(corpus=make_corpus(documents=1), raters=1)
    newcomer = make_rater(full)
    submit_all(make_assignment(full))
    assert claim_first(newcomer, LATER) is None
    closed = make_batch(corpus=make_corpus(documents=1))
    newcomer = make_rater(closed)
    close_batch(batch=closed, now=NOW)
    assert claim_first(newcomer, NOW) is None


def test_a_start_of_a_newcomer_is_one_transaction(client):
    batch = make_batch(corpus=make_corpus(documents=2))
    start(Client(), batch)  # who comes first stores the text that is agreed to
    page = client.get(url("join", batch))
    with CaptureQueriesContext(connection) as queries:
        answer = client.post(url("start", batch), {"key": join_key(page)})
    assert "/q/" in answer.url
    begun = [one["sql"] for one in queries if one["sql"].startswith(("BEGIN", "SAVEPOINT"))]
    assert len(begun) == 1


def test_where_claiming_fails_nobody_has_joined(client, monkeypatch):
    batch = make_batch(corpus=make_corpus(documents=2))
    page = client.get(url("join", batch))

    def fail(*_given, **_named):
        raise RuntimeError("no items")

    monkeypatch.setattr(claiming, "store_placements", fail)
    with pytest.raises(RuntimeError, match="no items"):
        client.post(url("start", batch), {"key": join_key(page)})
    assert (Rater.objects.count(), Consent.objects.count(), Assignment.objects.count()) == (0, 0, 0)
    monkeypatch.undo()
    assert "/q/" in client.post(url("start", batch), {"key": join_key(page)}).url
    assert (Rater.objects.count(), Consent.objects.count(), Assignment.objects.count()) == (1, 1, 1)


@pytest.mark.parametrize("asked", [{"practice": True}, {"questions": ["gender"]}])
def test_what_comes_before_the_first_questionnaire_comes_first(client, asked):
    batch = make_batch(corpus=make_corpus(documents=2), launched=False)
    save_participation(batch=batch, settings=ParticipationSettings(**asked), now=NOW)
    batch = launch_batch(batch=batch, now=NOW)
    assert "/q/" not in start(client, batch).url
    assert (Rater.objects.count(), Assignment.objects.count()) == (1, 0)
