"""Accounts: roles, the service behind the demo, logging in and out."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError

from survey_site.accounts.models import AccountLink, ApiToken, User
from survey_site.accounts.services import ensure_user
from tests.factories.accounts import make_user

pytestmark = pytest.mark.django_db


def test_a_role_that_does_not_exist_is_refused_by_the_database():
    with pytest.raises(IntegrityError):
        make_user(role="emperor")


@pytest.mark.parametrize(
    ("role", "superuser", "is_admin"),
    [("researcher", False, False), ("admin", False, True), ("researcher", True, True)],
)
def test_who_has_the_rights_of_an_admin(role, superuser, is_admin):
    assert User(role=role, is_superuser=superuser).is_admin_role is is_admin


def test_a_new_installation_has_no_account_and_no_token():
    """What the migrations leave: nobody can log in before the first account is made."""
    assert [model.objects.count() for model in (User, ApiToken, AccountLink)] == [0, 0, 0]


def test_ensure_user_makes_the_account_once():
    first = ensure_user(username="ada", role="admin", password="a long password")
    stored = first.password
    again = ensure_user(username="ada", role="admin", password="a long password")
    assert (again.pk, again.password, again.role) == (first.pk, stored, "admin")
    assert User.objects.count() == 1


def test_ensure_user_changes_role_and_password():
    ensure_user(username="ada", role="admin", password="a long password")
    user = ensure_user(username="ada", role="researcher", password="another password")
    assert (user.role, user.check_password("another password")) == ("researcher", True)


@pytest.mark.parametrize(
    "arguments", [{"username": "", "role": "admin"}, {"username": "ada", "role": "emperor"}]
)
def test_ensure_user_refuses_what_makes_no_sense(arguments):
    with pytest.raises((ValidationError, ValueError)):
        ensure_user(password="a long password", **arguments)
    assert User.objects.count() == 0


def test_logging_in_leads_to_the_page_that_was_asked_for(client):
    make_user(username="ada", password="a long password")
    asked = client.get("/corpora/")
    assert asked.headers["Location"] == "/accounts/login/?next=/corpora/"
    form = {"username": "ada", "password": "a long password", "next": "/corpora/"}
    assert client.post("/accounts/login/", form).headers["Location"] == "/corpora/"
    assert client.get("/corpora/").status_code == 200


def test_logging_in_does_not_lead_to_another_site(client):
    make_user(username="ada", password="a long password")
    form = {"username": "ada", "password": "a long password", "next": "https://evil.example/"}
    assert client.post("/accounts/login/", form).headers["Location"] == "/"


def test_a_wrong_password_is_told_without_saying_which_part_was_wrong(client):
    make_user(username="ada", password="a long password")
    known = client.post("/accounts/login/", {"username": "ada", "password": "wrong"}).context["form"]
    unknown = client.post("/accounts/login/", {"username": "nobody", "password": "wrong"}).context["form"]
    assert known.non_field_errors() == unknown.non_field_errors()
    assert len(known.non_field_errors()) == 1


def test_logging_out_needs_a_post_and_ends_the_session(researcher_client):
    assert researcher_client.get("/accounts/logout/").status_code == 405
    assert researcher_client.post("/accounts/logout/").headers["Location"] == "/"
    assert researcher_client.get("/corpora/").status_code == 302
