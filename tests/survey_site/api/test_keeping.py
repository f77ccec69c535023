"""What a program archives and deletes: what goes is counted first, and its name confirms it."""

import pytest

from survey_site.accounts.audit import audit_entries
from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch
from survey_site.reports.models import Report
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db


@pytest.fixture
def program():
    return make_program()


def deleted(program, path, name, seen, **headers):
    return program.ask("DELETE", f"{path}?name={name}&seen={seen}", headers=headers)


def test_a_closed_batch_is_archived_and_taken_out(program):
    batch = close_batch(batch=make_rated_batch(), now=NOW)
    path = f"keep/batch/{batch.pk}/"
    archived = program.post(f"{path}archive/")
    assert (archived.status_code, archived.json()["archived_at"] is not None) == (200, True)
    assert program.get("batches/").json()["results"] == []
    again = program.post(f"{path}take-out/")
    assert (again.json()["archived_at"], again.headers["ETag"]) == (None, program.get(path).headers["ETag"])
    assert program.post(f"keep/batch/{make_batch().pk}/archive/").status_code == 409


def test_who_has_not_seen_a_change_moves_nothing(program):
    batch = close_batch(batch=make_rated_batch(), now=NOW)
    path = f"keep/batch/{batch.pk}/"
    tag = program.get(path).headers["ETag"]
    program.post(f"{path}archive/")
    stale = program.post(f"{path}take-out/", If_Match=tag)
    assert (stale.status_code, Batch.objects.get().archived_at is not None) == (412, True)
    seen = program.get(path).json()
    assert deleted(program, path, batch.name, seen["seen"], **{"If-Match": tag}).status_code == 412
    assert Batch.objects.exists()


def test_a_batch_goes_by_its_name_with_what_was_counted(program):
    batch = close_batch(batch=make_rated_batch(), now=NOW)
    path = f"keep/batch/{batch.pk}/"
    seen = program.get(path).json()
    questionnaires = batch.questionnaires.count()
    assert (seen["asked"], seen["goes"]["questionnaires"]) == (batch.name, questionnaires)
    wrong = deleted(program, path, "Another", seen["seen"])
    assert (wrong.status_code, wrong.json()["action"]) == (422, "Type it as it stands, or keep it.")
    assert deleted(program, path, batch.name, "0" * 16).status_code == 409
    assert deleted(program, path, batch.name, seen["seen"]).status_code == 204
    assert not Batch.objects.exists()
    entry = audit_entries().get(action="batch deleted")
    assert (entry.actor, entry.detail["questionnaires"]) == (program.user, questionnaires)


def test_what_stands_in_the_way_is_told_and_refused(program):
    report = make_report(built=False)
    path = f"keep/corpus/{report.batch.corpus_id}/"
    seen = program.get(path).json()
    assert seen["obstacles"] == [
        {"why": "Batches use it.", "action": "Delete these batches first."},
    ]
    assert deleted(program, path, seen["asked"], seen["seen"]).status_code == 409


def test_a_researcher_deletes_the_own_report_alone():
    report, program = make_report(built=False), make_program("researcher")
    path = f"keep/report/{report.pk}/"
    assert [program.get(path).status_code, program.post(f"{path}archive/").status_code] == [403, 403]
    assert program.get(f"keep/batch/{report.batch_id}/").status_code == 403
    Report.objects.update(created_by=program.user)
    seen = program.get(path).json()
    assert deleted(program, path, seen["asked"], seen["seen"]).status_code == 204
    assert not Report.objects.exists()


def test_another_kind_is_not_there(program):
    assert program.get("keep/rater/1/").status_code == 404
