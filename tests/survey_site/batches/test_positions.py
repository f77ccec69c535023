"""Where raters meet the pairs: balanced over a whole batch, whoever comes and goes."""

from collections import Counter
from datetime import timedelta

import pytest

from survey_site.batches.models import Item
from survey_site.batches.queries import batch_progress
from survey_site.survey.models import AssignmentItem
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=2)


def complete(batch, *, now=NOW):
    """Let raters finish all that is left of a batch, each as much as there is for them."""
    rater = make_rater(batch)
    while batch_progress(batch, now=now).percent < 100:
        claim = claim_questionnaire(rater=rater, now=now)
        if claim is None:
            rater = make_rater(batch)
        else:
            submit_all(claim, now=now)


def places(batch):
    """(system, position) of every submitted item, counted; and (system, flipped)."""
    rows = AssignmentItem.objects.filter(
        assignment__questionnaire__batch=batch, assignment__state="submitted"
    ).values_list("item__system__name", "position", "flipped")
    return Counter((s, p) for s, p, _ in rows), Counter((s, f) for s, _, f in rows)


def test_gold_and_each_system_stand_equally_often_in_each_position_and_side():
    batch = make_batch(corpus=make_corpus(documents=6), raters=2, seed=5)
    complete(batch)
    positions, sides = places(batch)
    names = (None, "System1", "System2")
    assert positions == {(name, place): 4 for name in names for place in (1, 2, 3)}
    assert sides == {(name, flipped): 6 for name in names for flipped in (False, True)}


def test_balance_survives_claims_that_expire():
    batch = make_batch(corpus=make_corpus(documents=3), raters=2, claim_minutes=60)
    for _ in range(4):
        make_assignment(batch)  # begun and never finished
    complete(batch, now=LATER)
    positions, _ = places(batch)
    assert set(positions.values()) == {2}


def test_orders_follow_the_seed_of_the_batch():
    corpus = make_corpus(documents=4)
    orders = []
    for seed in (1, 1, 2):
        batch = make_batch(corpus=corpus, seed=seed)
        items = Item.objects.filter(questionnaire__batch=batch)
        key = ("questionnaire__document__key", "system__position")
        orders.append(list(items.order_by(*key).values_list("places", flat=True)))
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]


def test_a_batch_launched_before_positions_were_planned_is_shuffled():
    batch = make_batch()
    Item.objects.filter(questionnaire__batch=batch).update(places=[])
    placements = make_assignment(batch).placements
    assert sorted(placements.values_list("position", flat=True)) == [1, 2, 3]
