"""Two teams in one installation: what is made where, who sees it, and who says so."""

import pytest
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management import CommandError, call_command
from django.test import Client

from survey_site.accounts.audit import audit_choices, audit_entries, record_action
from survey_site.accounts.links import accept_invitation, hash_secret, invite
from survey_site.accounts.models import AuditEntry, User
from survey_site.accounts.projects import make_project as make_by_name
from survey_site.accounts.projects import set_projects
from survey_site.common.errors import InvalidInputError
from survey_site.corpus.files import read_file_source
from survey_site.corpus.models import Corpus, Document
from survey_site.corpus.services import import_corpus
from survey_site.notices.models import Delivery, NoticeKind
from survey_site.notices.services import notify
from survey_site.projects.access import projects_of, visible
from survey_site.projects.choosing import project_to_fill
from survey_site.projects.models import Project
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.services import request_automatic
from tests.factories.accounts import first_project, make_project, make_user
from tests.factories.api import make_program
from tests.factories.api_examples import SAMPLE
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db


def imported(project):
    corpus, source = read_file_source(str(SAMPLE), SAMPLE.name)
    return import_corpus(corpus=corpus, name="News", source=source, project=project, now=NOW)


def client_of(user):
    client = Client()
    client.force_login(user)
    return client


def test_a_member_sees_their_projects_and_an_admin_all():
    one, other = make_corpus(), make_corpus(project=make_project())
    seen = [
        list(visible(Corpus.objects.order_by("pk"), user))
        for user in (
            make_user(),
            make_user(projects=[other.project]),
            make_user(projects=[]),
            make_user(role="admin", projects=[]),
        )
    ]
    assert seen == [[one], [other], [], [one, other]]


def test_a_table_without_a_path_is_shown_to_nobody():
    with pytest.raises(ImproperlyConfigured, match=r"corpus\.Document has no path to a project"):
        visible(Document.objects.all(), make_user())


def test_each_project_has_its_own_copy_and_its_own_scores():
    first, again = imported(None), imported(None)
    other = imported(make_project())
    assert (first.created, again.created, other.created) == (True, False, True)
    assert (again.corpus, first.corpus.content_hash) == (first.corpus, other.corpus.content_hash)
    runs = [
        request_automatic(corpus_row=one.corpus, choice=MeasureChoice(spec="jsd"), now=NOW)
        for one in (first, other, first, other)
    ]
    assert [run.corpus for run in runs] == [first.corpus, other.corpus, first.corpus, other.corpus]
    assert len({run.pk for run in runs}) == 2


def test_something_new_goes_where_one_says_or_into_the_only_project():
    only, other = first_project(), make_project()
    both = make_user(projects=[only, other])
    assert project_to_fill(make_user()) == only
    assert [project_to_fill(both, other.pk), project_to_fill(both, other.name)] == [other, other]
    for user, wanted, said in (
        (both, None, "There is more than one project."),
        (make_user(projects=[]), None, "You are a member of no project."),
        (make_user(), other.pk, "There is no such project."),
    ):
        with pytest.raises(InvalidInputError) as refused:
            project_to_fill(user, wanted)
        assert refused.value.message == said


def test_the_import_page_asks_who_has_several_and_takes_no_other():
    only, other, hidden = first_project(), make_project(), make_project()
    page, form = client_of(make_user(projects=[only, other])), {"format": "jsonl", "name": "News"}
    shown = page.get("/corpora/import/").content.decode()
    assert [f">{one}<" in shown for one in (only, other, hidden)] == [True, True, False]
    assert 'name="project"' not in client_of(make_user()).get("/corpora/import/").content.decode()
    for project, status in ((hidden, 422), (other, 302)):
        with SAMPLE.open("rb") as file:
            sent = page.post("/corpora/import/", {**form, "project": project.pk, "jsonl": file})
        assert sent.status_code == status
    assert Corpus.objects.get().project == other


def test_a_program_says_for_which_project_and_narrows_by_it():
    other = make_project()
    make_corpus()
    program = make_program("researcher", user=make_user(projects=[first_project(), other]))
    body, kind = SAMPLE.read_bytes(), "application/jsonl"
    refused = program.ask("POST", "corpora/?name=News", body, kind=kind)
    made = program.ask("POST", f"corpora/?name=News&project={other.pk}", body, kind=kind)
    assert (refused.status_code, made.status_code, made.json()["project"]) == (422, 201, other.pk)
    found = program.get(f"corpora/?project={other.pk}").json()["results"]
    assert [one["id"] for one in found] == [made.json()["id"]]
    assert {one["name"] for one in program.get("projects/").json()["results"]} == {
        "First project",
        str(other),
    }


def test_a_command_says_for_which_project():
    other = make_project()
    with pytest.raises(CommandError, match="There is more than one project"):
        call_command("import_corpus", str(SAMPLE))
    call_command("import_corpus", str(SAMPLE), project=other.name)
    assert Corpus.objects.get().project == other


def test_only_members_and_admins_are_told_by_mail(settings):
    settings.CONCORD_MAILS = True
    people = {
        "member": make_user(),
        "stranger": make_user(projects=[make_project()]),
        "admin": make_user(role="admin", projects=[]),
    }
    for name, user in people.items():
        User.objects.filter(pk=user.pk).update(notices_by_mail=True, email=f"{name}@example.org")
    batch = make_batch()
    notify(kind=NoticeKind.COMPLETE, batch=batch, key="1", now=NOW)
    told = set(Delivery.objects.values_list("user", flat=True))
    assert told == {people["member"].pk, people["admin"].pk}


def test_an_auditor_reads_what_is_done_in_their_projects():
    mine, other = make_corpus(), make_corpus(project=make_project())
    auditor = make_user(role="auditor")
    whole = make_user(role="auditor", projects=Project.objects.all())

    for subject, action in ((mine, "one"), (other, "two"), (auditor, "three")):
        record_action(action=action, subject=subject, by=None, now=NOW)
    found = [sorted(one.action for one in audit_entries(reader=reader)) for reader in (auditor, whole)]
    assert found == [["one"], ["one", "three", "two"]]
    assert audit_choices(auditor)["actions"] == ["one"]


def test_whoever_is_invited_is_of_the_projects_that_the_invitation_says():
    def joined(name, **projects):
        made = invite(name=name, email="", role="researcher", by=None, now=NOW, **projects)
        secret = made.path.rstrip("/").rsplit("/", 1)[1]
        password = "a long pass phrase"
        return accept_invitation(secret_hash=hash_secret(secret), username=name, password=password, now=NOW)

    assert list(projects_of(joined("ann"))) == [first_project()]
    other = make_project()
    assert list(projects_of(joined("bob"))) == []
    assert list(projects_of(joined("cleo", projects=[other]))) == [other]


def test_admins_make_projects_and_say_who_is_of_them(admin_client):
    rita, nina = make_user(username="rita"), make_user(username="nina")
    admin_client.post("/projects/", {"name": "  Second   team "})
    project = Project.objects.get(name="Second team")
    path = f"/projects/{project.pk}/"
    admin_client.post(f"{path}members/", {"person": rita.pk})
    admin_client.post(f"/accounts/people/{nina.pk}/projects/", {"projects": [project.pk]})
    assert set(project.people.all()) == {rita, nina}
    assert list(nina.projects.all()) == [project]
    assert "nina" in admin_client.get(path).content.decode()
    admin_client.post(f"{path}members/", {"remove": "nina"})
    admin_client.post(path, {"name": "Third team"})
    assert (list(project.people.all()), Project.objects.get(pk=project.pk).name) == ([rita], "Third team")
    said = AuditEntry.objects.filter(project=project).order_by("pk").values_list("action", flat=True)
    assert list(said) == ["project made", "member added", "member added", "member removed", "project renamed"]


def test_a_name_is_taken_once(admin_client):
    make_by_name(name="Team", by=None, now=NOW)
    with pytest.raises(ValidationError, match="There is a project “Team” already"):
        make_by_name(name=" Team ", by=None, now=NOW)
    assert admin_client.post("/projects/", {"name": "Team"}).status_code == 422


def test_who_is_removed_sees_nothing_from_the_next_page_on(admin):
    corpus, user = make_corpus(), make_user()
    client = client_of(user)
    before = client.get(corpus.get_absolute_url()).status_code
    set_projects(user=user, projects=[], by=admin, now=NOW)
    assert (before, client.get(corpus.get_absolute_url()).status_code) == (200, 404)


def test_who_is_in_no_project_is_told_before_choosing_files():
    said = "You are a member of no project"
    outside, member = (client_of(make_user(**given)) for given in ({"projects": []}, {}))
    for path in ("/", "/corpora/import/", "/studies/upload/"):
        assert [said in one.get(path).content.decode() for one in (outside, member)] == [True, False]
