"""One project shown at a time: lists and forms narrow to it, and nothing else does."""

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.projects.models import Membership
from tests.factories.accounts import make_project, make_user
from tests.factories.reports import make_report
from tests.factories.studies import make_study

pytestmark = pytest.mark.django_db

LISTS = ("corpus:list", "batches:list", "reports:list", "studies:list")
SWITCH = "projects:show"
TEAMS, KINDS = ("Spring", "Autumn"), ("corpus", "batch", "study")


@pytest.fixture
def two_teams():
    """Two projects, each with a corpus, a batch, a report and a study that carry its name."""
    reports = [make_report(built=False) for _ in TEAMS]
    return [(team(name, report), report) for name, report in zip(TEAMS, reports, strict=True)]


def team(name, report):
    project, batch, corpus = make_project(name), report.batch, report.batch.corpus
    corpus.project, corpus.name, batch.name = project, f"{name} corpus", f"{name} batch"
    corpus.save()
    batch.save()
    make_study(f"{name} study", project=project)
    return project


def browser_of(user):
    client = Client()
    client.force_login(user)
    return client


def shown(client, name, query=""):
    """Of which teams a page tells."""
    text = client.get(reverse(name) + query).content.decode()
    return " ".join(team for team in TEAMS if any(f"{team} {one}" in text for one in KINDS))


def choose(client, project, page=""):
    return client.post(reverse(SWITCH), {"project": project.pk if project else "", "next": page})


@pytest.mark.parametrize("role", ["auditor", "researcher", "admin"])
def test_lists_and_the_start_page_show_the_chosen_project_and_all_again(two_teams, role):
    (spring, _), (autumn, _) = two_teams
    client = browser_of(make_user(role=role, projects=[spring, autumn]))
    both = dict.fromkeys(("home", *LISTS), "Spring Autumn")
    assert {name: shown(client, name) for name in both} == both
    assert choose(client, autumn).headers["Location"] == "/"
    assert {name: shown(client, name) for name in both} == dict.fromkeys(both, "Autumn")
    assert client.get("/").context["dashboard"].batches == 1
    choose(client, None)
    assert {name: shown(client, name) for name in both} == both


def test_forms_offer_what_is_shown_and_what_their_address_names(two_teams):
    (_, other), (autumn, _) = two_teams
    client = browser_of(make_user(role="admin", projects=[]))
    choose(client, autumn)
    forms = {
        "reports:new": f"?batch={other.batch_id}",
        "uploads:new": f"?corpus={other.batch.corpus_id}",
    }
    assert {name: shown(client, name) for name in forms} == dict.fromkeys(forms, "Autumn")
    named = {name: shown(client, name, query) for name, query in forms.items()}
    assert named == dict.fromkeys(forms, "Spring Autumn")
    assert shown(client, "reports:new", "?batch=99999999999999999999") == "Autumn"
    assert shown(client, "batches:new") == "Autumn"
    for name in ("corpus:import", "studies:upload"):
        assert client.get(reverse(name)).context["form"]["project"].value() == autumn.pk
    assert client.get(other.batch.get_absolute_url()).status_code == 200


def test_the_choice_is_of_one_browser_and_opens_nothing(two_teams):
    (spring, report), (autumn, _) = two_teams
    user = make_user(projects=[autumn])
    client = browser_of(user)
    choose(client, spring)
    assert (shown(client, "batches:list"), client.get("/").context["user"].shown_project) == (
        "Autumn",
        None,
    )
    assert client.get(report.batch.get_absolute_url()).status_code == 404
    both = make_user(projects=[spring, autumn])
    first, second = browser_of(both), browser_of(both)
    choose(first, spring)
    assert [shown(one, "batches:list") for one in (first, second)] == ["Spring", "Spring Autumn"]
    Membership.objects.filter(user=both, project=spring).delete()
    assert shown(first, "batches:list") == "Autumn"


def test_one_stays_on_a_list_and_leaves_the_page_of_a_thing(two_teams):
    (spring, report), (autumn, _) = two_teams
    client = browser_of(make_user(projects=[spring, autumn]))
    stays = '<input type="hidden" name="next" value="{}">'
    assert stays.format("/batches/") in client.get("/batches/").content.decode()
    assert stays.format("") in client.get(report.batch.get_absolute_url()).content.decode()
    assert choose(client, spring, "/batches/").headers["Location"] == "/batches/"
    for nowhere in ("https://elsewhere.example/", "//elsewhere.example/", "batches"):
        assert choose(client, spring, nowhere).headers["Location"] == "/"


@pytest.mark.parametrize("wanted", ["0", "none", "-1", "9" * 40])
def test_what_is_no_project_shows_all(two_teams, wanted):
    (spring, _), (autumn, _) = two_teams
    client = browser_of(make_user(projects=[spring, autumn]))
    choose(client, spring)
    assert client.post(reverse(SWITCH), {"project": wanted}).status_code == 302
    assert shown(client, "batches:list") == "Spring Autumn"


def test_who_sees_one_project_has_nothing_to_choose(two_teams):
    (spring, _), _ = two_teams
    assert 'name="project"' not in browser_of(make_user(projects=[spring])).get("/").content.decode()
    assert 'name="project"' in browser_of(make_user(role="admin")).get("/").content.decode()
