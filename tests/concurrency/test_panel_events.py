"""A panel's word at the same moment as a submit or as itself: never one rater too many, and done once."""

import pytest
from django.db import IntegrityError

from survey_site.quality.models import PanelEvent
from survey_site.quality.panel_events import take_panel_event
from survey_site.survey.models import Assignment
from survey_site.survey.people.identity import panel_secret
from survey_site.survey.people.joining import join_batch
from survey_site.survey.rating import leaving
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def batch():
    return make_batch(corpus=make_corpus(documents=1), raters=1)


@pytest.fixture
def held(batch):
    rater = join_batch(batch=batch, secret=panel_secret(batch, "p1"), consent=1, now=NOW)
    return make_assignment(batch, rater=rater)


def tell(batch):
    return take_panel_event(batch=batch, event_id="e1", participant="p1", status="returned", now=NOW)


def submit(held, answers):
    return submit_questionnaire(assignment=held, answers=answers, now=NOW)


def states():
    return sorted(Assignment.objects.values_list("state", "slot"), key=str)


def test_returned_while_submitting_and_while_others_wait_for_the_place(batch, held, in_threads):
    answers, newcomers = answers_for(held), [make_rater(batch) for _ in range(2)]
    results = in_threads(
        lambda: tell(batch),
        lambda: submit(held, answers),
        *[lambda rater=rater: claim_questionnaire(rater=rater, now=NOW) for rater in newcomers],
    )
    assert [one for one in results if isinstance(one, Exception)] == []
    assert Assignment.objects.exclude(slot=None).count() == 1
    assert Assignment.objects.get(pk=held.pk).state in {"submitted", "surplus"}
    held.questionnaire.refresh_from_db()
    assert held.questionnaire.taken == 1


def test_the_same_event_at_once_is_done_once(batch, held, in_threads):
    results = in_threads(*[lambda: tell(batch)] * 4)
    assert sorted(repeated for _, repeated in results) == [False, True, True, True]
    assert (PanelEvent.objects.count(), states()) == (1, [("expired", None)])


def submitted_between(held, monkeypatch):
    """The panel's word reads what is open; then the page is submitted; then the place is given back."""
    release, answers = leaving._release, answers_for(held)

    def late(assignment, state):
        submit(held, answers)
        release(assignment, state)

    monkeypatch.setattr(leaving, "_release", late)


def test_without_the_lock_of_the_rater_the_word_would_take_a_submitted_page_back(batch, held, monkeypatch):
    """The control: in this order, which the lock rules out, the schema alone keeps the page that counts."""
    submitted_between(held, monkeypatch)
    with pytest.raises(IntegrityError, match="submitted_at_matches_state"):
        tell(batch)


def test_with_the_lock_the_page_waits_for_the_word(batch, held, in_threads, monkeypatch):
    """Whoever comes second finds what the first has done: the late page takes the free place back."""
    answers = answers_for(held)
    results = in_threads(lambda: tell(batch), lambda: submit(held, answers))
    assert [one for one in results if isinstance(one, Exception)] == []
    assert states() == [("submitted", 1)]
