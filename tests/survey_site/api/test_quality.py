"""Agreement, one rater, precision, snapshot, files and places given back, by a program."""

import pytest

from meta_eval.stats.raters.agreement_sums import ALPHA
from survey_site.accounts.models import AuditEntry
from survey_site.batches.services import close_batch
from survey_site.desk.files import FILES
from survey_site.quality.freezing import freeze_batch
from survey_site.quality.services import exclude_rater
from survey_site.survey.models import Rating
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db


def ratings_of(batch):
    return Rating.objects.filter(assignment_item__assignment__rater__batch=batch).count()


def kendall_width(option):
    return next(one["width"] for one in option["coefficients"] if one["coefficient"] == "kendall")


@pytest.fixture
def program():
    return make_program()


@pytest.fixture
def rated():
    return make_rated_batch()


def test_quality_is_what_the_page_shows_and_names_no_rater(program, rated):
    answer = program.get(f"batches/{rated.pk}/quality/")
    found, text = answer.json(), answer.content.decode()
    assert (answer.status_code, found["fresh"], found["checked"]) == (200, True, rated.people.count())
    assessment = found["assessment"]
    assert assessment["ratings"] == ratings_of(rated)
    assert {one["coefficient"] for one in assessment["agreements"]} >= {ALPHA}
    assert [len(row) for row in assessment["table"]] == [6] * 6
    assert not [one.code for one in rated.people.all() if one.code in text]


def test_one_rater_is_shown_page_by_page(program, rated):
    rater = rated.people.order_by("pk").first()
    found = program.get(f"batches/{rated.pk}/raters/{rater.code}/").json()
    assert (found["code"], found["excluded"]) == (rater.code, 0)
    assert all(1 <= value <= 6 for page in found["submitted"] for value in page["values"])
    exclude_rater(rater=rater, reason="fast", by=program.user, now=NOW)
    again = program.get(f"batches/{rated.pk}/raters/{rater.code}/").json()
    assert {page["reason"] for page in again["submitted"]} == {"fast"}
    assert program.get(f"batches/{rated.pk}/raters/nobody/").status_code == 404


def test_precision_is_planned_under_what_is_stated(program, rated):
    path = f"batches/{rated.pk}/precision/"
    stated = program.get(f"{path}?error_sd=2&rate=10").json()
    assert stated["assumptions"]["error_sd"] == 2
    planned = [one for one in stated["options"] if one["planned"]]
    assert [one["documents"] for one in planned] == [rated.documents]
    assert all(one["cost"] == pytest.approx(10 * one["hours"]) for one in stated["options"])
    usual = program.get(path).json()["options"]
    assert kendall_width(usual[0]) < kendall_width(stated["options"][0])
    refused = program.get(f"{path}?correlation=0.9&other=0.9&between=-0.9")
    unknown = program.get(f"{path}?earlier=99").json()["errors"]
    assert (refused.status_code, unknown[0]["field"]) == (422, "earlier")


def test_a_snapshot_is_read_and_checked_again(program, rated):
    path = f"batches/{rated.pk}/snapshot/"
    assert program.get(path).status_code == 404
    freeze_batch(batch=close_batch(batch=rated, now=NOW), by=program.user, clock=lambda: NOW)
    found = [program.get(path).json(), program.post(path).json()]
    assert [one["intact"] for one in found] == [True, True]
    assert {one["content_hash"] for one in found} == {rated.snapshot.content_hash}


def test_each_file_is_that_of_the_page_and_taking_it_is_written_down(program, rated, admin_client):
    close_batch(batch=rated, now=NOW)
    freeze_batch(batch=rated, by=program.user, clock=lambda: NOW)
    for name in FILES:
        sent = program.get(f"batches/{rated.pk}/files/{name}")
        page = admin_client.get(f"/batches/{rated.pk}/{name}")
        assert (sent.status_code, sent.headers["Content-Type"]) == (200, page.headers["Content-Type"])
        assert b"".join(sent.streaming_content) == b"".join(page.streaming_content), name
    taken = AuditEntry.objects.filter(action__contains="export", actor=program.user)
    assert taken.count() == len(FILES)
    assert program.get(f"batches/{rated.pk}/files/names.csv").status_code == 404


def test_expired_places_are_given_back_once(program):
    batch = make_batch()
    assert program.post(f"batches/{batch.pk}/reopen/").json() == {"released": 0}
    stale = program.post(f"batches/{batch.pk}/reopen/", If_Match='"other"')
    assert stale.status_code == 412
    draft = make_batch(launched=False)
    assert program.post(f"batches/{draft.pk}/reopen/").status_code == 409
