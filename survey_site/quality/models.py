"""What an admin keeps out of the scores, what was found out about the ratings, and frozen batches."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from survey_site.accounts.models import AppendOnlyError
from survey_site.scoring.models import Job, JobStatus


class Exclusion(models.Model):
    """In force while the row exists; the audit log keeps who excluded and who undid it, and why."""

    rater = models.OneToOneField(
        "survey.Rater", on_delete=models.CASCADE, null=True, blank=True, related_name="exclusion"
    )
    assignment = models.OneToOneField(
        "survey.Assignment", on_delete=models.CASCADE, null=True, blank=True, related_name="exclusion"
    )
    reason = models.CharField(max_length=300)
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    excluded_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(rater__isnull=True, assignment__isnull=False)
                | Q(rater__isnull=False, assignment__isnull=True),
                name="exclusion_of_one_thing",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="exclusion_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment or self.rater}: {self.reason}"


class PanelStatus(models.TextChoices):
    """What a panel says has become of somebody's submission there."""

    RETURNED = "returned", "Returned"
    TIMED_OUT = "timed_out", "Timed out"
    REJECTED = "rejected", "Rejected"
    APPROVED = "approved", "Approved"


class PanelEvent(models.Model):
    """What a panel said of one person, taken once.

    event_hash: a keyed hash of the panel's id of it, which may lead to the person. rater: None where nobody
    with that id takes part. freed: how many open questionnaires went back; excluded: whether the ratings of
    the rater are kept out since.
    """

    batch = models.ForeignKey("batches.Batch", on_delete=models.CASCADE, related_name="panel_events")
    event_hash = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=PanelStatus.choices)
    rater = models.ForeignKey("survey.Rater", on_delete=models.CASCADE, null=True, related_name="+")
    freed = models.PositiveSmallIntegerField(default=0)
    excluded = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "event_hash"], name="panel_event_once"),
            models.CheckConstraint(condition=Q(status__in=PanelStatus.values), name="panel_status_known"),
        ]

    def __str__(self) -> str:
        return f"{self.status} at {self.at}"


class KeptFindings(Job):
    """What was last found out about the quality of a batch's ratings, one row a batch; `kept` explains it.

    stamp: which ratings `packed` is about (`findings.pack` made it), None before the first; submitted: how
    many pages there were then; took: how long finding it out took, in seconds.
    """

    batch = models.OneToOneField("batches.Batch", on_delete=models.CASCADE, related_name="kept_findings")
    stamp = models.CharField(max_length=64, blank=True, editable=False)
    packed = models.BinaryField(null=True, editable=False)
    submitted = models.PositiveIntegerField(default=0, editable=False)
    computed_at = models.DateTimeField(null=True, editable=False)
    took = models.FloatField(default=0, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=JobStatus.values), name="kept_findings_status_known"
            ),
            models.CheckConstraint(
                condition=Q(packed__isnull=True, stamp="", computed_at__isnull=True)
                | (Q(packed__isnull=False, computed_at__isnull=False) & ~Q(stamp="")),
                name="kept_findings_whole_or_none",
            ),
        ]

    def __str__(self) -> str:
        return f"findings about batch {self.batch_id}"

    def get_absolute_url(self) -> str:
        return reverse("quality:detail", args=[self.batch_id])


class Freezing(Job):
    """That workers are to freeze a batch of very many ratings, one row a batch: see `freeze_jobs`.

    done of total: ratings that were read so far.
    """

    batch = models.OneToOneField("batches.Batch", on_delete=models.CASCADE, related_name="freezing_job")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    done = models.PositiveIntegerField(default=0, editable=False)
    total = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(status__in=JobStatus.values), name="freezing_status_known"),
        ]

    def __str__(self) -> str:
        return f"freezing of batch {self.batch_id}"

    def get_absolute_url(self) -> str:
        return reverse("quality:freeze", args=[self.batch_id])

    @property
    def version(self) -> str:
        """Changes with what a page shows of it."""
        return f"{self.status}-{self.done}-{self.interruptions}"


class Snapshot(models.Model):
    """A closed batch as it was frozen. `freezing` writes it once; what its hash names never changes.

    `content_hash` is the hash of `head` (plan, wording, consent texts, counts, exclusions) and of the hashes
    of its ratings, so a rating that is withdrawn later can be deleted without changing it.
    """

    batch = models.OneToOneField("batches.Batch", on_delete=models.PROTECT, related_name="snapshot")
    content_hash = models.CharField(max_length=64, unique=True, editable=False)
    head = models.JSONField()
    frozen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    frozen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"snapshot {self.content_hash[:12]} of batch {self.batch_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise AppendOnlyError("A snapshot never changes.")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError("A snapshot is never deleted.")

    @property
    def total(self) -> int:
        return self.ratings.count()

    @property
    def counted(self) -> int:
        """Ratings that count in scores: no answers to controls, no surplus, nothing excluded or withdrawn."""
        return self.ratings.filter(counts=True).count()

    @property
    def withdrawn(self) -> int:
        """Ratings whose raters withdrew after the freeze."""
        return self.ratings.filter(rater="").count()


class SnapshotCheck(Job):
    """Whether a snapshot had its hash when that was last found out, one row a snapshot: see `checking`.

    stamp: what of the snapshot it is about; none, as of `intact` and `checked_at`, before the first check.
    """

    snapshot = models.OneToOneField(Snapshot, on_delete=models.CASCADE, related_name="check_kept")
    stamp = models.CharField(max_length=64, blank=True, editable=False)
    intact = models.BooleanField(null=True, editable=False)
    checked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=JobStatus.values), name="snapshot_check_status_known"
            ),
            models.CheckConstraint(
                condition=Q(intact__isnull=True, stamp="", checked_at__isnull=True)
                | (Q(intact__isnull=False, checked_at__isnull=False) & ~Q(stamp="")),
                name="snapshot_check_whole_or_none",
            ),
        ]

    def __str__(self) -> str:
        return f"check of the snapshot of batch {self.snapshot.batch_id}"

    def get_absolute_url(self) -> str:
        return reverse("quality:freeze", args=[self.snapshot.batch_id])


class FrozenRating(models.Model):
    """One rating of a snapshot. `content` is deleted when its rater withdraws; `row_hash` stays.

    counts: whether it counts in scores, as `content` says; apart, because to read all contents takes long.
    """

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="ratings")
    number = models.PositiveIntegerField()
    row_hash = models.CharField(max_length=64, editable=False)
    rater = models.CharField(max_length=20, blank=True, editable=False)
    content = models.JSONField(null=True, blank=True, editable=False)
    counts = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["snapshot", "number"]
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "number"], name="frozen_rating_number_unique"),
            models.CheckConstraint(
                condition=Q(content__isnull=True, rater="") | (Q(content__isnull=False) & ~Q(rater="")),
                name="frozen_rating_whole_or_withdrawn",
            ),
        ]
        indexes = [
            models.Index(fields=["snapshot", "rater"], name="frozen_rating_rater"),
            models.Index(fields=["snapshot", "counts"], name="frozen_rating_counts"),
        ]

    def __str__(self) -> str:
        return f"rating {self.number} of snapshot {self.snapshot_id}"
