"""Time that passes for one claim: the site then gives the place away, and nothing else changes."""

from datetime import timedelta

import pytest

from survey_site.rehearsal.expiry import expire_claim
from survey_site.survey.models import Assignment
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, submit_all

pytestmark = pytest.mark.django_db


def test_the_place_of_an_expired_claim_goes_to_the_next_rater():
    batch = make_batch(corpus=make_corpus(documents=1), raters=1)
    held = make_assignment(batch)
    assert expire_claim(code=held.code, now=NOW) is True
    taken = make_assignment(batch)
    assert taken.questionnaire == held.questionnaire
    held.refresh_from_db()
    assert (held.state, taken.state) == ("expired", "open")


def test_only_that_claim_ends_and_the_site_decides_what_becomes_of_it():
    batch = make_batch()
    held, other = make_assignment(batch), make_assignment(batch)
    expire_claim(code=held.code, now=NOW)
    ends = dict(Assignment.objects.values_list("pk", "expires_at"))
    assert ends == {held.pk: NOW - timedelta(seconds=1), other.pk: other.expires_at}
    assert set(Assignment.objects.values_list("state", flat=True)) == {"open"}


def test_what_is_submitted_does_not_expire():
    done = submit_all(make_assignment(make_batch()))
    assert expire_claim(code=done.code, now=NOW) is False
    after = Assignment.objects.get()
    assert (after.state, after.expires_at) == ("submitted", done.expires_at)
