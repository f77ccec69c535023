"""Runs in which a language model rates a batch, or judges summaries in readers' places (PerSE).

What it said stands in tables of its own, not among people's ratings.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from meta_eval.ratings.rating import HIGHEST, LOWEST
from survey_site.scoring.models import Job, JobStatus


class ModelRun(Job):
    """One model asked about the pairs of a batch; `key` is the hash of all requests: none is paid twice.

    `name` is what results call the model; no two runs of a batch share one. `options` says how it is asked,
    where, and at what price; `wording` is what raters read, as it was then. `done` of `total` counts
    different questions. `requests` and tokens are what was sent so far, in all tries. `record` is what came
    of it. `note`: what its reader must know of where its replies are from. `cancelled_at`: when somebody
    asked to end it; it then fails as soon as its worker sees that.

    With a `plan` among its `options` the model is not a rater but a judge of single summaries (`judges`): it
    has `replies` in place of ratings, and no wording.
    """

    batch = models.ForeignKey("batches.Batch", on_delete=models.PROTECT, related_name="model_runs")
    name = models.CharField(max_length=120)
    options = models.JSONField()
    wording = models.JSONField()
    note = models.CharField(max_length=300, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField()
    requests = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    record = models.JSONField(default=dict, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "name"], name="model_run_name_once"),
            models.CheckConstraint(condition=Q(status__in=JobStatus.values), name="model_run_status_known"),
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="model_run_done_within_total"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {'judging summaries of' if self.judges else 'rating'} {self.batch}"

    def get_absolute_url(self) -> str:
        return reverse("model_raters:run", args=[self.batch_id, self.pk])

    @property
    def judges(self) -> bool:
        """Whether it judges single summaries in readers' places, and rates no pair."""
        return "plan" in self.options

    @property
    def is_cancelled(self) -> bool:
        return self.is_failed and self.cancelled_at is not None

    @property
    def is_being_cancelled(self) -> bool:
        return self.is_unfinished and self.cancelled_at is not None

    @property
    def host(self) -> str:
        """Where its texts are sent; empty where nothing leaves the machine."""
        return str(self.options.get("url", ""))

    @property
    def hosts(self) -> list[str]:
        """Every place to which its texts were sent, the latest last: a later try may name another."""
        return [*self.options.get("earlier_hosts", []), *filter(None, [self.host])]

    @property
    def percent(self) -> int:
        if self.is_done:
            return 100
        return int(100 * self.done / self.total) if self.total else 0

    @property
    def missing(self) -> int:
        """Answers without a value, of a finished run."""
        return int(self.record.get("questions", 0)) - int(self.record.get("answered", 0))

    @property
    def cost(self) -> float | None:
        """What was sent so far cost, by the prices of its request; None unless both were set."""
        prices = self.options.get("price_in"), self.options.get("price_out")
        if None in prices:
            return None
        return float(self.prompt_tokens * prices[0] + self.completion_tokens * prices[1]) / 1_000_000


class ModelRating(models.Model):
    """One pair of a run and what the model said of it; without a `rating` an order had no readable answer.

    The pair is named as files of ratings name it. `mean` is over orders and draws, `mean_ab` and `mean_ba`
    those of each order, `sd` the standard deviation over all answers, `rating` the mean as a whole number, a
    half to the even side. `answers` holds each reply: order, draw, rating or reason, text.
    """

    run = models.ForeignKey(ModelRun, on_delete=models.CASCADE, related_name="ratings")
    document = models.CharField(max_length=200)
    system = models.CharField(max_length=200)
    reader_a = models.CharField(max_length=200)
    reader_b = models.CharField(max_length=200)
    rating = models.PositiveSmallIntegerField(null=True, blank=True)
    mean = models.FloatField(null=True, blank=True)
    mean_ab = models.FloatField(null=True, blank=True)
    mean_ba = models.FloatField(null=True, blank=True)
    sd = models.FloatField(null=True, blank=True)
    answers = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["run", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "document", "system", "reader_a", "reader_b"], name="model_rating_pair_once"
            ),
            models.CheckConstraint(
                condition=Q(rating__isnull=True) | Q(rating__gte=LOWEST, rating__lte=HIGHEST),
                name="model_rating_on_scale",
            ),
        ]

    def __str__(self) -> str:
        return f"rating {self.pk} of run {self.run_id}"


class RunReplies(models.Model):
    """Every reply of a judge that is done, packed: whatever rests on it is made again from these alone."""

    run = models.OneToOneField(ModelRun, on_delete=models.CASCADE, primary_key=True, related_name="replies")
    packed = models.BinaryField()

    def __str__(self) -> str:
        return f"replies of run {self.run_id}"
