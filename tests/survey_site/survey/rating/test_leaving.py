"""Stopping keeps what counts; withdrawing takes everything back, reopens places, and leaves tombstones."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.batches.queries import batch_progress
from survey_site.batches.services import close_batch, pause_batch
from survey_site.common.errors import GoneError
from survey_site.survey.models import Assignment, BackgroundAnswer, Rating, RatingHistory
from survey_site.survey.rating.leaving import stop_rating, withdraw_rater
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, save_rating, submit_all
from tests.survey_site.survey.people.test_ways_in import enter, url

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=5)


@pytest.fixture
def batch():
    return make_batch(corpus=make_corpus(documents=2), raters=1)


def rate_one(assignment, value=3):
    save_rating(assignment=assignment, code=next(iter(answers_for(assignment))), value=value, now=NOW)


def test_stopping_gives_the_place_away_and_keeps_the_answers(batch):
    submitted = submit_all(make_assignment(batch))
    held = make_assignment(batch, rater=submitted.rater)
    rate_one(held)
    stop_rating(rater=submitted.rater)
    states = submitted.rater.assignments.order_by("pk").values_list("state", "slot")
    assert list(states) == [("submitted", 1), ("expired", None)]
    assert claim_questionnaire(rater=submitted.rater, now=LATER) == held
    assert Rating.objects.count() == 4


def test_after_stopping_somebody_else_gets_the_place_at_once(batch):
    held = make_assignment(batch)
    stop_rating(rater=held.rater)
    other = make_assignment(batch)
    assert (other.questionnaire_id, other.slot) == (held.questionnaire_id, 1)


def test_withdrawing_deletes_values_and_reopens_every_place(batch):
    first = submit_all(make_assignment(batch), value=5)
    rater = first.rater
    second = make_assignment(batch, rater=rater)
    rate_one(second)
    others = submit_all(make_assignment(make_batch(), rater=None))
    BackgroundAnswer.objects.create(rater=rater, question="age", choice="25 to 34")
    rater = withdraw_rater(rater=rater, now=LATER)
    assert (rater.name, rater.withdrawn_at) == ("", LATER)
    assert set(rater.assignments.values_list("state", "slot")) == {("withdrawn", None)}
    assert rater.assignments.filter(submitted_at=NOW).count() == 1
    assert Rating.objects.exclude(assignment_item__assignment=others).count() == 0
    assert RatingHistory.objects.exclude(assignment_item__assignment=others).count() == 0
    assert BackgroundAnswer.objects.count() == 0
    progress = batch_progress(batch, now=LATER)
    assert (progress.completions, progress.ratings, progress.active) == (0, 0, 0)
    newcomer = make_rater(batch)
    for _ in range(2):
        submit_all(claim_questionnaire(rater=newcomer, now=LATER))
    assert batch_progress(batch, now=LATER).completions == 2


def test_withdrawing_twice_changes_nothing(batch):
    rater = make_assignment(batch).rater
    withdraw_rater(rater=rater, now=NOW)
    assert withdraw_rater(rater=rater, now=LATER).withdrawn_at == NOW


def test_nothing_that_arrives_later_brings_a_withdrawn_person_back(batch):
    held = make_assignment(batch)
    answers = answers_for(held)
    withdraw_rater(rater=held.rater, now=NOW)
    for attempt in (
        lambda: save_rating(assignment=held, code=next(iter(answers)), value=3, now=LATER),
        lambda: submit_questionnaire(assignment=held, answers=answers, now=LATER),
        lambda: claim_questionnaire(rater=held.rater, now=LATER),
    ):
        with pytest.raises(GoneError, match="withdrawn"):
            attempt()
    assert (Rating.objects.count(), Assignment.objects.get().state) == (0, "withdrawn")


def test_one_can_withdraw_after_the_batch_is_closed(batch):
    done = submit_all(make_assignment(batch))
    close_batch(batch=batch, now=NOW)
    withdraw_rater(rater=done.rater, now=LATER)
    assert Rating.objects.count() == 0


def test_leaving_over_http_without_scripts(client, batch):
    address = enter(client, url("join", batch))
    code = Assignment.objects.get().placements.first().code
    client.post(f"{address}rate/", {"item": code, "value": 3})
    assert url("leave", batch) in client.get(address).content.decode()
    page = client.get(url("leave", batch)).content.decode()
    assert ("Stop here" in page, "cannot be undone" in page) == (True, True)
    assert client.post(url("stop", batch)).url == url("done", batch) + "?stopped=1"
    assert "go on whenever you like" in client.get(url("done", batch)).content.decode()
    assert enter(client, url("join", batch)) == address
    for _ in range(2):
        assert client.post(url("withdraw", batch)).url == url("done", batch)
    assert "You have withdrawn" in client.get(url("done", batch)).content.decode()
    for response in (client.get(url("join", batch)), client.get(url("leave", batch))):
        assert response.url == url("done", batch)
    assert client.get(address).status_code == 410
    assert client.post(f"{address}rate/", {"item": code, "value": 3}).status_code == 410
    assert client.post(url("start", batch)).url == url("done", batch)
    assert Rating.objects.count() == 0


def test_going_on_is_offered_only_where_there_is_something_to_go_on_with(client, batch):
    enter(client, url("join", batch))
    offered = [offers_to_go_on(client, batch)]
    submit_all(Assignment.objects.get())
    offered.append(offers_to_go_on(client, batch))
    pause_batch(batch=batch, now=NOW)
    offered.append(offers_to_go_on(client, batch))
    assert offered == [True, True, False]


def offers_to_go_on(client, batch):
    return "Go on with the survey" in client.get(url("leave", batch)).content.decode()


@pytest.mark.parametrize("step", ["leave", "stop", "withdraw"])
def test_who_never_joined_has_nothing_to_leave(batch, step):
    client = Client()
    response = client.get(url(step, batch)) if step == "leave" else client.post(url(step, batch))
    assert (response.status_code, response.url) == (302, url("done", batch))


def test_leaving_is_never_a_mere_click_on_a_link(client, batch):
    enter(client, url("join", batch))
    assert client.get(url("stop", batch)).status_code == client.get(url("withdraw", batch)).status_code == 405
    assert Assignment.objects.get().state == "open"


def test_staff_see_that_somebody_withdrew(researcher_client, batch):
    withdraw_rater(rater=submit_all(make_assignment(batch)).rater, now=NOW)
    page = researcher_client.get(reverse("batches:participation", args=[batch.pk])).content.decode()
    assert "1 person has withdrawn. 3 submitted answers are deleted" in page
