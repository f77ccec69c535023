"""The audit log: what was done by whom and when. Written by the services, in the transaction of the act."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db import connection, models
from django.db.transaction import TransactionManagementError

from survey_site.accounts.models import AuditEntry, User
from survey_site.projects.access import PATHS, project_key, projects_of
from survey_site.projects.models import Project


def record_action(
    *,
    action: str,
    subject: models.Model,
    by: User | None,
    now: datetime,
    detail: dict[str, Any] | None = None,
) -> AuditEntry:
    """Write down that `by` (None: a command on the server, or a visitor) did `action` to `subject`.

    Refuses to run outside a transaction: an act and its entry are stored together or not at all.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("record_action belongs into the transaction of what it records.")
    return AuditEntry.objects.create(
        at=now,
        actor=by,
        actor_name=by.username if by else "",
        action=action,
        subject_kind=subject._meta.label_lower,
        subject_id=subject.pk,
        subject=str(subject)[:200],
        project_id=project_key(subject),
        detail=detail or {},
    )


def audit_entries(
    *,
    action: str = "",
    actor: str = "",
    subject: tuple[str, int] | None = None,
    reader: User | None = None,
) -> "models.QuerySet[AuditEntry]":
    """Entries, newest first; empty filters are no filters. reader: what this person may see of them."""
    entries: models.QuerySet[AuditEntry] = AuditEntry.objects.order_by("-at", "-pk")
    if reader:
        entries = _seen_by(reader, entries)
    if action:
        entries = entries.filter(action=action)
    if actor:
        entries = entries.filter(actor_name=actor)
    if subject:
        entries = entries.filter(subject_kind=subject[0], subject_id=subject[1])
    return entries


def _seen_by(reader: User, entries: "models.QuerySet[AuditEntry]") -> "models.QuerySet[AuditEntry]":
    """Entries of the reader's projects; of no project's, such as an account's, only for who sees them all.

    A project that was deleted has left its entries without one: these are for admins alone, since nobody
    knows any more who was a member.
    """
    if reader.sees_all_projects:
        return entries
    seen = projects_of(reader).order_by().values("pk")
    shown = models.Q(project__in=seen)
    if not Project.objects.exclude(pk__in=seen).exists():
        shown |= models.Q(project=None) & ~models.Q(subject_kind__in=[*PATHS])
    return entries.filter(shown)


def without_subject(entries: Collection[AuditEntry]) -> set[int]:
    """The keys of those entries that are about something that has been deleted since."""
    keys: dict[str, set[int]] = {}
    for entry in entries:
        keys.setdefault(entry.subject_kind, set()).add(entry.subject_id)
    there = {
        kind: set(apps.get_model(kind)._default_manager.filter(pk__in=ids).values_list("pk", flat=True))
        for kind, ids in keys.items()
    }
    return {entry.pk for entry in entries if entry.subject_id not in there[entry.subject_kind]}


def audit_choices(reader: User) -> dict[str, list[str]]:
    """What the filters of the page offer: the actions and names that occur in what this person may see."""
    entries = audit_entries(reader=reader).order_by()
    return {
        "actions": sorted(entries.values_list("action", flat=True).distinct()),
        "actors": sorted(name for name in entries.values_list("actor_name", flat=True).distinct() if name),
    }
