"""Accounts, invitations and the audit log."""

from typing import Any

from rest_framework import serializers

from survey_site.accounts.audit import audit_choices
from survey_site.accounts.models import AccountLink, AuditEntry, User
from survey_site.accounts.permissions import Role


class AccountShape(serializers.ModelSerializer):
    role = serializers.ChoiceField(source="held_role", choices=Role.choices)
    name = serializers.CharField(source="first_name")
    email = serializers.CharField(help_text="Empty where none is known.")
    second_step = serializers.SerializerMethodField(help_text="Whether logging in asks for a code.")
    projects = serializers.SerializerMethodField(help_text="The numbers of those of which it is a member.")

    class Meta:
        model = User
        fields: tuple[str, ...] = (
            *("id", "username", "name", "email", "role", "is_active", "last_login"),
            *("second_step", "projects"),
        )
        read_only_fields = fields

    def get_second_step(self, user: User) -> bool:
        return user.second_step_at is not None

    def get_projects(self, user: User) -> list[int]:
        return sorted(one.pk for one in user.projects.all())


class AccountChange(serializers.Serializer):
    """What is left out stays."""

    role = serializers.ChoiceField(choices=Role.choices, required=False)
    is_active = serializers.BooleanField(
        required=False, help_text="False closes the account, true lets the person in again."
    )
    projects = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, help_text="All, by their numbers."
    )


class InvitationShape(serializers.ModelSerializer):
    email = serializers.CharField(help_text="Empty where none is known.")

    class Meta:
        model = AccountLink
        fields: tuple[str, ...] = ("id", "name", "email", "role", "projects", "made_at", "expires_at")
        read_only_fields = fields


class LinkShape(serializers.Serializer):
    id = serializers.IntegerField()
    address = serializers.CharField(
        allow_blank=True,
        help_text="The link, which works once. Empty where it was mailed, or where an answer comes again.",
    )
    not_mailed = serializers.CharField(
        allow_blank=True, help_text="Why it was not mailed; empty where it was."
    )


class InvitationRequest(serializers.Serializer):
    name = serializers.CharField(max_length=150, help_text="Whom the invitation is for.")
    email = serializers.EmailField(required=False, allow_blank=True, default="", max_length=254)
    role = serializers.ChoiceField(choices=Role.choices)
    projects = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        required=False,
        help_text="Their numbers. Without them the only one that there is, or none where there are several.",
    )


class EndedShape(serializers.Serializer):
    ended = serializers.IntegerField(help_text="Log-ins that were open.")


class AuditEntryShape(serializers.ModelSerializer):
    detail = serializers.DictField()

    class Meta:
        model = AuditEntry
        fields: tuple[str, ...] = (
            *("id", "at", "actor_name", "action", "subject_kind", "subject_id", "subject"),
            *("project", "detail"),
        )
        read_only_fields = fields


class AuditQuery(serializers.Serializer):
    action = serializers.CharField(max_length=60, required=False, help_text="As an entry names it.")
    actor = serializers.CharField(max_length=150, required=False, help_text="A user name.")
    batch = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)


def require_known(query: dict[str, Any], reader: User) -> None:
    """Raises ValidationError for an action or a name that occurs in no entry which the reader may see."""
    known = audit_choices(reader)
    wrong = {
        name: [f"No entry that you may see has this {name}."]
        for name, there in (("action", known["actions"]), ("actor", known["actors"]))
        if name in query and query[name] not in there
    }
    if wrong:
        raise serializers.ValidationError(wrong)
