"""Writes on projects: made, renamed, deleted, and who is of which. Each is written into the audit log."""

from collections.abc import Iterable
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.common.errors import ConflictError, InvalidInputError
from survey_site.common.locking import lock_row
from survey_site.projects.models import MAX_NAME, Membership, Project


def make_project(*, name: str, by: User | None, now: datetime) -> Project:
    """A project without members. Raises ValidationError for a name that cannot be used, or is taken."""
    with transaction.atomic():
        project = Project(name=_checked_name(name), created_by=by, created_at=now)
        _save(project)
        record_action(action="project made", subject=project, by=by, now=now)
        return project


def rename_project(*, project: Project, name: str, by: User, now: datetime) -> Project:
    """Raises ValidationError as `make_project` does. The same name changes nothing."""
    with transaction.atomic():
        project = lock_row(Project.objects.filter(pk=project.pk))
        before = project.name
        project.name = _checked_name(name, but=project)
        if project.name != before:
            _save(project)
            detail = {"name": f"{before} → {project.name}"}
            record_action(action="project renamed", subject=project, by=by, now=now, detail=detail)
        return project


def is_empty(project: Project) -> bool:
    """Whether nothing rests on it: no corpus, and no study; archived ones count."""
    return not project.corpora.exists() and not project.studies.exists()


def delete_project(*, project: Project, by: User, now: datetime) -> None:
    """End a project that holds nothing; its members and invitations stay, without it.

    Raises ConflictError where it holds a corpus or a study: these are deleted first, one by one, by their own
    pages, which say what goes with them.
    """
    with transaction.atomic():
        project = lock_row(Project.objects.filter(pk=project.pk))
        if not is_empty(project):
            raise ConflictError(
                f"“{project}” holds corpora or studies.",
                action="Delete these first; those in the archive count too.",
            )
        detail = {
            "members": ", ".join(project.people.order_by("username").values_list("username", flat=True))
        }
        record_action(action="project deleted", subject=project, by=by, now=now, detail=detail)
        project.delete()


def person_named(username: str) -> User:
    """Who can be made a member. Raises InvalidInputError where no open account has that name."""
    if found := User.objects.filter(is_active=True, username=username).first():
        return found
    words = "There is no open account with this user name."
    raise InvalidInputError(words, action="See the page Accounts.", fields={"username": [words]})


def add_member(*, project: Project, user: User, by: User | None, now: datetime) -> None:
    """From the next page on the person sees the project. Twice changes nothing."""
    with transaction.atomic():
        lock_row(Project.objects.filter(pk=project.pk))
        _, made = Membership.objects.get_or_create(project=project, user=user)
        if made:
            detail = {"member": user.username}
            record_action(action="member added", subject=project, by=by, now=now, detail=detail)


def remove_member(*, project: Project, user: User, by: User, now: datetime) -> None:
    """From the next page on the person sees nothing of the project; what they did in it stays."""
    with transaction.atomic():
        lock_row(Project.objects.filter(pk=project.pk))
        gone, _ = Membership.objects.filter(project=project, user=user).delete()
        if gone:
            detail = {"member": user.username}
            record_action(action="member removed", subject=project, by=by, now=now, detail=detail)


def set_projects(*, user: User, projects: Iterable[Project], by: User, now: datetime) -> None:
    """Make somebody a member of these projects and of no other."""
    wanted, held = set(projects), set(user.projects.all())
    with transaction.atomic():
        for project in sorted(wanted ^ held, key=lambda one: one.pk):
            change = add_member if project in wanted else remove_member
            change(project=project, user=user, by=by, now=now)


def _checked_name(name: str, but: Project | None = None) -> str:
    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_NAME:
        raise ValidationError({"name": f"Give the project a name of at most {MAX_NAME} letters."})
    if name.isdecimal():
        raise ValidationError({"name": "A number alone would be taken for the number of a project."})
    others = Project.objects.exclude(pk=but.pk) if but else Project.objects.all()
    if others.filter(name=name).exists():
        raise _taken(name)
    return name


def _save(project: Project) -> None:
    """Of two people who take one name at the same moment the schema lets one have it."""
    try:
        with transaction.atomic():
            project.save()
    except IntegrityError as error:
        raise _taken(project.name) from error


def _taken(name: str) -> ValidationError:
    return ValidationError({"name": f"There is a project “{name}” already."})
