"""What operators look at and nothing else keeps: which workers live, and when backups were made."""

from django.db import models


class WorkerSeen(models.Model):
    """A worker, its queues with commas between, and when it last said that it lives."""

    name = models.CharField(max_length=200, unique=True)
    queues = models.CharField(max_length=200)
    version = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "workers seen"

    def __str__(self) -> str:
        return self.name


class BackupMade(models.Model):
    """A backup that `manage.py backup` wrote."""

    file = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["-made_at"]
        verbose_name_plural = "backups made"

    def __str__(self) -> str:
        return self.file
