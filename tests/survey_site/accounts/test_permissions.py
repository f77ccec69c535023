"""Who may open which page: not logged in, researcher, admin."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, researcher_required


@researcher_required
def for_researchers(_request):
    return HttpResponse("seen")


@admin_required
def for_admins(_request):
    return HttpResponse("seen")


def ask(rf, view, user):
    request = rf.get("/page/", {"a": "1"})
    request.user = user
    return view(request)


@pytest.mark.parametrize("view", [for_researchers, for_admins])
def test_without_a_login_the_login_page_remembers_where_one_wanted_to_go(rf, view):
    response = ask(rf, view, AnonymousUser())
    assert response.headers["Location"] == "/accounts/login/?next=/page/%3Fa%3D1"


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_everyone_with_an_account_reads(rf, role):
    assert ask(rf, for_researchers, User(role=role)).content == b"seen"


def test_admins_do_what_admins_do(rf):
    assert ask(rf, for_admins, User(role="admin")).content == b"seen"


def test_researchers_are_told_why_not(rf):
    with pytest.raises(PermissionDenied, match=r"Only admins may do this\. Ask an admin"):
        ask(rf, for_admins, User(role="researcher"))


@pytest.mark.django_db
def test_the_refusal_is_a_page_with_the_reason(researcher_client):
    response = researcher_client.get("/batches/new/")
    assert response.status_code == 403
    assert "Only admins may do this." in response.content.decode()
    assert "site-header" in response.content.decode()


@pytest.mark.django_db
def test_the_django_admin_is_closed_to_roles_without_staff_rights(admin_client):
    assert admin_client.get("/admin/").status_code == 302
