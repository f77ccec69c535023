"""A project that holds nothing is deleted; one that holds something is not."""

import pytest
from django.test import Client

from survey_site.accounts.audit import audit_entries
from survey_site.accounts.links import invite
from survey_site.accounts.models import AuditEntry
from survey_site.accounts.projects import delete_project, rename_project
from survey_site.common.errors import ConflictError
from survey_site.projects.models import Project
from tests.factories.accounts import make_project, make_user
from tests.factories.batches import NOW
from tests.factories.corpus import make_corpus
from tests.factories.studies import make_study

pytestmark = pytest.mark.django_db


def test_an_empty_one_goes_and_its_people_stay():
    admin, project = make_user(role="admin"), make_project("Spring")
    rename_project(project=project, name="Autumn", by=admin, now=NOW)
    ada = make_user(username="ada", projects=[project])
    link = invite(name="Bo", email="", role="researcher", by=admin, now=NOW, projects=[project]).link
    number = project.pk
    delete_project(project=project, by=admin, now=NOW)
    assert not Project.objects.filter(pk=number).exists()
    assert (ada.projects.count(), link.projects.count()) == (0, 0)
    entry = AuditEntry.objects.get(action="project deleted")
    assert (entry.subject, entry.subject_id, entry.detail) == ("Autumn", number, {"members": "ada"})
    assert entry.project is None
    renamed = AuditEntry.objects.get(action="project renamed")
    assert (renamed.subject, renamed.project) == ("Autumn", None)


def test_what_was_of_it_in_the_audit_log_is_read_by_who_sees_all():
    admin, project, other = make_user(role="admin"), make_project("Spring"), make_project("Autumn")
    auditor = make_user(role="auditor", projects=[project])
    rename_project(project=project, name="Winter", by=admin, now=NOW)
    assert audit_entries(reader=auditor, action="project renamed").count() == 1
    delete_project(project=project, by=admin, now=NOW)
    of_the_other = make_user(role="auditor", projects=[other])
    seen = [
        audit_entries(reader=one, action="project renamed").count() for one in (auditor, of_the_other, admin)
    ]
    assert seen == [0, 0, 1]


def test_who_is_a_member_of_all_that_are_left_learns_nothing_of_one_that_is_gone():
    admin, project = make_user(role="admin"), make_project("Autumn")
    rename_project(project=make_project("Spring"), name="Winter", by=admin, now=NOW)
    invite(name="Bo", email="", role="researcher", by=admin, now=NOW, projects=[project])
    for other in Project.objects.exclude(pk=project.pk):
        delete_project(project=other, by=admin, now=NOW)
    auditor = make_user(role="auditor", projects=[project])
    seen = {entry.action for entry in audit_entries(reader=auditor)}
    every = {entry.action for entry in audit_entries(reader=admin)}
    assert every - seen == {"project renamed", "project deleted"}
    assert len(seen) == 1


@pytest.mark.parametrize("held", ["corpus", "archived corpus", "study"])
def test_one_that_holds_something_stays(held):
    project = make_project("Spring")
    if held == "study":
        make_study(project=project)
    else:
        corpus = make_corpus(project=project)
        corpus.archived_at = NOW if held == "archived corpus" else None
        corpus.save()
    with pytest.raises(ConflictError, match="“Spring” holds corpora or studies"):
        delete_project(project=project, by=make_user(role="admin"), now=NOW)
    assert Project.objects.get(pk=project.pk) == project
    client = Client()
    client.force_login(make_user(role="admin"))
    assert client.post(f"/projects/{project.pk}/delete/").status_code == 409
    assert "Delete the project" not in client.get(f"/projects/{project.pk}/").content.decode()


def test_an_admin_deletes_it_on_its_page():
    project, client = make_project("Spring"), Client()
    client.force_login(make_user(role="admin"))
    address = f"/projects/{project.pk}/"
    assert "Delete the project" in client.get(address).content.decode()
    page = client.post(f"{address}delete/", follow=True)
    assert "“Spring” is deleted." in page.content.decode()
    assert [client.get(address).status_code, client.post(f"{address}delete/").status_code] == [404, 404]
