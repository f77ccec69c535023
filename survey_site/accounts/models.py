"""People who run surveys, and what they did. Raters are not users: they have no account."""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models


class Role(models.TextChoices):
    RESEARCHER = "researcher", "Researcher"
    ADMIN = "admin", "Admin"


class User(AbstractUser):
    """A researcher reads everything and builds reports; an admin plans, launches and closes batches too."""

    role = models.CharField(max_length=20, choices=Role.choices, default=Role.RESEARCHER)

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="accounts_user_known_role"),
        ]

    @property
    def is_admin_role(self) -> bool:
        return self.is_superuser or self.role == Role.ADMIN


class AppendOnlyError(RuntimeError):
    """Somebody tried to change or delete what is only ever added to."""


class AppendOnlyQuerySet(models.QuerySet["AuditEntry"]):
    def update(self, **_values: object) -> int:
        raise AppendOnlyError("The audit log is only ever added to; its entries never change.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError("The audit log is only ever added to; its entries are never deleted.")


class AuditEntry(models.Model):
    """One act of staff; written by `audit.record_action` and never again.

    The subject is named, not referenced, and so is the actor: the entry outlives both.
    """

    at = models.DateTimeField()
    actor = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="audit_entries"
    )
    actor_name = models.CharField(max_length=150, blank=True)
    action = models.CharField(max_length=60)
    subject_kind = models.CharField(max_length=60)
    subject_id = models.BigIntegerField()
    subject = models.CharField(max_length=200)
    detail = models.JSONField(default=dict, blank=True)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["subject_kind", "subject_id"], name="audit_subject")]

    def __str__(self) -> str:
        return f"{self.action}: {self.subject}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise AppendOnlyError("The audit log is only ever added to; its entries never change.")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError("The audit log is only ever added to; its entries are never deleted.")
