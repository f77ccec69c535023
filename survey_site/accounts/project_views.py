"""Pages on which admins make projects and say who is of which; and the choice of the one that lists show."""

from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from survey_site.accounts.forms import MemberForm, PersonProjectsForm, ProjectForm
from survey_site.accounts.models import User
from survey_site.accounts.permissions import projects_required, reader_required
from survey_site.accounts.projects import (
    add_member,
    delete_project,
    is_empty,
    make_project,
    remove_member,
    rename_project,
    set_projects,
)
from survey_site.projects.access import MOST_DIGITS, projects_of
from survey_site.projects.models import Project
from survey_site.projects.showing import show_project


@require_http_methods(["GET", "HEAD", "POST"])
@projects_required
def index(request: HttpRequest) -> HttpResponse:
    """Every project; POST makes one."""
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(
                make_project(name=form.cleaned_data["name"], by=cast(User, request.user), now=timezone.now())
            )
        except ValidationError as error:
            form.add_error(None, error)
    counts = {f"{name}_count": Count(name, distinct=True) for name in ("people", "corpora", "studies")}
    context = {"projects": Project.objects.annotate(**counts), "form": form}
    return render(request, "accounts/projects.html", context, status=_status(form))


@require_http_methods(["GET", "HEAD", "POST"])
@projects_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One project with its members; POST renames it."""
    project = get_object_or_404(Project, pk=pk)
    form = ProjectForm(request.POST or None, initial={"name": project.name})
    if request.method == "POST" and form.is_valid():
        try:
            name = form.cleaned_data["name"]
            rename_project(project=project, name=name, by=cast(User, request.user), now=timezone.now())
            return redirect(project)
        except ValidationError as error:
            form.add_error(None, error)
    context = {
        "project": project,
        "form": form,
        "people": project.people.order_by("username"),
        "member_form": MemberForm(project=project),
        "is_empty": is_empty(project),
    }
    return render(request, "accounts/project.html", context, status=_status(form))


@require_POST
@projects_required
def change_member(request: HttpRequest, pk: int) -> HttpResponse:
    """Add a person to a project, or remove one: the button that was pressed says which."""
    project, by, now = get_object_or_404(Project, pk=pk), cast(User, request.user), timezone.now()
    if "remove" in request.POST:
        found = project.people.filter(username=request.POST["remove"]).first()
        if found:
            remove_member(project=project, user=found, by=by, now=now)
            messages.success(request, f"{found} sees nothing of “{project}” any more.")
        return redirect(project)
    form = MemberForm(request.POST, project=project)
    if form.is_valid():
        person = form.cleaned_data["person"]
        add_member(project=project, user=person, by=by, now=now)
        messages.success(request, f"{person} is a member of “{project}” now.")
    else:
        messages.error(request, "Choose somebody who is no member yet.")
    return redirect(project)


@require_POST
@projects_required
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """End a project that holds nothing; the service refuses any other."""
    project = get_object_or_404(Project, pk=pk)
    delete_project(project=project, by=cast(User, request.user), now=timezone.now())
    messages.success(request, f"“{project}” is deleted.")
    return redirect("projects:list")


@require_POST
@reader_required
def show(request: HttpRequest) -> HttpResponse:
    """Let lists show one project's things, or those of all where none is named; back to where one was."""
    wanted, page = request.POST.get("project", ""), request.POST.get("next", "")
    seen = projects_of(request.user)
    project = seen.filter(pk=wanted).first() if wanted.isdecimal() and len(wanted) < MOST_DIGITS else None
    show_project(request.session, project)
    is_ours = page.startswith("/") and url_has_allowed_host_and_scheme(page, allowed_hosts=None)
    return redirect(page if is_ours else "home")


@require_POST
@projects_required
def of_person(request: HttpRequest, pk: int) -> HttpResponse:
    """The projects of one account, from its page."""
    user, form = get_object_or_404(User, pk=pk), PersonProjectsForm(request.POST)
    if form.is_valid():
        projects, by = form.cleaned_data["projects"], cast(User, request.user)
        set_projects(user=user, projects=projects, by=by, now=timezone.now())
        names = ", ".join(f"“{one}”" for one in projects) or "no project"
        messages.success(request, f"{user} is a member of {names} now.")
    else:
        messages.error(request, "Choose among the projects that there are.")
    return redirect("accounts:person", pk)


def _status(form: ProjectForm) -> int:
    return HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
