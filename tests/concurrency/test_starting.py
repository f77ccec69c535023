"""Newcomers who start at the same moment: each joins once and takes a place that nobody else has."""

import pytest

from survey_site.survey.models import Assignment, Consent, Rater
from survey_site.survey.people.joining import join_batch
from survey_site.survey.rating.claiming import claim_first
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment

pytestmark = pytest.mark.django_db(transaction=True)


def start(batch, secret):
    """As the page does it: in the transaction of joining, and again where that found nothing."""
    claimed = []

    def claim(newcomer):
        claimed.append(claim_first(newcomer, NOW))

    rater = join_batch(batch=batch, secret=secret, consent=1, now=NOW, newcomer=claim)
    return claimed[0] if claimed and claimed[0] else claim_questionnaire(rater=rater, now=NOW)


def starts(batch, secrets):
    return [lambda secret=secret: start(batch, secret) for secret in secrets]


def test_a_crowd_of_newcomers_fills_every_place_exactly_once(in_threads):
    batch = make_batch(corpus=make_corpus(documents=2), raters=3)
    results = in_threads(*starts(batch, [f"person {n}" for n in range(8)]))
    taken = sorted((one.questionnaire.number, one.slot) for one in results if isinstance(one, Assignment))
    assert taken == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    assert [one for one in results if not isinstance(one, Assignment)] == [None] * 2
    assert list(batch.questionnaires.order_by("number").values_list("taken", flat=True)) == [3, 3]
    assert (Rater.objects.count(), Consent.objects.count()) == (8, 8)


def test_clicks_of_one_newcomer_at_the_same_moment_are_one_rater_and_one_questionnaire(in_threads):
    batch = make_batch(corpus=make_corpus(documents=5), raters=2)
    results = in_threads(*starts(batch, ["one person"] * 6))
    assert {one.pk for one in results} == {Assignment.objects.get().pk}
    assert (Rater.objects.count(), Consent.objects.count()) == (1, 1)


def test_newcomers_and_somebody_who_has_joined_share_the_last_places(in_threads):
    batch = make_batch(corpus=make_corpus(documents=1), raters=3)
    make_assignment(batch)
    joined = join_batch(batch=batch, secret="joined before", consent=1, now=NOW)
    again = [lambda: claim_questionnaire(rater=joined, now=NOW)] * 2
    results = in_threads(*again, *starts(batch, ["person 1", "person 2"]))
    faults = [one for one in results if isinstance(one, Exception)]
    assert faults == []
    assert sorted(Assignment.objects.values_list("slot", flat=True)) == [1, 2, 3]
    assert batch.questionnaires.get().taken == 3
