"""Whatever raters do in whatever order and however late, the rules of the survey hold."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from survey_site.batches.services import close_batch
from survey_site.common.errors import ConflictError, GoneError
from survey_site.survey.models import Assignment, Rating
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_rater, save_rating

RATERS, PLACES, CLAIM_MINUTES = 4, 2, 30

steps = st.lists(
    st.tuples(
        st.sampled_from([*["claim"] * 6, *["rate"] * 3, *["submit"] * 3, "close"]),
        st.integers(0, RATERS - 1),  # who
        st.integers(0, 1),  # which of their questionnaires
        st.integers(0, 2),  # which item
        st.integers(1, 6),  # the answer
        st.sampled_from([0, 0, 0, 20, 40]),  # minutes that pass before
    ),
    min_size=8,
    max_size=30,
)


def run(steps, questionnaires, crowd):
    """Let the first `crowd` raters claim, then do the steps, checking the rules after each."""
    batch = make_batch(
        corpus=make_corpus(documents=questionnaires), raters=PLACES, claim_minutes=CLAIM_MINUTES
    )
    raters = [make_rater(batch) for _ in range(RATERS)]
    for rater in raters[:crowd]:
        check_claim(rater, NOW)
    acknowledged, submitted, now = {}, set(), NOW
    for kind, who, which, item, value, minutes in steps:
        now += timedelta(minutes=minutes)
        rater = raters[who]
        rater.refresh_from_db()
        if kind == "close":
            close_batch(batch=batch, now=now)
        elif kind == "claim":
            check_claim(rater, now)
        elif which < rater.assignments.count():
            assignment = rater.assignments.order_by("pk")[which]
            codes = list(answers_for(assignment))
            if kind == "rate":
                rate(assignment, codes[item], value, now, acknowledged)
            else:
                submit(assignment, dict.fromkeys(codes, value), now, acknowledged, submitted)
        check_rules(acknowledged, submitted)


def check_claim(rater, now):
    """A rater who gets nothing has no place left: each questionnaire is theirs, or full of live claims."""
    rater = type(rater).objects.select_related("batch").get(pk=rater.pk)
    try:
        assignment = claim_questionnaire(rater=rater, now=now)
    except GoneError:
        assert rater.batch.is_closed
        return
    if assignment:
        assert (assignment.state, assignment.rater) == ("open", rater)
        return
    for questionnaire in rater.batch.questionnaires.all():
        held = questionnaire.assignments.exclude(slot=None)
        live = (
            held.filter(state="submitted").count()
            + held.filter(expires_at__gte=now).exclude(state="submitted").count()
        )
        mine = questionnaire.assignments.filter(rater=rater).exclude(state="expired")
        assert mine.exists() or live == PLACES


def rate(assignment, code, value, now, acknowledged):
    try:
        save_rating(assignment=assignment, code=code, value=value, now=now)
    except ConflictError:  # the rater is told, so it is not acknowledged
        assert assignment.questionnaire.batch.is_closed
    else:
        acknowledged[code] = value


def submit(assignment, answers, now, acknowledged, submitted):
    try:
        submission = submit_questionnaire(assignment=assignment, answers=answers, now=now)
    except ConflictError:
        assert assignment.questionnaire.batch.is_closed
    else:
        assert submission.complete
        submitted.add(assignment.pk)
        acknowledged.update(answers)


def check_rules(acknowledged, submitted):
    assignments = list(Assignment.objects.all())
    holding = Counter(one.questionnaire_id for one in assignments if one.slot)
    assert all(count <= PLACES for count in holding.values())
    pairs = Counter((one.questionnaire_id, one.rater_id) for one in assignments)
    assert all(count == 1 for count in pairs.values())
    stored = dict(Rating.objects.values_list("assignment_item__code", "value"))
    assert stored == acknowledged
    assert {one.pk for one in assignments if one.is_submitted} == submitted


@pytest.mark.django_db
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=steps, questionnaires=st.integers(1, 2), crowd=st.integers(0, RATERS))
def test_any_interleaving_keeps_the_rules(steps, questionnaires, crowd):
    with transaction.atomic():
        run(steps, questionnaires, crowd)
        transaction.set_rollback(True)
