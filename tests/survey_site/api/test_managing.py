"""Notices read, webhooks changed, projects made and their members, published tables, by a program."""

import pytest

from survey_site.notices.models import Notice, NoticeKind
from survey_site.notices.services import notify
from survey_site.projects.models import Project
from survey_site.reports.models import Report
from tests.factories.accounts import make_user
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.scoring import make_rated_batch
from tests.factories.webhooks import make_webhook

pytestmark = pytest.mark.django_db


def test_a_notice_is_read_by_one_person_and_stays_new_to_another():
    notify(kind=NoticeKind.COMPLETE, batch=make_batch(), key="1", now=NOW)
    notify(kind=NoticeKind.READY, batch=make_batch(), key="2", subject="7", now=NOW)
    ann, bob = make_program("auditor"), make_program("researcher")
    first, second = ann.get("notices/").json()["results"]
    assert (first["kind"], first["subject"], first["is_read"]) == ("ready", "7", False)
    read = ann.post(f"notices/{first['id']}/read/").json()
    assert (read["is_read"], read["read_by"]) == (True, [ann.user.username])
    assert [one["id"] for one in ann.get("notices/?unread=true").json()["results"]] == [second["id"]]
    assert len(bob.get("notices/?unread=true").json()["results"]) == 2
    Notice.objects.update(at=bob.user.date_joined)
    assert bob.post("notices/read/").status_code == 204
    assert bob.get("notices/?unread=true").json()["results"] == []


def test_a_notice_that_names_a_rater_needs_the_scope_of_ratings():
    notify(kind=NoticeKind.FLAGGED, batch=make_batch(), key="1", subject="r-1", now=NOW)
    program, other = make_program("auditor"), make_program("auditor", scopes=["read"])
    (shown,) = program.get("notices/").json()["results"]
    assert (shown["kind"], shown["subject"]) == ("flagged", "r-1")
    assert other.get("notices/").json()["results"] == []
    Notice.objects.update(at=other.user.date_joined)
    assert other.post("notices/read/").status_code == 204
    assert not Notice.objects.get().readings.exists()
    read = f"notices/{shown['id']}/read/"
    assert [one.post(read).status_code for one in (other, program)] == [404, 200]


def test_a_webhook_is_changed_by_its_owner_as_it_was_read():
    program = make_program("researcher")
    endpoint = make_webhook("https://example.org/", owner=program.user)
    path = f"webhooks/{endpoint.pk}/"
    tag = program.get(path).headers["ETag"]
    made = program.ask("PATCH", path, {"events": ["report.ready"]}, headers={"If-Match": tag})
    assert (made.json()["events"], made.json()["address"]) == (["report.ready"], "https://example.org/")
    assert program.ask("PATCH", path, {"is_active": False}, headers={"If-Match": tag}).status_code == 412
    off = program.ask("PATCH", path, {"is_active": False}).json()
    assert (off["is_active"], off["off_because"]) == (False, f"Switched off by {program.user.username}.")
    inside = program.ask("PATCH", path, {"address": "https://10.0.0.1/"})
    assert [one["field"] for one in inside.json()["errors"]] == ["address"]
    assert make_program("researcher").ask("PATCH", path, {"is_active": True}).status_code == 404


def test_a_project_is_made_renamed_and_given_members():
    program, person = make_program(), make_user(role="researcher", projects=[])
    made = program.post("projects/", {"name": "Second"}, Idempotency_Key="one")
    again = program.post("projects/", {"name": "Second"}, Idempotency_Key="one")
    path = made.headers["Location"]
    assert (made.status_code, again.json()) == (201, made.json())
    assert program.post("projects/", {"name": "Second"}).json()["errors"][0]["field"] == "name"
    tag = program.get(path).headers["ETag"]
    assert program.ask("PATCH", path, {"name": "Third"}, headers={"If-Match": tag}).json()["name"] == "Third"
    assert program.ask("PATCH", path, {"name": "Fourth"}, headers={"If-Match": tag}).status_code == 412
    added = program.post(f"{path}members/", {"username": person.username})
    assert (added.status_code, added.json()["role"]) == (201, "researcher")
    assert program.get(f"{path}members/").json()["results"] == [added.json()]
    assert list(person.projects.all()) == [Project.objects.get(name="Third")]
    assert program.post(f"{path}members/", {"username": "nobody"}).status_code == 422
    assert program.ask("DELETE", added.headers["Location"]).status_code == 204
    assert program.ask("DELETE", added.headers["Location"]).status_code == 404
    assert not person.projects.exists()
    assert program.ask("DELETE", path, headers={"If-Match": tag}).status_code == 412
    corpus = make_corpus(project=Project.objects.get(name="Third"))
    kept = program.ask("DELETE", path)
    assert (kept.status_code, kept.json()["detail"]) == (409, "“Third” holds corpora or studies.")
    corpus.delete()
    assert [program.ask("DELETE", path).status_code for _ in range(2)] == [204, 404]


def test_a_report_takes_published_tables_and_says_what_is_wrong_with_them():
    batch, program = make_rated_batch(), make_program("researcher")
    table = {"kind": "egises", "name": "table7.csv", "content": "system,rouge-l\nCopy,0.5\n"}
    asked = {"batch": batch.pk, "measures": ["rouge-l"], "surrogates": ["rouge-l"]}
    said = {"published": [table], "same_systems": {"Same": "Copy"}, "p_acc_alpha": 0.25}
    made = program.post("reports/", {**asked, **said})
    options = Report.objects.get().options
    assert (made.status_code, options["same_systems"], options["p_acc_alpha"]) == (
        *(202, {"Same": "Copy"}),
        0.25,
    )
    assert [one["name"] for one in options["published"]] == ["table7.csv"]
    wrong = {**table, "content": "system,rouge-l\nCopy,many\n"}
    bad = program.post("reports/", {**asked, "published": [wrong]})
    assert [one["field"] for one in bad.json()["errors"]] == ["table7.csv:2"]
    absent = program.post("reports/", {**asked, "model_runs": [7]})
    assert [one["field"] for one in absent.json()["errors"]] == ["model_runs"]
