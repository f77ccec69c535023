"""A planned survey: the batch, its questionnaires and their items."""

import secrets
from datetime import datetime
from typing import cast

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from meta_eval.report.declared import family_in_words, when_in_words
from meta_eval.report.primary import Declaration, PrimaryScore
from meta_eval.stats.coefficients.registry import Coefficient
from survey_site.batches.states import BatchStatus, Control, Scale
from survey_site.common.languages import language

AT_LEAST_ONE = MinValueValidator(1)
AT_LEAST_TWO = MinValueValidator(2)
AT_MOST_ALL = MaxValueValidator(100)


def make_token() -> str:
    """A new unguessable name for the raters' link, 128 random bits."""
    return secrets.token_urlsafe(16)


def default_languages() -> list[str]:
    return [settings.CONCORD_LANGUAGE]


class Batch(models.Model):
    """A survey: which pairs are rated, by how many people, and what these people read.

    readers: all pairs among so many readers of a document are asked about, so `reader_pairs` follows from it;
    None where the pairs are any of the document's. parts_together: the questionnaires of one document and
    reader pair are handed out one after the other. label_2 to label_5 are the words of the points between the
    ends, all or none. document_shown: whether raters read the document beside the pairs. marks_allowed:
    whether raters may say that they cannot judge a pair. equal_pairs_once: see `AssignmentItem.same_as`.
    one_typography: whether raters see all texts of a page typed alike.
    """

    name = models.CharField(max_length=200)
    corpus = models.ForeignKey("corpus.Corpus", on_delete=models.PROTECT, related_name="batches")
    token = models.CharField(max_length=43, unique=True, default=make_token, editable=False)
    status = models.CharField(max_length=10, choices=BatchStatus.choices, default=BatchStatus.DRAFT)

    systems = models.ManyToManyField("corpus.System", related_name="batches")
    documents = models.PositiveIntegerField()
    document_keys = models.JSONField(null=True, blank=True)
    seed = models.BigIntegerField(default=0)
    reader_pairs = models.PositiveSmallIntegerField(default=1, validators=[AT_LEAST_ONE])
    readers = models.PositiveSmallIntegerField(null=True, blank=True, validators=[AT_LEAST_TWO])
    systems_per_questionnaire = models.PositiveSmallIntegerField(default=5, validators=[AT_LEAST_ONE])
    raters = models.PositiveSmallIntegerField(default=2, validators=[AT_LEAST_ONE])
    parts_together = models.BooleanField(default=False)
    document_shown = models.BooleanField(default=True)
    marks_allowed = models.BooleanField(default=True)
    equal_pairs_once = models.BooleanField(default=False)
    one_typography = models.BooleanField(default=False)
    identical_share = models.PositiveSmallIntegerField(default=0, validators=[AT_MOST_ALL])
    unrelated_share = models.PositiveSmallIntegerField(default=0, validators=[AT_MOST_ALL])
    plan_notes = models.JSONField(default=list, blank=True)

    scale = models.CharField(max_length=15, choices=Scale.choices, default=Scale.SIMILARITY)
    question = models.CharField(max_length=300)
    low_label = models.CharField(max_length=80)
    label_2 = models.CharField(max_length=80, blank=True)
    label_3 = models.CharField(max_length=80, blank=True)
    label_4 = models.CharField(max_length=80, blank=True)
    label_5 = models.CharField(max_length=80, blank=True)
    high_label = models.CharField(max_length=80)
    instructions = models.TextField(blank=True)
    languages = models.JSONField(default=default_languages)  # of raters' pages; the first is the wording's
    claim_minutes = models.PositiveIntegerField(default=60, validators=[AT_LEAST_ONE])

    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="batches"
    )
    created_at = models.DateTimeField()
    launched_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "batches"
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(status__in=BatchStatus.values), name="batch_status_known"),
            models.CheckConstraint(condition=Q(scale__in=Scale.values), name="batch_scale_known"),
            models.CheckConstraint(
                condition=Q(documents__gte=1, reader_pairs__gte=1, systems_per_questionnaire__gte=1)
                & Q(raters__gte=1, claim_minutes__gte=1),
                name="batch_counts_positive",
            ),
            models.CheckConstraint(
                condition=Q(readers__isnull=True) | Q(readers__gte=2), name="batch_readers_make_pairs"
            ),
            models.CheckConstraint(
                condition=Q(identical_share__lte=100, unrelated_share__lte=100),
                name="batch_shares_per_cent",
            ),
            models.CheckConstraint(
                condition=Q(status=BatchStatus.DRAFT, launched_at__isnull=True)
                | (~Q(status=BatchStatus.DRAFT) & Q(launched_at__isnull=False)),
                name="batch_launched_at_matches_status",
            ),
            models.CheckConstraint(
                condition=Q(frozen_at__isnull=True) | Q(status=BatchStatus.CLOSED),
                name="batch_frozen_is_closed",
            ),
            models.CheckConstraint(
                condition=Q(archived_at__isnull=True) | Q(status=BatchStatus.CLOSED),
                name="batch_archived_is_closed",
            ),
            models.CheckConstraint(
                condition=Q(opens_at__isnull=True)
                | Q(closes_at__isnull=True)
                | Q(closes_at__gt=F("opens_at")),
                name="batch_window_in_order",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("batches:monitor", args=[self.pk])

    @property
    def language(self) -> str:
        """The language of the wording, in which raters' pages come unless they ask for another."""
        return str(self.languages[0])

    @property
    def language_names(self) -> list[str]:
        """What staff call the languages that raters may choose from."""
        return [language(code).english_name for code in self.languages]

    @property
    def control_shares(self) -> tuple[int, int]:
        """The per cent of questionnaires that carry an identical pair, and an unrelated one."""
        return self.identical_share, self.unrelated_share

    @property
    def primary(self) -> "PrimaryDeclaration | None":
        """The primary coefficient that stands; None where none was declared, or it was taken back."""
        rows = list(self.declarations.all())
        return rows[-1] if rows and rows[-1].coefficient else None

    @property
    def is_draft(self) -> bool:
        return self.status == BatchStatus.DRAFT

    @property
    def is_live(self) -> bool:
        return self.status == BatchStatus.LIVE

    @property
    def is_closed(self) -> bool:
        return self.status == BatchStatus.CLOSED

    @property
    def is_paused(self) -> bool:
        return self.is_live and self.paused_at is not None

    def is_early(self, now: datetime) -> bool:
        """Before its time window."""
        return self.opens_at is not None and now < self.opens_at

    def is_over(self, now: datetime) -> bool:
        """Closed, or after its time window: nothing is handed out, what was begun may be finished."""
        return self.is_closed or (self.closes_at is not None and now >= self.closes_at)

    def hands_out(self, now: datetime) -> bool:
        """Whether raters get questionnaires at this moment: live, not paused, within its time window."""
        is_running = self.is_live and self.paused_at is None
        return is_running and not self.is_early(now) and not self.is_over(now)

    @property
    def is_frozen(self) -> bool:
        """Closed, and written down as a snapshot: nothing that the analysis depends on changes any more."""
        return self.frozen_at is not None


class PrimaryDeclaration(models.Model):
    """A primary coefficient as it was declared, never changed; without a coefficient it was taken back.

    `ratings` of the `planned` ones were there at that time.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="declarations")
    coefficient = models.CharField(max_length=30, blank=True)
    score = models.CharField(max_length=20, blank=True)
    surrogate = models.CharField(max_length=60, blank=True)
    declared_at = models.DateTimeField()
    declared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    ratings = models.PositiveIntegerField()
    planned = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["batch", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(coefficient="", score="", surrogate="")
                | (~Q(coefficient="") & ~Q(score="") & ~Q(surrogate="")),
                name="declaration_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"primary coefficient of batch {self.batch_id}"

    @property
    def declared(self) -> Declaration:
        """As the library has it."""
        return Declaration(
            coefficient=cast(Coefficient, self.coefficient),
            score=cast(PrimaryScore, self.score),
            surrogate=self.surrogate,
            declared_at=self.declared_at.isoformat(),
            ratings=self.ratings,
            planned=self.planned,
        )

    @property
    def in_words(self) -> str:
        """What was declared, and when."""
        return f"{family_in_words(self.declared)}, declared {when_in_words(self.declared)}"


class Translation(models.Model):
    """The wording of a batch in a further language; what is empty was not written in it."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="translations")
    language = models.CharField(max_length=10)
    question = models.CharField(max_length=300, blank=True)
    low_label = models.CharField(max_length=80, blank=True)
    label_2 = models.CharField(max_length=80, blank=True)
    label_3 = models.CharField(max_length=80, blank=True)
    label_4 = models.CharField(max_length=80, blank=True)
    label_5 = models.CharField(max_length=80, blank=True)
    high_label = models.CharField(max_length=80, blank=True)
    instructions = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "language"], name="translation_language_once")
        ]

    def __str__(self) -> str:
        return f"wording of batch {self.batch_id} in {self.language}"


class Questionnaire(models.Model):
    """One document, one reader pair and a set of systems, to be completed by `slots` distinct raters.

    `taken` of these places are held by somebody. It is counted anew, under the questionnaire's lock, whenever
    one is taken or given back (`survey.rating.places`), so that a free one is found without counting.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="questionnaires")
    number = models.PositiveIntegerField()
    document = models.ForeignKey("corpus.Document", on_delete=models.PROTECT, related_name="+")
    reader_a = models.ForeignKey("corpus.Reader", on_delete=models.PROTECT, related_name="+")
    reader_b = models.ForeignKey("corpus.Reader", on_delete=models.PROTECT, related_name="+")
    slots = models.PositiveSmallIntegerField()
    taken = models.PositiveSmallIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["batch", "number"]
        indexes = [
            models.Index(
                F("batch"),
                F("taken").desc(),
                F("number"),
                condition=Q(taken__lt=F("slots")),
                name="questionnaire_free",
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["batch", "number"], name="questionnaire_number_unique"),
            models.CheckConstraint(condition=Q(slots__gte=1), name="questionnaire_has_slots"),
            models.CheckConstraint(condition=~Q(reader_a=F("reader_b")), name="questionnaire_two_readers"),
        ]

    def __str__(self) -> str:
        return f"questionnaire {self.number} of batch {self.batch_id}"


def scored_items(path: str = "") -> Q:
    """The items that enter scores, tests and counts of ratings; controls do not, whoever reads ratings.

    path: from the rows asked for to their item, such as "placements__item".
    """
    return Q(**{f"{path}__control" if path else "control": ""})


class Item(models.Model):
    """One text pair of a questionnaire: a system's, or the gold pair, or a control, which is neither.

    `texts` says of a control which two texts it shows, each as [document key, system name or GOLD, reader
    key]. `places` says for each slot where its rater meets the pair, as [position from 1, flipped].
    """

    questionnaire = models.ForeignKey(Questionnaire, on_delete=models.CASCADE, related_name="items")
    system = models.ForeignKey(
        "corpus.System", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    control = models.CharField(max_length=10, choices=Control.choices, blank=True)
    texts = models.JSONField(default=list, blank=True)
    places = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["questionnaire", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["questionnaire", "system"], name="item_system_unique"),
            models.UniqueConstraint(
                fields=["questionnaire"], condition=Q(system__isnull=True, control=""), name="item_one_gold"
            ),
            models.UniqueConstraint(
                fields=["questionnaire", "control"], condition=~Q(control=""), name="item_control_unique"
            ),
            models.CheckConstraint(
                condition=Q(control="") | Q(control__in=Control.values, system__isnull=True),
                name="item_control_has_no_system",
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.pk} of questionnaire {self.questionnaire_id}"

    @property
    def is_gold(self) -> bool:
        return self.system_id is None and not self.control

    @property
    def label(self) -> str:
        """What it is, for staff."""
        if self.control:
            return f"Control, {self.get_control_display().lower()}"
        return self.system.name if self.system else "Gold reference"
