"""Score runs, the ratings and distances they rest on, and the columns that every background job has."""

from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse


class JobStatus(models.TextChoices):
    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class Job(models.Model):
    """What runs in the background; `jobs` moves its status.

    `heartbeat_at`: when its process last lived. `sent_at`: when it was last handed to the workers again.
    `interruptions` counts how often its process or its connection was lost, and `error` says it meanwhile.
    """

    key = models.CharField(max_length=64, unique=True, editable=False)
    status = models.CharField(max_length=10, choices=JobStatus.choices, default=JobStatus.QUEUED)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField()
    requeued_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True, editable=False)
    interruptions = models.PositiveSmallIntegerField(default=0, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def own_rows(self) -> "models.QuerySet[Self]":
        """The row as far as who computes the job may still change it; none where it is another's by now."""
        return type(self)._default_manager.filter(pk=self.pk)

    @property
    def waits_since(self) -> datetime:
        return self.requeued_at or self.created_at

    @property
    def is_done(self) -> bool:
        return self.status == JobStatus.DONE

    @property
    def is_failed(self) -> bool:
        return self.status == JobStatus.FAILED

    @property
    def is_waiting(self) -> bool:
        return self.status == JobStatus.QUEUED

    @property
    def is_unfinished(self) -> bool:
        return self.status in {JobStatus.QUEUED, JobStatus.RUNNING}


class RunKind(models.TextChoices):
    AUTOMATIC = "automatic", "Automatic scores"
    HUMAN = "human", "Human scores"


class RatingSet(models.Model):
    """The ratings of a batch as they were when somebody asked for scores.

    Raters go on while scores are computed; the rows kept here are the ones that the hash names. When a rater
    withdraws their rows are deleted and counted in `withdrawn`: the hash then names ratings that nobody holds
    any more.
    """

    batch = models.ForeignKey("batches.Batch", on_delete=models.PROTECT, related_name="rating_sets")
    content_hash = models.CharField(max_length=64, editable=False)
    withdrawn = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "content_hash"], name="scoring_rating_set_once"),
        ]

    def __str__(self) -> str:
        return f"ratings {self.content_hash[:12]} of batch {self.batch_id}"

    @property
    def ratings(self) -> list[list[Any]]:
        """[document, system, reader, reader, rater, rating] of each, ordered by these alone."""
        parts = self.parts.order_by().values_list("ratings", flat=True)
        return sorted(row for part in parts.iterator() for row in part)


class RatingSetPart(models.Model):
    """What one rater gave of a set: a row of its own, so that a withdrawal deletes it, rewriting nothing."""

    rating_set = models.ForeignKey(RatingSet, on_delete=models.CASCADE, related_name="parts")
    rater = models.CharField(max_length=100)
    count = models.PositiveIntegerField()
    ratings = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rating_set", "rater"], name="scoring_rating_set_part_once"),
        ]

    def __str__(self) -> str:
        return f"{self.count} ratings of {self.rater}"


class ScoreRun(Job):
    """The scores of all systems under one measure, automatic or human; `key` is the hash of what is computed.

    `options` says all that the computation needs besides corpus and ratings, so that any worker can do it.
    `done` of `total` counts documents, and pairs of texts where the run is cut into `shards`.
    `contributions` is a Parquet file below the data folder. `cancelled_at`: when somebody ended it.
    `waits_for_parts`: whether it waits for parts that other workers compute, and nobody is to join it before.

    Where a batch has very many ratings a worker reads them first: until then a run of human scores has no
    `rating_set`. `asked` is the hash of what was asked for and of the state of the ratings then, by which who
    asks for the same again finds it without reading them; empty where they were read at once.
    """

    kind = models.CharField(max_length=10, choices=RunKind.choices)
    corpus = models.ForeignKey("corpus.Corpus", on_delete=models.PROTECT, related_name="score_runs")
    batch = models.ForeignKey(
        "batches.Batch", on_delete=models.PROTECT, null=True, blank=True, related_name="score_runs"
    )
    rating_set = models.ForeignKey(
        RatingSet, on_delete=models.PROTECT, null=True, blank=True, related_name="score_runs"
    )
    asked = models.CharField(max_length=64, unique=True, null=True, blank=True, editable=False)
    measure = models.CharField(max_length=200, help_text="As written on a command line: bleu:n=4.")
    signature = models.JSONField()
    options = models.JSONField()
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    cancelled_at = models.DateTimeField(null=True, blank=True, editable=False)
    waits_for_parts = models.BooleanField(default=False, editable=False)
    records = models.JSONField(default=list, blank=True)
    contributions = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(status__in=JobStatus.values), name="score_run_status_known"),
            models.CheckConstraint(
                condition=Q(kind=RunKind.AUTOMATIC, batch__isnull=True, rating_set__isnull=True)
                | Q(kind=RunKind.HUMAN, batch__isnull=False),
                name="score_run_batch_matches_kind",
            ),
            models.CheckConstraint(
                condition=~Q(kind=RunKind.HUMAN, status=JobStatus.DONE) | Q(rating_set__isnull=False),
                name="score_run_done_has_ratings",
            ),
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="score_run_done_within_total"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display().lower()} {self.measure}"

    def get_absolute_url(self) -> str:
        return reverse("runs:detail", args=[self.pk])

    @property
    def is_unread(self) -> bool:
        """Whether a worker is still to read the ratings that it rests on."""
        return self.kind == RunKind.HUMAN and self.rating_set_id is None

    @property
    def share(self) -> float:
        """How far it is, 0 to 1."""
        if self.is_done:
            return 1.0
        return self.done / self.total if self.total else 0.0

    @property
    def percent(self) -> int:
        return int(100 * self.share)


class ScoreShard(Job):
    """A part of a large run: documents whose distances one worker computes and keeps in the store.

    `number` counts the parts of a run; its documents are those whose hashes lie from `first` to `last`.
    `pairs` is how many pairs of texts these have. Workers that take from `queue` may take it; `worker` did.
    """

    run = models.ForeignKey(ScoreRun, on_delete=models.CASCADE, related_name="shards")
    number = models.PositiveIntegerField()
    first = models.PositiveBigIntegerField()
    last = models.PositiveBigIntegerField()
    documents = models.PositiveIntegerField()
    pairs = models.PositiveBigIntegerField()
    queue = models.CharField(max_length=20)
    worker = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="scoring_shard_once"),
            models.CheckConstraint(condition=Q(status__in=JobStatus.values), name="score_shard_status_known"),
        ]
        indexes = [
            models.Index(fields=["status", "queue", "run", "number"], name="scoring_shard_waiting"),
            models.Index(fields=["finished_at"], name="scoring_shard_finished"),
        ]

    def __str__(self) -> str:
        return f"part {self.number + 1} of {self.run}"

    def get_absolute_url(self) -> str:
        return self.run.get_absolute_url()

    def own_rows(self) -> "models.QuerySet[Self]":
        """None once the worker was taken for dead: the part waits again, or another has taken or done it."""
        return (
            super()
            .own_rows()
            .filter(status=JobStatus.RUNNING, worker=self.worker, started_at=self.started_at)
        )


class GivenDistances(models.Model):
    """Distances between the texts of a corpus that another tool computed: a measure called `name`.

    `content_hash` is that of all pairs and distances, by which a run's signature knows them. `book` holds
    them, packed. `covered` of `wanted` pairs of texts that scores ask for have a distance. What was removed
    while reports rest on it is kept for them, and offered to nobody.
    """

    corpus = models.ForeignKey("corpus.Corpus", on_delete=models.CASCADE, related_name="given_distances")
    name = models.CharField(max_length=60)
    content_hash = models.CharField(max_length=64, editable=False)
    source = models.CharField(max_length=500, help_text="The files that it was read from.")
    pairs = models.PositiveIntegerField(editable=False)
    covered = models.PositiveIntegerField(editable=False)
    wanted = models.PositiveIntegerField(editable=False)
    book = models.BinaryField()
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    removed_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["name", "pk"]
        verbose_name_plural = "given distances"
        constraints = [
            models.UniqueConstraint(
                fields=["corpus", "name", "content_hash"], name="scoring_given_distances_once"
            ),
            models.UniqueConstraint(
                fields=["corpus", "name"],
                condition=Q(removed_at__isnull=True),
                name="scoring_given_distances_name",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, distances for {self.corpus}"

    def get_absolute_url(self) -> str:
        return reverse("given:list", args=[self.corpus_id])
