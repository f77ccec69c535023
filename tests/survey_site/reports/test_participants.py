"""What people said of themselves, from the about page into a report, its bundle and its datasheet."""

import io

import pytest

from meta_eval.publish.bundle import verify_bundle, write_bundle
from survey_site.batches.services import close_batch
from survey_site.reports.bundles.content import bundle_content, report_datasheet
from survey_site.reports.facts import TOLD_LATER
from survey_site.survey.models import BackgroundAnswer, Participation
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch
from tests.factories.survey import make_rater

pytestmark = pytest.mark.django_db
CHOICES = ("Woman",) * 9 + ("Man",) * 7 + ("Non-binary or another gender", "") * 2


def make_asking_batch(choices=CHOICES, *, closed=True):
    """A rated batch whose people were asked for their gender."""
    batch = make_rated_batch()
    Participation.objects.update_or_create(batch=batch, defaults={"questions": ["gender"]})
    for choice in choices:
        BackgroundAnswer.objects.create(rater=make_rater(batch), question="gender", choice=choice)
    return close_batch(batch=batch, now=NOW) if closed else batch


def test_totals_reach_report_methods_datasheet_and_a_bundle_that_verifies():
    report = make_report(batch=make_asking_batch(), resamples=1_000)
    (asked,) = report.read().participants
    shown = {total.choice: total.people for total in asked.totals}
    assert (asked.question, asked.answered) == ("gender", 20)
    assert shown == {
        "Woman": "9",
        "Man": "7",
        "Non-binary or another gender": "<5",
        "Prefer not to say": "<5",
    }
    answer = next(one.answer for one in report_datasheet(report) if one.question.number == "3.2.5")
    assert answer.text == (
        "Of themselves people said: gender (20 people), 9 Woman, 7 Man, fewer than 5 each Non-binary or "
        "another gender and Prefer not to say."
    )
    assert not answer.complete
    stream = io.BytesIO()
    write_bundle(stream, bundle_content(report))
    found = verify_bundle(stream)
    assert (found.files, found.differences) == ((), ())


def test_no_answer_of_a_person_is_in_the_report():
    report = make_report(batch=make_asking_batch(), built=False)
    (asked,) = report.survey["participants"]
    assert set(asked) == {"question", "answered", "totals"}
    assert all(set(total) == {"choice", "people"} for total in asked["totals"])


def test_few_answers_are_not_told_at_all():
    batch = make_asking_batch(["Man"])
    (asked,) = make_report(batch=batch, built=False).survey["participants"]
    assert asked == {"question": "gender", "answered": None, "totals": []}


def test_while_people_may_join_nothing_is_told_and_the_report_says_so():
    report = make_report(batch=make_asking_batch(closed=False), resamples=1_000).read()
    assert report.participants == ()
    assert TOLD_LATER in report.notes


def test_where_nobody_was_asked_a_report_has_nothing_of_it():
    assert "participants" not in make_report(built=False).survey
