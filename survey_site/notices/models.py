"""What staff should know of: that something has happened, who has read it, and to whom it is mailed."""

from django.conf import settings
from django.db import models
from django.urls import reverse


class NoticeKind(models.TextChoices):
    COMPLETE = "complete", "Batch complete"
    FLAGGED = "flagged", "Rater flagged"
    UNFILLED = "unfilled", "Panel link without ids"
    READY = "ready", "Report ready"
    FAILED = "failed", "Report failed"
    UNSENT = "unsent", "Webhook not delivered"
    SWITCHED_OFF = "off", "Webhook switched off"


class Notice(models.Model):
    """Something that happened to a batch, once: `key` tells it from the same happening again.

    Or something that is for one person alone, `owner`: then it is of no batch. subject: the code of the
    rater, or the number of the report or webhook, that it is about; empty for the batch itself.
    """

    kind = models.CharField(max_length=10, choices=NoticeKind.choices)
    batch = models.ForeignKey("batches.Batch", on_delete=models.CASCADE, null=True, related_name="notices")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    key = models.CharField(max_length=80)
    subject = models.CharField(max_length=60, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "batch", "key"], name="notice_once"),
            models.UniqueConstraint(fields=["kind", "owner", "key"], name="notice_to_owner_once"),
            models.CheckConstraint(
                condition=models.Q(batch__isnull=True, owner__isnull=False)
                | models.Q(batch__isnull=False, owner__isnull=True),
                name="notice_of_a_batch_or_to_its_owner",
            ),
            models.CheckConstraint(condition=models.Q(kind__in=NoticeKind.values), name="notice_kind_known"),
        ]
        indexes = [models.Index(fields=["-at", "-id"], name="notice_newest")]

    def __str__(self) -> str:
        return {
            NoticeKind.COMPLETE: f"All of “{self.batch}” is rated",
            NoticeKind.FLAGGED: f"Rater {self.subject} of “{self.batch}” is flagged",
            NoticeKind.UNFILLED: f"People come to “{self.batch}” by a panel's link without their ids",
            NoticeKind.READY: f"Report No. {self.subject} on “{self.batch}” is ready",
            NoticeKind.FAILED: f"Report No. {self.subject} on “{self.batch}” failed",
            NoticeKind.UNSENT: f"Webhook No. {self.subject} did not take what was sent",
            NoticeKind.SWITCHED_OFF: f"Webhook No. {self.subject} is switched off",
        }[NoticeKind(self.kind)]

    def get_absolute_url(self) -> str:
        """The page on which to do it."""
        if self.kind == NoticeKind.COMPLETE:
            return reverse("batches:monitor", args=[self.batch_id])
        if self.kind == NoticeKind.FLAGGED:
            return reverse("quality:rater", args=[self.batch_id, self.subject])
        if self.kind == NoticeKind.UNFILLED:
            return reverse("batches:participation", args=[self.batch_id]) + "#links-title"
        if self.owner_id:
            return reverse("webhooks:detail", args=[self.subject])
        return reverse("reports:detail", args=[self.subject])

    @property
    def what_to_do(self) -> str:
        return {
            NoticeKind.COMPLETE: "Close the batch, then freeze it and build the report.",
            NoticeKind.FLAGGED: "See what the checks found, and decide whether the ratings count.",
            NoticeKind.UNFILLED: "Nobody is let in by it. Give the panel the whole address once more, and "
            "see that it fills in each person's id.",
            NoticeKind.READY: "Read the report.",
            NoticeKind.FAILED: "See why, and try again.",
            NoticeKind.UNSENT: "All tries of a day failed. See why in its log, and send it again from there.",
            NoticeKind.SWITCHED_OFF: "See the log for why; once your program answers, switch it on again.",
        }[NoticeKind(self.kind)]


class Reading(models.Model):
    """That somebody has read a notice."""

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="readings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["notice", "user"], name="notice_read_once")]

    def __str__(self) -> str:
        return f"{self.notice}, read by {self.user}"


class Delivery(models.Model):
    """A notice that is to be mailed to somebody. It is tried from `due_at` on; None: no more."""

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="deliveries")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    due_at = models.DateTimeField(null=True, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["notice", "user"], name="notice_mailed_once")]

    def __str__(self) -> str:
        return f"{self.notice}, to {self.user}"


class Look(models.Model):
    """What of a batch was looked at last, so that it is looked at again only when there is more."""

    batch = models.OneToOneField("batches.Batch", on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=120)

    def __str__(self) -> str:
        return f"{self.batch}: {self.state}"
