"""Projects: what a team works on, and who is of the team. Each corpus and each study belongs to one."""

from django.conf import settings
from django.db import models
from django.urls import reverse

MAX_NAME = 100
FIRST = "First project"
"""The one that a new installation has, and into which an upgrade puts what was there before."""


class Project(models.Model):
    """Teams that share an installation see nothing of each other's projects."""

    name = models.CharField(max_length=MAX_NAME, unique=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    people = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="projects.Membership", related_name="projects"
    )

    class Meta:
        ordering = ["name"]
        constraints = [models.CheckConstraint(condition=~models.Q(name=""), name="projects_project_named")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("projects:detail", args=[self.pk])


class Membership(models.Model):
    """That somebody is of a project's team. Admins see every project without being of any."""

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="memberships", db_index=False
    )  # the unique index begins with it
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="projects_member_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.project}"
