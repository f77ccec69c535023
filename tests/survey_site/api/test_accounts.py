"""Accounts, invitations, the audit log, the state of the site and two reports, by a program."""

import pytest

from survey_site.accounts.models import AccountLink, AuditEntry, KeptAnswer
from survey_site.accounts.permissions import Role
from survey_site.operations.findings import Finding, State
from survey_site.projects.models import Project
from tests.factories.accounts import make_project, make_user
from tests.factories.api import make_program

pytestmark = pytest.mark.django_db


@pytest.fixture
def program():
    return make_program()


def test_a_link_is_shown_once_and_no_kept_answer_holds_it(program, client):
    asked = {"name": "Bo", "role": "researcher"}
    first = program.post("invitations/", asked, Idempotency_Key="one")
    again = program.post("invitations/", asked, Idempotency_Key="one")
    assert (first.status_code, again.status_code, AccountLink.objects.count()) == (201, 201, 1)
    assert client.get(first.json()["address"]).status_code == 302
    assert (again.json()["address"], again.headers["Idempotency-Replayed"]) == ("", "true")
    assert "/link/" not in str(KeptAnswer.objects.get().body)
    (waiting,) = program.get("invitations/").json()["results"]
    assert program.ask("DELETE", f"invitations/{waiting['id']}/").status_code == 204
    assert program.ask("DELETE", f"invitations/{waiting['id']}/").status_code == 404


def test_an_account_is_changed_as_it_was_read_or_not_at_all(program):
    person, project = make_user(role="researcher"), make_project()
    path = f"accounts/{person.pk}/"
    tag = program.get(path).headers["ETag"]
    body = {"role": "auditor", "projects": [project.pk], "is_active": False}
    changed = program.ask("PATCH", path, body, headers={"If-Match": tag})
    assert {name: changed.json()[name] for name in body} == body
    assert program.ask("PATCH", path, {"role": "admin"}, headers={"If-Match": tag}).status_code == 412
    refused = program.ask("PATCH", path, {"is_active": True, "projects": [project.pk, 99]})
    assert [one["field"] for one in refused.json()["errors"]] == ["projects"]
    assert program.get(path).json() == changed.json()
    told = set(AuditEntry.objects.filter(actor=program.user).values_list("action", flat=True))
    assert told >= {"role changed", "member added", "account closed"}


def test_the_last_admin_stays_one(program):
    path = f"accounts/{program.user.pk}/"
    assert program.ask("PATCH", path, {"role": "auditor"}).status_code == 409
    assert program.ask("PATCH", path, {"is_active": False}).status_code == 409


def test_a_link_to_a_password_log_ins_and_second_step(program, client):
    person = make_user(role="researcher")
    client.force_login(person)
    assert program.post(f"accounts/{person.pk}/end-log-ins/").json() == {"ended": 1}
    made = program.post(f"accounts/{person.pk}/password-link/").json()
    assert client.get(made["address"]).status_code == 302
    assert program.post(f"accounts/{program.user.pk}/reset-second-step/").status_code == 409
    assert program.post(f"accounts/{person.pk}/unlink/").status_code == 404


def test_an_auditor_reads_of_their_own_projects_alone(program):
    project = make_project()
    program.post("projects/", {"name": "Theirs"})
    program.ask("PATCH", f"projects/{project.pk}/", {"name": "Ours"})
    auditor = make_program("auditor", user=make_user(role=Role.AUDITOR, projects=[project]))
    assert Project.objects.count() > 1
    assert {one["project"] for one in auditor.get("audit/").json()["results"]} == {project.pk}
    assert auditor.get("audit/?action=project renamed").json()["results"][0]["subject"] == "Ours"
    assert auditor.get("audit/?action=project dreamt").status_code == 422
    assert make_program("researcher").get("audit/").status_code == 403


def test_the_status_is_that_of_the_page_and_says_less_without_a_database(program, monkeypatch):
    found = program.get("status/").json()
    assert {"Web server", "Database", "Disk"} <= {one["subject"] for one in found["findings"]}
    assert {one["kind"] for one in found["kinds"]} >= {"report", "score_run"}
    broken = [Finding("Database", State.FAULT, "It does not answer.", "Start it.")]
    monkeypatch.setattr("survey_site.operations.api_views.look_at_site", lambda **_now: iter(broken))
    found = program.get("status/").json()
    assert (found["findings"][0]["state"], found["kinds"], found["jobs"]) == (State.FAULT.value, [], [])
