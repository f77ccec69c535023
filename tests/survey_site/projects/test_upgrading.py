"""What the migrations do with the rows of a release that knew no projects."""

from importlib import import_module

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from survey_site.accounts.audit import record_action
from survey_site.accounts.links import invite
from survey_site.accounts.models import AccountLink, AuditEntry
from survey_site.projects.models import Project
from tests.factories.accounts import first_project, make_project, make_user
from tests.factories.batches import NOW
from tests.factories.corpus import make_corpus
from tests.factories.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def tables(django_db_setup, django_db_blocker):
    """The tables as the migrations know them."""
    with django_db_blocker.unblock():
        return MigrationLoader(connection).project_state().apps


def migrate(name, function, tables):
    getattr(import_module(f"survey_site.{name}"), function)(tables, None)


def test_everybody_is_of_the_one_project_that_an_upgrade_makes(tables):
    Project.objects.update(name="Elsewhere")
    people = {make_user(projects=[]), make_user(projects=[], role="admin")}
    migrate("projects.migrations.0001_initial", "begin", tables)
    assert set(Project.objects.get(name="First project").people.all()) >= people


def test_what_was_there_belongs_to_the_first_project(tables):
    first, study = first_project(), make_study("Study")
    other = make_project()
    corpus = make_corpus(project=other)
    type(study).objects.update(project=other)
    for app, number in (("corpus", 4), ("studies", 2)):
        migrate(f"{app}.migrations.{number:04}_projects", "fill", tables)
    corpus.refresh_from_db()
    study.refresh_from_db()
    assert (corpus.project, study.project) == (first, first)


def test_the_log_and_open_invitations_belong_to_it_and_accounts_to_none(tables):
    first, other = first_project(), make_project()
    for name, used_at in (("open", None), ("used", NOW)):
        made = invite(name=name, email="", role="researcher", projects=[], by=None, now=NOW)
        AccountLink.objects.filter(pk=made.link.pk).update(used_at=used_at)
    record_action(action="imported", subject=make_corpus(project=other), by=None, now=NOW)
    migrate("accounts.migrations.0004_projects", "fill", tables)
    found = AuditEntry.objects.values_list("action", "project").distinct().order_by("action")
    assert list(found) == [("imported", first.pk), ("person invited", None)]
    links = {link.name: list(link.projects.all()) for link in AccountLink.objects.all()}
    assert links == {"open": [first], "used": []}
