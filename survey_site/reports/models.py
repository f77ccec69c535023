"""Reports: which scores of which batch they join, and the result once it is there."""

from collections.abc import Sequence
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from meta_eval.errors import InputError
from meta_eval.report import schema
from survey_site.common.errors import ConflictError
from survey_site.model_raters.models import ModelRun
from survey_site.scoring.models import Job, JobStatus, RatingSet, RunKind, ScoreRun


class Report(Job):
    """Human and automatic scores side by side; `key` is the hash of all inputs: the same inputs, one report.

    `options` is what was asked for, `survey` the counts of the survey at that moment, `runs` the scores that
    the report joins, `model_runs` the models whose ratings stand beside people's, `result` what the library
    made of them, `drawings` the figures that its page opens with; `inference_done` of `inference_total`
    counts the parts of its inference.

    Where a batch has very many ratings a worker reads them first: until then there are neither `rating_set`
    nor `survey`. `asked` is the hash of what was asked for and of the state of the ratings then, by which who
    asks for the same again finds it without reading them; empty where it was read at once.
    """

    batch = models.ForeignKey("batches.Batch", on_delete=models.PROTECT, related_name="reports")
    rating_set = models.ForeignKey(
        RatingSet, on_delete=models.PROTECT, null=True, blank=True, related_name="reports"
    )
    runs = models.ManyToManyField(ScoreRun, related_name="reports")
    model_runs = models.ManyToManyField(ModelRun, related_name="reports", blank=True)
    options = models.JSONField()
    survey = models.JSONField(default=dict, blank=True)
    asked = models.CharField(max_length=64, unique=True, null=True, blank=True, editable=False)
    result = models.JSONField(null=True, blank=True)
    drawings = models.JSONField(default=dict, blank=True)
    inference_done = models.PositiveIntegerField(default=0)
    inference_total = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(status__in=JobStatus.values), name="report_status_known"),
            models.CheckConstraint(
                condition=~Q(status=JobStatus.DONE) | Q(result__isnull=False), name="report_done_has_result"
            ),
            models.CheckConstraint(
                condition=~Q(status=JobStatus.DONE) | Q(rating_set__isnull=False),
                name="report_done_has_ratings",
            ),
        ]

    def __str__(self) -> str:
        return f"Report {self.pk} on {self.batch}"

    def get_absolute_url(self) -> str:
        return reverse("reports:detail", args=[self.pk])

    @property
    def parts(self) -> list[tuple[RunKind, str]]:
        """What the report joins: kind and measure of each score run, in the order of the page."""
        return [
            *((RunKind.AUTOMATIC, spec) for spec in self.options["measures"]),
            *((RunKind.HUMAN, spec) for spec in self.options["surrogates"]),
        ]

    @property
    def given(self) -> dict[str, str]:
        """By name, the hash of the distances from outside that the report uses."""
        return dict(self.options.get("given", {}))

    @property
    def ratings(self) -> RatingSet:
        """What it is made from. Raises ConflictError until that is read."""
        if self.rating_set is None:
            raise ConflictError(
                "The ratings of this report are not read yet.", action="Wait until it is done."
            )
        return self.rating_set

    def read(self) -> schema.Report:
        """The finished report.

        Raises ConflictError while there is none, and for one that an older version of the site made and that
        cannot be read now.
        """
        self.require_finished()
        return self._read()

    def require_finished(self) -> None:
        """Raises ConflictError while there is no result."""
        if self.result is None or not self.is_done:
            raise ConflictError("This report is not finished.", action="Its page says how far it is.")

    @property
    def failures(self) -> Sequence[schema.PartFailure]:
        """The parts that could not be computed, each with its reason."""
        return self._read().failures if self.result else ()

    @property
    def inference_failures(self) -> Sequence[schema.Problem]:
        """Parts of the inference that went wrong; those that the inputs do not allow are no failure."""
        inference = self._read().inference if self.result else None
        return [problem for problem in inference.problems if problem.failed] if inference else []

    def _read(self) -> schema.Report:
        try:
            return schema.read_report(self.result or {})
        except InputError as error:
            raise ConflictError(
                f"Report No. {self.pk} was made by an older version of this site and cannot be read now.",
                action=f"Make it again: request a new report on the batch “{self.batch}”.",
            ) from error

    @property
    def inference_share(self) -> float:
        """How far the inference is, 0 to 1."""
        return self.inference_done / self.inference_total if self.inference_total else 0.0

    @property
    def inference_percent(self) -> int:
        return int(100 * self.inference_share)


class KeptPdf(models.Model):
    """The PDF that the report's page offers first; `key` says of which result it is and what made it."""

    report = models.OneToOneField(Report, on_delete=models.CASCADE, related_name="kept_pdf")
    key = models.CharField(max_length=64)
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"PDF of {self.report}"


class KeptBundle(Job):
    """A sealed bundle that a worker made, or is to make, one row a report and choice: see `bundles.kept`.

    with_texts: whether texts are in it, or hashes in their place. stamp: of which state of the report and its
    ratings it is, empty until it is made; then `seal` is its seal and `size` its bytes.
    """

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="kept_bundles")
    with_texts = models.BooleanField()
    stamp = models.CharField(max_length=64, blank=True, editable=False)
    seal = models.CharField(max_length=64, blank=True, editable=False)
    size = models.PositiveBigIntegerField(default=0, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["report", "with_texts"], name="kept_bundle_once"),
            models.CheckConstraint(condition=Q(status__in=JobStatus.values), name="kept_bundle_status_known"),
            models.CheckConstraint(
                condition=~Q(status=JobStatus.DONE) | ~Q(stamp="") & ~Q(seal=""),
                name="kept_bundle_done_has_seal",
            ),
        ]

    def __str__(self) -> str:
        return f"sealed bundle of report {self.report_id}"

    def get_absolute_url(self) -> str:
        address = reverse("reports:bundle-made", args=[self.report_id])
        return address if self.with_texts else f"{address}?texts=hashes"

    def own_rows(self) -> "models.QuerySet[Self]":
        """None once the worker was taken for dead and another one makes it."""
        return super().own_rows().filter(started_at=self.started_at)

    @property
    def version(self) -> str:
        """Changes with what a page shows of it."""
        return f"{self.status}-{self.interruptions}-{self.seal[:12]}"


class KeptBundlePiece(models.Model):
    """A piece of the file, which is sent piece by piece: a web process never holds all of it."""

    bundle = models.ForeignKey(KeptBundle, on_delete=models.CASCADE, related_name="pieces")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["bundle", "number"]
        constraints = [
            models.UniqueConstraint(fields=["bundle", "number"], name="kept_bundle_piece_once"),
        ]

    def __str__(self) -> str:
        return f"piece {self.number + 1} of the {self.bundle}"
