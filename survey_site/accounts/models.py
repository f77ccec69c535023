"""People who run surveys, and what they did. Raters are not users: they have no account."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils.crypto import salted_hmac

from survey_site.accounts.permissions import Right, Role, may
from survey_site.projects.models import Project


class User(AbstractUser):
    """Somebody with an account; `permissions` says what each role may do. A superuser is an admin.

    notices_by_mail: whether notices reach this person by mail too. second_step_at: since when logging in asks
    for a code too; None: it does not.
    """

    role = models.CharField(max_length=20, choices=Role.choices, default=Role.RESEARCHER)
    notices_by_mail = models.BooleanField(default=False)
    second_step_at = models.DateTimeField(null=True, blank=True, editable=False)

    shown_project: Project | None = None
    """The one whose things lists show, as this browser has chosen (`projects.showing`); None: all of them."""

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="accounts_user_known_role"),
        ]

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What a log-in carries and is compared with: another one once the second step is switched on or off,
        so that no log-in from before goes on, not even one that was just being made.
        """
        plain: str = super()._get_session_auth_hash(secret=secret)  # type: ignore[misc]
        if self.second_step_at is None:
            return plain
        said = f"{plain} {self.second_step_at.timestamp()}"
        return salted_hmac("accounts.second_step", said, secret=secret, algorithm="sha256").hexdigest()

    @property
    def held_role(self) -> Role:
        return Role.ADMIN if self.is_superuser else Role(self.role)

    @property
    def role_name(self) -> str:
        return str(self.held_role.label)

    @property
    def is_admin_role(self) -> bool:
        return may(self, Right.RUN)

    @property
    def may_research(self) -> bool:
        return may(self, Right.RESEARCH)

    @property
    def may_audit(self) -> bool:
        return may(self, Right.AUDIT)

    @property
    def may_manage_accounts(self) -> bool:
        return may(self, Right.ACCOUNTS)

    @property
    def sees_all_projects(self) -> bool:
        return may(self, Right.PROJECTS)


class LinkPurpose(models.TextChoices):
    INVITE = "invite", "Invitation"
    RESET = "reset", "New password"


class AccountLink(models.Model):
    """A link that works once, until `expires_at`: it makes an account, or gives one a new password.

    Only the hash of its secret is kept. `user` is whose password it resets or, once it is used, whom it made;
    name, e-mail, role and projects are of the person who is invited.
    """

    purpose = models.CharField(max_length=10, choices=LinkPurpose.choices)
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="links")
    name = models.CharField(max_length=150, blank=True)
    email = models.EmailField(blank=True)
    role = models.CharField(max_length=20, choices=Role.choices, blank=True)
    projects = models.ManyToManyField("projects.Project", related_name="+", blank=True)
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(purpose=LinkPurpose.INVITE, role__in=Role.values)
                | models.Q(purpose=LinkPurpose.RESET, user__isnull=False),
                name="accounts_link_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.user.username if self.user else self.name or self.email

    @property
    def is_invitation(self) -> bool:
        return self.purpose == LinkPurpose.INVITE

    def is_open(self, now: datetime) -> bool:
        return self.used_at is None and now < self.expires_at


class RecoveryCode(models.Model):
    """A code that takes the place of the app's once; only its hash is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=64, unique=True, editable=False)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"recovery code of {self.user}"


class ExternalLogin(models.Model):
    """How a provider of OpenID Connect knows somebody: by a `subject` that never names anybody else there."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="external_logins")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    linked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="accounts_external_login_once"),
            models.UniqueConstraint(fields=["user", "issuer"], name="accounts_one_login_of_issuer"),
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.issuer}"


class ApiToken(models.Model):
    """What a program shows in place of a password, until `expires_at`; only the hash of its secret is kept.

    scopes: what it may do, of `permissions.Scope`; hint: the secret's last letters, to know it by. used_at is
    exact to a minute. A revoked one stays on the list of its owner.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=8, editable=False)
    scopes = models.JSONField(default=list)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at", "-pk"]
        constraints = [models.CheckConstraint(condition=~models.Q(name=""), name="accounts_token_named")]

    def __str__(self) -> str:
        return self.name

    def is_open(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at


class KeptAnswer(models.Model):
    """What a creating call of a program was answered, so that the same call sent twice creates one thing.

    key: the `Idempotency-Key` that the program chose; request: hash of what it asked for.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="kept_answers")
    key = models.CharField(max_length=255)
    request = models.CharField(max_length=64, editable=False)
    status = models.PositiveSmallIntegerField(null=True)
    location = models.CharField(max_length=200, blank=True)
    body = models.JSONField(null=True)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="accounts_answer_once")]

    def __str__(self) -> str:
        return f"answer to {self.key}"


class StaffSession(AbstractBaseSession):
    """One log-in of a browser. Its key is the hash of the one in the cookie: who reads it cannot use it.

    Rows without `user` belong to visitors who are not logged in.
    """

    session_key = models.CharField(max_length=64, primary_key=True, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="sessions")
    browser = models.CharField(max_length=60, blank=True)
    began_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)


class AppendOnlyError(RuntimeError):
    """Somebody tried to change or delete what is only ever added to."""


class AppendOnlyQuerySet(models.QuerySet["AuditEntry"]):
    def update(self, **_values: object) -> int:
        raise AppendOnlyError("The audit log is only ever added to; its entries never change.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError("The audit log is only ever added to; its entries are never deleted.")


class AuditEntry(models.Model):
    """One act of staff; written by `audit.record_action` and never again.

    The subject is named, not referenced, and so is the actor: the entry outlives both. `project` is the one
    that the subject belonged to; None for what belongs to no project, such as an account.
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
    project = models.ForeignKey(
        "projects.Project", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
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
