"""Who gets which questionnaire, and when a place is free again."""

from datetime import timedelta

import pytest

from survey_site.batches.services import close_batch, pause_batch
from survey_site.batches.states import AssignmentState
from survey_site.common.errors import GoneError, NotFoundError
from survey_site.survey.models import Assignment, Consent, Rater
from survey_site.survey.people.joining import hash_key, join_batch
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, save_rating, submit_all

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def test_joining_stores_only_a_hash_of_the_secret():
    rater = join_batch(batch=make_batch(), secret="my secret", consent=1, name="  Ada ", now=NOW)
    assert (rater.key_hash, rater.name, rater.created_at) == (hash_key("my secret"), "Ada", NOW)


def test_joining_again_with_the_secret_is_the_same_rater():
    batch = make_batch()
    first = join_batch(batch=batch, secret="one", consent=1, now=NOW)
    assert join_batch(batch=batch, secret="one", name="Somebody else", now=NOW + HOUR) == first
    assert Rater.objects.get() == first


@pytest.mark.parametrize("meanwhile", [None, pause_batch, close_batch])
def test_who_joins_twice_without_a_cookie_is_one_rater_who_gets_through(meanwhile):
    """A double click: nobody was known when either request came, and the second may come after a pause."""
    batch, called = make_batch(), []
    known = {"secret": "one", "consent": 1, "is_unknown": True, "newcomer": called.append}
    first = join_batch(batch=batch, now=NOW, **known)
    if meanwhile:
        batch = meanwhile(batch=batch, now=NOW)
    again = join_batch(batch=batch, now=NOW + HOUR, **known, name="Somebody else")
    other_form = known | {"consent": 7, "consent_language": "de"}  # of another device, in another language
    assert join_batch(batch=batch, now=NOW + HOUR, **other_form) == first
    assert (again, again.name, called) == (first, "", [first])
    assert (Rater.objects.get(), Consent.objects.get().given_at) == (first, NOW)


def test_a_draft_and_a_closed_batch_take_no_new_raters():
    with pytest.raises(NotFoundError):
        make_rater(make_batch(launched=False))
    with pytest.raises(GoneError):
        make_rater(close_batch(batch=make_batch(), now=NOW))


def test_a_claim_takes_the_lowest_free_slot_until_the_questionnaire_is_full():
    batch = make_batch(corpus=make_corpus(documents=1), raters=3)
    claims = [make_assignment(batch) for _ in range(3)]
    assert [claim.slot for claim in claims] == [1, 2, 3]
    assert claim_questionnaire(rater=make_rater(batch), now=NOW) is None


def test_claiming_again_returns_the_open_questionnaire_and_renews_it():
    held = make_assignment(make_batch(claim_minutes=60))
    again = claim_questionnaire(rater=held.rater, now=NOW + HOUR / 2)
    assert (again, again.expires_at) == (held, NOW + 1.5 * HOUR)
    assert Assignment.objects.get() == held


def test_a_started_questionnaire_is_completed_before_another_is_begun():
    batch = make_batch(corpus=make_corpus(documents=3), raters=2)
    claims = [make_assignment(batch) for _ in range(6)]
    assert [claim.questionnaire.number for claim in claims] == [1, 1, 2, 2, 3, 3]


def test_consecutive_raters_take_the_parts_of_a_document_in_turn_where_these_are_kept_together():
    """PerSEval: two consecutive respondents evaluate all ten systems, and two more after them."""
    corpus = make_corpus(documents=3, systems=4)
    batch = make_batch(corpus=corpus, systems_per_questionnaire=2, parts_together=True)
    claims = [make_assignment(batch) for _ in range(12)]
    assert [claim.questionnaire.number for claim in claims] == [1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6]
    assert len({claim.questionnaire.document_id for claim in claims[:4]}) == 1


def test_a_rater_who_has_met_a_document_begins_the_next_where_parts_are_kept_together():
    corpus = make_corpus(documents=2, systems=4)
    batch = make_batch(corpus=corpus, systems_per_questionnaire=2, parts_together=True)
    rater = make_rater(batch)
    numbers = [submit_all(make_assignment(batch, rater=rater)).questionnaire.number for _ in range(4)]
    assert numbers == [1, 3, 2, 4]


def test_a_rater_never_gets_a_questionnaire_twice():
    batch = make_batch(corpus=make_corpus(documents=2), raters=5)
    rater = make_rater(batch)
    numbers = {submit_all(make_assignment(batch, rater=rater)).questionnaire.number for _ in range(2)}
    assert numbers == {1, 2}
    assert claim_questionnaire(rater=rater, now=NOW) is None


def test_a_rater_meets_new_documents_first():
    """The gold pair is in every questionnaire of its document: meeting it twice would give it away."""
    batch = make_batch(corpus=make_corpus(documents=3, systems=4), systems_per_questionnaire=2)
    rater = make_rater(batch)
    documents = [submit_all(make_assignment(batch, rater=rater)).questionnaire.document_id for _ in range(6)]
    assert (len(set(documents[:3])), set(documents[3:])) == (3, set(documents[:3]))


def test_items_come_in_an_order_and_orientation_of_their_own_for_each_rater():
    batch = make_batch(corpus=make_corpus(documents=1, systems=5), raters=20)
    claims = [make_assignment(batch) for _ in range(20)]
    orders = {tuple(claim.placements.values_list("item_id", flat=True)) for claim in claims}
    flips = {tuple(claim.placements.order_by("item").values_list("flipped", flat=True)) for claim in claims}
    assert len(orders) > 15
    assert len(flips) > 10
    first = {order[0] for order in orders}
    assert len(first) > 3
    assert {tuple(sorted(claim.placements.values_list("position", flat=True))) for claim in claims} == {
        (1, 2, 3, 4, 5, 6)
    }


def test_a_stale_claim_keeps_its_place_until_another_rater_wants_it():
    batch = make_batch(corpus=make_corpus(documents=1), raters=1)
    stale = make_assignment(batch)
    assert claim_questionnaire(rater=make_rater(batch), now=NOW + HOUR) is None
    taken = make_assignment(batch, now=NOW + HOUR + timedelta(seconds=1))
    stale.refresh_from_db()
    assert (stale.state, stale.slot) == (AssignmentState.EXPIRED, None)
    assert (taken.state, taken.slot) == (AssignmentState.OPEN, 1)


def test_an_answer_extends_the_claim():
    batch = make_batch(corpus=make_corpus(documents=1), raters=1)
    held = make_assignment(batch)
    code = next(iter(answers_for(held)))
    save_rating(assignment=held, code=code, value=3, now=NOW + 0.9 * HOUR)
    assert claim_questionnaire(rater=make_rater(batch), now=NOW + 1.5 * HOUR) is None


def test_a_rater_comes_back_to_an_expired_questionnaire_with_the_answers_kept():
    batch = make_batch(corpus=make_corpus(documents=1), raters=1)
    lost = make_assignment(batch)
    code = next(iter(answers_for(lost)))
    save_rating(assignment=lost, code=code, value=3, now=NOW)
    thief = make_assignment(batch, now=NOW + 2 * HOUR)
    assert claim_questionnaire(rater=lost.rater, now=NOW + 2 * HOUR) is None
    back = claim_questionnaire(rater=lost.rater, now=NOW + 4 * HOUR)
    thief.refresh_from_db()
    assert (back, back.state, back.slot, thief.state) == (lost, "open", 1, "expired")
    assert back.placements.get(code=code).rating.value == 3


def test_a_closed_batch_gives_no_new_questionnaire_but_the_open_one():
    batch = make_batch()
    held, idle = make_assignment(batch), make_rater(batch)
    close_batch(batch=batch, now=NOW)
    held.rater.batch.refresh_from_db()
    idle.batch.refresh_from_db()
    assert claim_questionnaire(rater=held.rater, now=NOW) == held
    with pytest.raises(GoneError):
        claim_questionnaire(rater=idle, now=NOW)


def test_a_batch_closed_in_the_meantime_is_noticed_under_the_lock():
    batch = make_batch()
    rater = make_rater(batch)
    close_batch(batch=batch, now=NOW)
    assert rater.batch.is_live  # as read before it was closed
    assert claim_questionnaire(rater=rater, now=NOW) is None
