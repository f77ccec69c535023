"""The primary coefficient of a batch: declared early or late, changed with a trace, in plan and snapshot."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError

from survey_site.accounts.audit import audit_entries
from survey_site.batches.declaring import declare_primary
from survey_site.batches.description import describe_plan
from survey_site.batches.models import PrimaryDeclaration
from survey_site.batches.primary import PrimaryChoice, count_ratings, describe_primary
from survey_site.batches.services import BatchSettings, close_batch, launch_batch, update_batch
from survey_site.common.errors import ConflictError
from survey_site.quality.freezing import freeze_batch
from survey_site.survey.models import Rating
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import make_assignment, submit_all

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(days=1)
TAU = PrimaryChoice(coefficient="kendall", surrogate="rouge-l")
PEARSON = PrimaryChoice(coefficient="pearson", surrogate="jsd")


def details(action):
    return [entry.detail for entry in audit_entries(action=action)]


def test_a_draft_is_planned_with_it_and_its_audit_entry_says_so():
    batch = make_batch(primary=TAU, launched=False)
    words = (
        "Kendall's tau of DEGRESS with DEGRESS-HJ by ROUGE-L, declared on 2 March 2026, before the first "
        "rating"
    )
    assert batch.primary.in_words == words
    assert details("batch planned") == [{"primary": words}]
    assert describe_plan(batch)["primary"] == {
        "coefficient": "kendall",
        "score": "degress",
        "surrogate": "rouge-l",
        "declared_at": NOW.isoformat(),
        "ratings": 0,
        "planned": None,
        "replaced": [],
    }


def test_a_plan_without_it_says_nothing_of_it():
    batch = make_batch()
    assert (batch.primary, describe_primary(batch)) == (None, None)
    assert "primary" not in describe_plan(batch)


def test_a_draft_may_change_it_or_take_it_back_and_the_audit_log_has_both():
    batch = make_batch(primary=TAU, launched=False)
    update_batch(batch=batch, settings=BatchSettings(name="Pilot", primary=PEARSON), now=LATER)
    update_batch(batch=batch, settings=BatchSettings(name="Pilot", primary=PEARSON), now=LATER)
    assert describe_primary(batch)["coefficient"] == "pearson"
    assert describe_primary(batch)["replaced"] == []
    update_batch(batch=batch, settings=BatchSettings(name="Pilot"), now=LATER)
    assert describe_primary(batch) is None
    assert [row.coefficient for row in batch.declarations.all()] == ["kendall", "pearson", ""]
    taken_back, same, changed = details("plan changed")
    assert taken_back["primary"].endswith("before the first rating → ")
    assert "primary" not in same
    assert " → Pearson's r of DEGRESS" in changed["primary"]


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        (PrimaryChoice(coefficient="kendall"), "primary_surrogate"),
        (PrimaryChoice(surrogate="jsd"), "primary_coefficient"),
        (PrimaryChoice(coefficient="tau", surrogate="jsd"), "primary_coefficient"),
        (PrimaryChoice(coefficient="kendall", surrogate="nothing"), "primary_surrogate"),
        (PrimaryChoice(coefficient="kendall", surrogate="jsd", score="egises"), "primary_coefficient"),
    ],
)
def test_what_leaves_several_families_or_none_is_refused(choice, field):
    with pytest.raises(ValidationError) as caught:
        make_batch(primary=choice, launched=False)
    assert list(caught.value.message_dict) == [field]
    assert not PrimaryDeclaration.objects.exists()


def test_a_late_one_has_the_number_of_ratings_and_of_those_planned():
    batch = make_batch()
    submit_all(make_assignment(batch))
    there = count_ratings(batch)
    declare_primary(batch=batch, choice=TAU, now=LATER)
    found = describe_primary(batch)
    assert (found["ratings"], found["planned"], found["replaced"]) == (there, 12, [])
    assert 0 < there < 12
    (entry,) = details("primary declared")
    assert entry == {"primary": f"none → {batch.primary.in_words}", "ratings": there}


def test_ratings_that_were_withdrawn_had_been_there_all_the_same():
    batch = make_batch()
    assignment = submit_all(make_assignment(batch))
    there = count_ratings(batch)
    assert there == Rating.objects.count() > 0
    withdraw_rater(rater=assignment.rater, now=LATER)
    assert not Rating.objects.exists()
    declare_primary(batch=batch, choice=TAU, now=LATER)
    assert describe_primary(batch)["ratings"] == there


def test_a_change_after_the_first_rating_keeps_what_stood_then():
    batch = make_batch(primary=PrimaryChoice(coefficient="spearman", surrogate="jsd"), launched=False)
    update_batch(batch=batch, settings=BatchSettings(name="Pilot", primary=PEARSON), now=NOW)
    batch = launch_batch(batch=batch, now=NOW)
    submit_all(make_assignment(batch))
    declare_primary(batch=batch, choice=TAU, now=LATER)
    declare_primary(batch=batch, choice=TAU, now=LATER)
    found = describe_primary(batch)
    assert (found["coefficient"], found["ratings"]) == ("kendall", count_ratings(batch))
    assert [one["coefficient"] for one in found["replaced"]] == ["pearson"]
    assert found["replaced"][0]["ratings"] == 0


def test_after_the_first_rating_it_is_not_taken_back():
    batch = make_batch(primary=TAU)
    submit_all(make_assignment(batch))
    with pytest.raises(ValidationError, match="can be changed now, but not taken back"):
        declare_primary(batch=batch, choice=PrimaryChoice(), now=LATER)
    assert batch.primary.coefficient == "kendall"


def test_a_frozen_batch_has_it_in_its_snapshot_and_keeps_it():
    batch = make_batch(primary=TAU)
    submit_all(make_assignment(batch))
    close_batch(batch=batch, now=LATER)
    snapshot = freeze_batch(batch=batch, clock=lambda: LATER)
    assert snapshot.head["plan"]["primary"]["coefficient"] == "kendall"
    with pytest.raises(ConflictError):
        declare_primary(batch=batch, choice=PEARSON, now=LATER)
