"""The limit per person, panel codes, and being told of a lack of places before starting."""

import re

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch, launch_batch, pause_batch
from survey_site.common.errors import InvalidInputError
from survey_site.desk.taking_part.forms import ParticipationForm
from survey_site.survey.models import (
    Assignment,
    AssignmentItem,
    BackgroundAnswer,
    Participation,
    Rater,
    Rating,
)
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from survey_site.survey.queries import rater_progress
from survey_site.survey.rating.services import claim_questionnaire
from survey_site.survey.rating_rows import rating_rows
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all
from tests.survey_site.survey.pages.test_pages import answer_all
from tests.survey_site.survey.people.test_ways_in import enter, panel_link, url

pytestmark = pytest.mark.django_db
CODES = {"completed_code": "COMPLETED-1", "no_place_code": "NOPLACE-2"}


def make_ending_batch(*, documents=3, raters=2, **settings):
    batch = make_batch(corpus=make_corpus(documents=documents), raters=raters, launched=False)
    save_participation(batch=batch, settings=ParticipationSettings(**settings), now=NOW)
    return launch_batch(batch=batch, now=NOW)


def shown_codes(response):
    return [code for code in CODES.values() if code in response.content.decode()]


def test_the_limit_ends_a_person_s_work():
    batch = make_ending_batch(limit=2)
    rater = make_rater(batch)
    assert rater_progress(rater, now=NOW).total == 2
    for number in (1, 2):
        held = claim_questionnaire(rater=rater, now=NOW)
        assert rater_progress(rater, now=NOW).total == 2
        assert claim_questionnaire(rater=rater, now=NOW) == held
        submit_all(held)
        assert rater.assignments.count() == number
    assert claim_questionnaire(rater=rater, now=NOW) is None
    assert claim_questionnaire(rater=make_rater(batch), now=NOW) is not None


def test_a_panel_member_gets_the_code_once_all_is_stored_and_not_before():
    batch = make_ending_batch(entry="panel", limit=2, return_address="https://p.example/?cc={code}", **CODES)
    client = Client()
    seen = [client.get(panel_link(batch), follow=True)]
    for _ in range(2):
        address = enter(client, panel_link(batch))
        seen += [client.get(address), client.get(url("done", batch)), client.get(url("leave", batch))]
        done = client.get(answer_all(client, address).url)
        seen.append(done)
    assert [shown_codes(page) for page in seen] == [[]] * 8 + [["COMPLETED-1"]]
    assert 'href="https://p.example/?cc=COMPLETED-1"' in done.content.decode()
    assert "nothing left for you to do" not in done.content.decode()  # the code is still to be taken back
    assert shown_codes(client.get(url("done", batch))) == ["COMPLETED-1"]


def test_without_a_limit_one_questionnaire_completes():
    batch, client = make_ending_batch(entry="panel", **CODES), Client()
    done = client.get(answer_all(client, enter(client, panel_link(batch))).url)
    assert (shown_codes(done), "Next questionnaire" in done.content.decode()) == (["COMPLETED-1"], True)
    assert shown_codes(client.get(enter(client, panel_link(batch)))) == []
    assert shown_codes(client.get(url("done", batch))) == []  # one is open again


def test_fewer_than_the_limit_complete_where_no_more_are_to_be_had():
    batch, client = make_ending_batch(entry="panel", documents=1, limit=5, **CODES), Client()
    done = client.get(answer_all(client, enter(client, panel_link(batch))).url)
    assert shown_codes(done) == ["COMPLETED-1"]


def test_a_panel_member_who_comes_late_is_told_before_starting():
    batch, client = make_ending_batch(entry="panel", documents=1, raters=1, **CODES), Client()
    enter(Client(), panel_link(batch, person="first"))
    page = client.get(panel_link(batch), follow=True)
    assert shown_codes(page) == ["NOPLACE-2"]
    assert "All places are taken" in page.content.decode()
    assert b"<form" not in page.content
    assert Rater.objects.count() == 1


def test_a_panel_member_who_comes_after_the_close_gets_the_code_for_no_place():
    batch = close_batch(batch=make_ending_batch(entry="panel", **CODES), now=NOW)
    page = Client().get(panel_link(batch), follow=True)
    assert (shown_codes(page), "This survey is closed" in page.content.decode()) == (["NOPLACE-2"], True)
    assert Rater.objects.count() == 0
    assert Client().get(url("join", batch)).status_code == 410


@pytest.mark.parametrize("ended", [lambda batch: batch, lambda batch: close_batch(batch=batch, now=NOW)])
def test_who_has_finished_finds_code_and_answers_again_by_the_link(ended):
    batch = make_ending_batch(entry="panel", limit=1, **CODES)
    client = Client()
    answer_all(client, enter(client, panel_link(batch)))
    ended(batch)
    page = client.get(panel_link(batch), follow=True)
    assert (page.request["PATH_INFO"], shown_codes(page)) == (url("done", batch), ["COMPLETED-1"])
    assert url("leave", batch) in page.content.decode()


def end_its_window(batch):
    Batch.objects.filter(pk=batch.pk).update(closes_at=NOW)


@pytest.mark.parametrize("end", [lambda batch: close_batch(batch=batch, now=NOW), end_its_window])
def test_who_agreed_before_the_end_finds_the_code_for_no_place_wherever_they_go_on(end):
    """While they read the questions about themselves or the practice: nothing is asked any more."""
    batch = make_ending_batch(entry="panel", questions=["age"], practice=True, **CODES)
    client = Client()
    about = enter(client, panel_link(batch))
    end(batch)
    pages = [
        client.get(panel_link(batch), follow=True),
        client.get(url("join", batch), follow=True),
        client.get(about, follow=True),
        client.post(about, {"age": "25 to 34"}, follow=True),
        client.get(url("practice", batch), follow=True),
        client.post(url("start", batch), {"practised": "yes"}, follow=True),
    ]
    found = [(page.request["PATH_INFO"], page.status_code, shown_codes(page)) for page in pages]
    assert found == [(url("done", batch), 200, ["NOPLACE-2"])] * 6
    assert "This survey is closed" in pages[0].content.decode()
    assert BackgroundAnswer.objects.count() == 0


@pytest.mark.parametrize("act", [pause_batch, close_batch])
def test_who_has_begun_finds_the_way_to_withdraw_however_the_batch_stands(act):
    batch, client = make_ending_batch(), Client()
    assert url("leave", batch) not in client.get(url("join", batch)).content.decode()
    enter(client, url("join", batch))
    client.post(url("stop", batch))
    act(batch=batch, now=NOW)
    assert url("leave", batch) in client.get(url("join", batch), follow=True).content.decode()


def test_who_has_completed_nothing_is_told_of_no_number():
    batch, client = make_ending_batch(), Client()
    enter(client, url("join", batch))
    page = client.get(url("join", batch)).content.decode()
    assert ("You have one questionnaire open." in page, "completed 0" in page) == (True, False)
    client.post(url("stop", batch))
    page = client.get(url("join", batch)).content.decode()
    assert ("You can go on whenever you like" in page, "completed 0" in page) == (True, False)
    assert "Next questionnaire" not in page


def test_a_panel_member_whose_place_goes_while_they_read_gets_the_code_after_starting():
    batch, client = make_ending_batch(entry="panel", documents=1, raters=1, **CODES), Client()
    page = client.get(panel_link(batch), follow=True).content.decode()
    enter(Client(), panel_link(batch, person="first"))
    key = re.search(r'name="key" value="([^"]+)"', page).group(1)
    assert shown_codes(client.post(url("start", batch), {"key": key}, follow=True)) == ["NOPLACE-2"]


def test_the_open_link_tells_too_but_shows_no_code(client):
    batch = make_ending_batch(documents=1, raters=1, **CODES)
    assert "All places are taken" not in client.get(url("join", batch)).content.decode()
    submit_all(make_assignment(batch))
    page = client.get(url("join", batch))
    assert ("All places are taken" in page.content.decode(), shown_codes(page)) == (True, [])
    assert ("<form" in page.content.decode(), "agree" in page.content.decode()) == (False, False)


def test_an_abandoned_place_does_not_turn_newcomers_away(client):
    batch = make_ending_batch(documents=1, raters=1)
    make_assignment(batch)
    Assignment.objects.update(expires_at=NOW)
    assert "All places are taken" not in client.get(url("join", batch)).content.decode()


@pytest.mark.parametrize(
    ("address", "valid"),
    [
        ("https://p.example/?cc={code}", True),
        ("https://p.example/", False),
        ("javascript:alert('{code}')", False),
    ],
)
def test_the_panel_s_address_is_checked(address, valid):
    data = {"entry": "panel", "panel_parameter": "PID", "return_address": address}
    assert ParticipationForm(data).is_valid() == valid


def make_checked_batch(*, failed_controls, documents=2, **settings):
    """A panel's batch with both controls in every questionnaire, for one rater each."""
    batch = make_batch(
        corpus=make_corpus(documents=documents),
        raters=1,
        identical_share=100,
        unrelated_share=100,
        launched=False,
    )
    code = "FAILED-3" if failed_controls else ""
    wanted = ParticipationSettings(
        entry="panel", failed_code=code, failed_controls=failed_controls, **CODES, **settings
    )
    save_participation(batch=batch, settings=wanted, now=NOW)
    return launch_batch(batch=batch, now=NOW)


def answer_controls(client, address, *, identical, unrelated):
    """Rate a page in one form as somebody who sees which pairs are controls; gives the page that follows."""
    known = {"": 3, "identical": identical, "unrelated": unrelated}
    placements = AssignmentItem.objects.filter(assignment__code=address.rstrip("/").rsplit("/", 1)[1])
    codes = placements.values_list("code", "item__control")
    return client.post(address, {f"rating-{code}": known[control] for code, control in codes}, follow=True)


def all_codes(response):
    return [code for code in (*CODES.values(), "FAILED-3") if code in response.content.decode()]


@pytest.mark.parametrize(
    ("failed_controls", "ratings", "code"),
    [
        (None, {"identical": 1, "unrelated": 6}, "COMPLETED-1"),
        (1, {"identical": 5, "unrelated": 3}, "COMPLETED-1"),
        (1, {"identical": 4, "unrelated": 1}, "FAILED-3"),
        (2, {"identical": 4, "unrelated": 1}, "COMPLETED-1"),
        (2, {"identical": 4, "unrelated": 4}, "FAILED-3"),
    ],
)
def test_who_fails_the_controls_gets_another_code(failed_controls, ratings, code):
    batch, client = make_checked_batch(failed_controls=failed_controls), Client()
    done = answer_controls(client, enter(client, panel_link(batch)), **ratings)
    assert all_codes(done) == [code]
    assert Rating.objects.count() == 5
    assert len(list(rating_rows(batch))) == 3  # kept, and counted until an admin excludes them


def test_failed_controls_add_up_over_questionnaires():
    batch, client = make_checked_batch(failed_controls=2, limit=2), Client()
    first = answer_controls(client, enter(client, panel_link(batch)), identical=2, unrelated=1)
    second = answer_controls(client, enter(client, panel_link(batch)), identical=6, unrelated=5)
    assert (all_codes(first), all_codes(second)) == ([], ["FAILED-3"])


def test_no_code_is_shown_before_everything_is_stored():
    batch, client = make_checked_batch(failed_controls=1), Client()
    address = enter(client, panel_link(batch))
    placements = AssignmentItem.objects.filter(item__control="identical").values_list("code", flat=True)
    client.post(f"{address}rate/", {"item": placements[0], "value": 1})
    assert all_codes(client.get(url("done", batch))) == []
    assert all_codes(client.get(address)) == []


def test_changing_an_answer_after_the_code_was_shown_changes_no_code():
    batch, client = make_checked_batch(failed_controls=1), Client()
    address = enter(client, panel_link(batch))
    assert all_codes(answer_controls(client, address, identical=1, unrelated=1)) == ["FAILED-3"]
    assert all_codes(answer_controls(client, address, identical=6, unrelated=1)) == ["FAILED-3"]
    assert Rating.objects.get(assignment_item__item__control="identical").value == 6


def test_what_is_changed_before_submitting_counts_as_changed():
    batch, client = make_checked_batch(failed_controls=1), Client()
    address = enter(client, panel_link(batch))
    code = AssignmentItem.objects.get(item__control="identical").code
    client.post(f"{address}rate/", {"item": code, "value": 1})
    assert all_codes(answer_controls(client, address, identical=6, unrelated=1)) == ["COMPLETED-1"]


@pytest.mark.parametrize(("code", "number", "valid"), [("F", 2, True), ("F", None, False), ("", 2, False)])
def test_the_code_for_failed_checks_comes_with_its_number(code, number, valid):
    data = {"entry": "panel", "panel_parameter": "PID", "failed_code": code, "failed_controls": number or ""}
    form = ParticipationForm(data)
    assert form.is_valid() == valid
    batch = make_batch(launched=False)
    settings = ParticipationSettings(failed_code=code, failed_controls=number)
    if valid:
        assert save_participation(batch=batch, settings=form.settings(), now=NOW).failed_controls == number
    else:
        assert "failed_controls" in form.errors
        with pytest.raises(InvalidInputError, match="go together"):
            save_participation(batch=batch, settings=settings, now=NOW)
        with pytest.raises(IntegrityError), transaction.atomic():
            Participation.objects.create(batch=batch, failed_code=code, failed_controls=number)
