"""Who may do what, in one table (shown in docs/admins.md), and the decorators by which views ask it.

Not logged in: the login page. Logged in without the right: 403 with the reason.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


class Role(models.TextChoices):
    AUDITOR = "auditor", "Auditor"
    RESEARCHER = "researcher", "Researcher"
    ADMIN = "admin", "Admin"


class Right(StrEnum):
    """READ: every page, table and download of staff's. RESEARCH: import corpora, upload ratings that were
    collected elsewhere, ask for reports. RUN: plan, launch, change, check and freeze batches, and hand out
    what lets people take part. AUDIT: read the audit log. ACCOUNTS: invite people, change roles, end access.
    PROJECTS: see and manage every project, without being a member too.
    """

    READ = "read"
    RESEARCH = "research"
    RUN = "run"
    AUDIT = "audit"
    ACCOUNTS = "accounts"
    PROJECTS = "projects"


RIGHTS: Mapping[str, frozenset[Right]] = {
    Role.AUDITOR: frozenset({Right.READ, Right.AUDIT}),
    Role.RESEARCHER: frozenset({Right.READ, Right.RESEARCH}),
    Role.ADMIN: frozenset(Right),
}


class Scope(models.TextChoices):
    """What a token of the programming interface may do: never more than its owner may at that moment."""

    READ = "read", "Read corpora, batches, questionnaires, scores, reports and uploads"
    RATINGS = "ratings", "Read ratings and raters, by pseudonym"
    CORPORA = "corpora", "Import corpora, upload ratings and results of studies"
    REPORTS = "reports", "Ask for scores and reports"
    BATCHES = (
        "batches",
        "Plan, launch, change, close and freeze batches; exclude raters; upload distances",
    )
    WEBHOOKS = "webhooks", "Make and change webhooks, read what they sent, send it again"
    PANEL = "panel", "Say what a panel knows of its people: returned, timed out, rejected"
    MODELS = "models", "Let language models rate batches: texts leave the site, and it may cost money"
    REMOVE = "remove", "Archive and delete batches, reports, corpora and studies"
    PROJECTS = "projects", "Make, rename and delete projects, change their members"
    ACCOUNTS = "accounts", "Invite people, change roles, close accounts, make links to new passwords"
    AUDIT = "audit", "Read the audit log"
    STATUS = "status", "Read the status of the site"


SCOPES: Mapping[str, Right] = {
    Scope.READ: Right.READ,
    Scope.RATINGS: Right.READ,
    Scope.CORPORA: Right.RESEARCH,
    Scope.REPORTS: Right.RESEARCH,
    Scope.BATCHES: Right.RUN,
    Scope.WEBHOOKS: Right.RESEARCH,
    Scope.PANEL: Right.RUN,
    Scope.MODELS: Right.RUN,
    Scope.REMOVE: Right.RESEARCH,
    Scope.PROJECTS: Right.PROJECTS,
    Scope.ACCOUNTS: Right.ACCOUNTS,
    Scope.AUDIT: Right.AUDIT,
    Scope.STATUS: Right.RUN,
}
"""The right that each scope needs of the token's owner."""

_ASK = "Ask an admin to do it for you, or to change the role of your account."
REFUSALS: Mapping[Right, str] = {
    Right.READ: "This page is for people with an account.",
    Right.RESEARCH: f"Your account reads and changes nothing. {_ASK}",
    Right.RUN: f"Only admins may do this. {_ASK}",
    Right.AUDIT: "The audit log is for admins and auditors.",
    Right.ACCOUNTS: "Accounts are for admins.",
    Right.PROJECTS: "Projects are managed by admins.",
}


def may(user: Any, right: Right) -> bool:
    """Whether that person, or nobody who is logged in, has the right."""
    return bool(user.is_authenticated) and right in RIGHTS[user.held_role]


def scopes_of(role: str) -> list[Scope]:
    """The scopes that a token of somebody with that role may have."""
    return [scope for scope in Scope if SCOPES[scope] in RIGHTS[role]]


def requires(right: Right) -> Callable[[View], View]:
    """Keeps a view for those who have the right."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            from django.contrib.auth.views import (
                redirect_to_login,
            )  # it needs the model of accounts, above us

            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if not may(request.user, right):
                raise PermissionDenied(REFUSALS[right])
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def is_researcher(user: Any) -> bool:
    return may(user, Right.RESEARCH)


def is_admin(user: Any) -> bool:
    return may(user, Right.RUN)


def may_remove(user: Any, owner: int | None) -> bool:
    """Whether the user may archive or delete what the account with the key `owner` made.

    An admin may remove anything; a researcher only what they asked for themselves. `owner` None: what admins
    alone may remove, or what nobody owns any more.
    """
    return is_admin(user) or (is_researcher(user) and owner is not None and user.pk == owner)


reader_required = requires(Right.READ)
researcher_required = requires(Right.RESEARCH)
admin_required = requires(Right.RUN)
auditor_required = requires(Right.AUDIT)
accounts_required = requires(Right.ACCOUNTS)
projects_required = requires(Right.PROJECTS)
