"""Studies whose results somebody uploaded: the files as they came, and what their page shows."""

from django.conf import settings
from django.db import models
from django.urls import reverse

MAX_NAME = 120


class Study(models.Model):
    """Summaries of users, judged by what they predict: the results of one run over tasks (UserSumBench).

    `content` holds the uploaded files, packed, `names` says which; `content_hash` is of them and no other
    time: the same files are one study of a project. `findings` is what page, HTML and PDF are drawn from,
    computed once.
    """

    name = models.CharField(max_length=MAX_NAME)
    project = models.ForeignKey("projects.Project", on_delete=models.PROTECT, related_name="studies")
    content_hash = models.CharField(max_length=64, editable=False)
    source = models.CharField(max_length=500, help_text="The files that were chosen.")
    names = models.JSONField(editable=False)
    content = models.BinaryField()
    findings = models.JSONField(editable=False)
    users = models.PositiveIntegerField(editable=False)
    summaries = models.PositiveIntegerField(editable=False)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "studies"
        constraints = [
            models.UniqueConstraint(fields=["content_hash", "project"], name="studies_once_in_project")
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("studies:detail", args=[self.pk])
