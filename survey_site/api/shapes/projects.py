"""Projects, and who is of them."""

from rest_framework import serializers

from survey_site.accounts.models import User
from survey_site.accounts.permissions import Role
from survey_site.projects.models import MAX_NAME, Project


class ProjectShape(serializers.ModelSerializer):
    class Meta:
        model = Project
        fields = ("id", "name", "created_at")
        read_only_fields = fields


class ProjectRequest(serializers.Serializer):
    name = serializers.CharField(max_length=MAX_NAME, help_text="What the team calls it; no number alone.")


class MemberShape(serializers.ModelSerializer):
    role = serializers.ChoiceField(source="held_role", choices=Role.choices)

    class Meta:
        model = User
        fields = ("username", "role", "is_active")
        read_only_fields = fields


class MemberRequest(serializers.Serializer):
    username = serializers.CharField(max_length=150, help_text="Of an account that is not closed.")
