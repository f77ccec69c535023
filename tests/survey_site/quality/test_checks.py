"""Checks flag, an admin decides, nothing is dropped silently."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse

from survey_site.accounts.models import AuditEntry
from survey_site.batches.queries import batch_progress
from survey_site.common.errors import ConflictError, InvalidInputError
from survey_site.quality.checks import check_raters, count_flagged
from survey_site.quality.models import Exclusion
from survey_site.quality.queries import count_excluded, describe_exclusions, excluded_rows
from survey_site.quality.services import exclude_questionnaire, exclude_rater, undo_exclusion
from survey_site.reports.queries import survey_facts
from survey_site.scoring.adapters import ratings_of
from survey_site.scoring.rating_sets import record_ratings
from survey_site.survey.rating.services import submit_questionnaire
from survey_site.survey.rating_rows import rating_rows
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    return make_batch(corpus=make_corpus(documents=5, systems=4), systems_per_questionnaire=4, raters=4)


def rate(batch, value_of, *, minutes=5, pages=5, simulated=False):
    """A new rater who takes `minutes` a page and rates each pair as value_of(number of the pair, is gold)."""
    rater = make_rater(batch, simulated=simulated)
    for _ in range(pages):
        claim = make_assignment(batch, rater=rater)
        answers = {
            one.code: value_of(number, one.item.system_id is None)
            for number, one in enumerate(claim.placements.select_related("item").order_by("item"))
        }
        submit_questionnaire(assignment=claim, answers=answers, now=NOW + timedelta(minutes=minutes))
    return rater


def honest(number, gold):
    return 6 if gold else 1 + number


def flags_of(batch):
    return {one.rater.code: one.flags for one in check_raters(batch)}


def test_careful_raters_are_not_flagged(batch):
    for _ in range(3):
        rate(batch, honest)
    assert list(flags_of(batch).values()) == [[], [], []]


def test_each_check_flags_what_it_is_for(batch):
    careful, turned = rate(batch, honest), rate(batch, lambda number, gold: 7 - honest(number, gold))
    straight = rate(batch, lambda _number, _gold: 4)
    hurried = rate(batch, honest, minutes=0.05)
    assert flags_of(batch) == {
        careful.code: [],
        turned.code: ["gold opposite to the others"],
        straight.code: ["5 of 5 rated all alike"],
        hurried.code: ["5 of 5 too fast"],
    }
    assert count_flagged(check_raters(batch)) == 3


def test_a_program_s_times_are_not_judged(batch):
    rate(batch, honest, minutes=0, simulated=True)
    assert list(flags_of(batch).values()) == [[]]


def test_excluding_a_rater_and_undoing_it(batch, admin):
    kept, dropped = rate(batch, honest), rate(batch, lambda _number, _gold: 4)
    before = record_ratings(batch=batch, now=NOW).content_hash
    exclusion = exclude_rater(rater=dropped, reason=" all alike ", by=admin, now=NOW)
    assert exclude_rater(rater=dropped, reason="again", by=admin, now=NOW) == exclusion
    assert {row["rater"] for row in rating_rows(batch)} == {kept.code}
    assert {(row["rater"], row["state"], row["reason"]) for row in excluded_rows(batch)} == {
        (dropped.code, "excluded", "all alike")
    }
    progress = batch_progress(batch, now=NOW)
    assert (progress.completions, progress.excluded, progress.ratings) == (10, 5, 25)
    facts = survey_facts(batch, ratings_of(record_ratings(batch=batch, now=NOW)))
    assert facts["exclusions"] == ["5 completed questionnaires excluded by an admin: all alike"]
    assert (facts["ratings"]["completions"], facts["ratings"]["ratings"]) == (5, 25)
    undo_exclusion(exclusion=exclusion, by=admin, now=NOW)
    assert record_ratings(batch=batch, now=NOW).content_hash == before
    assert (count_excluded(batch), describe_exclusions(batch), list(excluded_rows(batch))) == (0, [], [])
    actions = AuditEntry.objects.filter(actor_name="adam").order_by("pk")
    assert [(one.action, one.detail) for one in actions] == [
        ("rater excluded", {"rater": dropped.code, "reason": "all alike"}),
        ("exclusion undone", {"rater": dropped.code, "reason was": "all alike"}),
    ]


def test_excluding_one_questionnaire(batch):
    rate(batch, honest)
    assignment = check_raters(batch)[0].pages[2].assignment
    exclude_questionnaire(assignment=assignment, reason="phone rang", now=NOW)
    assert len(list(rating_rows(batch))) == 20
    assert {row["questionnaire"] for row in excluded_rows(batch)} == {assignment.questionnaire.number}
    assert [page.reason for page in check_raters(batch)[0].pages] == ["", "", "phone rang", "", ""]


def test_what_an_excluded_rater_still_does_does_not_count(batch):
    rater = rate(batch, honest, pages=2)
    held = make_assignment(batch, rater=rater)
    exclude_rater(rater=rater, reason="asked to stop", now=NOW)
    submit_all(held)
    assert (count_excluded(batch), list(rating_rows(batch))) == (3, [])


def test_an_exclusion_needs_a_reason_and_something_completed(batch):
    with pytest.raises(InvalidInputError):
        exclude_rater(rater=make_rater(batch), reason="  ", now=NOW)
    with pytest.raises(ConflictError):
        exclude_questionnaire(assignment=make_assignment(batch), reason="early", now=NOW)
    assert Exclusion.objects.count() == 0


def test_an_admin_excludes_and_undoes_on_the_pages(batch, admin_client):
    rater = rate(batch, lambda _number, _gold: 4)
    page = reverse("quality:rater", args=[batch.pk, rater.code])
    detail = reverse("quality:detail", args=[batch.pk])
    assert b"5 of 5 rated all alike" in admin_client.get(page).content
    refused = admin_client.post(page, {"what": "rater", "reason": ""})
    assert (refused.status_code, Exclusion.objects.count()) == (422, 0)
    assert admin_client.post(page, {"what": "rater", "reason": "all alike"}).status_code == 302
    assert b"Nothing of this rater counts" in admin_client.get(page).content
    lines = b"".join(admin_client.get(reverse("quality:excluded", args=[batch.pk])).streaming_content)
    rows = list(csv.DictReader(io.StringIO(lines.decode())))
    assert {(row["rater"], row["state"], row["reason"]) for row in rows} == {
        (rater.code, "excluded", "all alike")
    }
    assert len(rows) == 25
    more = reverse("batches:ratings", args=[batch.pk], query={"include": "excluded"})
    lines = b"".join(admin_client.get(more).streaming_content)
    assert {row["state"] for row in csv.DictReader(io.StringIO(lines.decode()))} == {"excluded"}
    undo = reverse("quality:undo", args=[batch.pk, Exclusion.objects.get().pk])
    assert undo.encode() in admin_client.get(detail).content
    admin_client.post(undo)
    assert Exclusion.objects.count() == 0


def test_one_questionnaire_is_excluded_on_the_page(batch, admin_client):
    rater = rate(batch, honest)
    assignment = rater.assignments.first()
    page = reverse("quality:rater", args=[batch.pk, rater.code])
    admin_client.post(page, {"what": str(assignment.pk), "reason": "phone rang"})
    assert Exclusion.objects.get().assignment == assignment


def test_researchers_see_checks_but_exclude_nothing(batch, researcher_client):
    rater = rate(batch, honest)
    page = reverse("quality:rater", args=[batch.pk, rater.code])
    assert b'name="reason"' not in researcher_client.get(page).content
    assert researcher_client.post(page, {"what": "rater", "reason": "mine"}).status_code == 403
    exclusion = exclude_rater(rater=rater, reason="x", now=NOW)
    undo = reverse("quality:undo", args=[batch.pk, exclusion.pk])
    assert researcher_client.post(undo).status_code == 403
    assert researcher_client.get(reverse("quality:rater", args=[batch.pk, "nobody"])).status_code == 404
