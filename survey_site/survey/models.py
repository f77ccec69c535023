"""What raters do: how they take part, who they are to us, which questionnaire they hold, what they answered.

The cap of a questionnaire lives in these constraints: numbered slots, unique per questionnaire, between 1
and its number of raters; one assignment per rater and questionnaire; one open assignment per rater.
"""

import secrets

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from survey_site.batches.states import AssignmentState

MAX_COMMENT = 1000
MAX_CHOICE = 100
MAX_FACT = 300
MAX_REASON = 300


def make_code() -> str:
    """A new opaque name for something a rater's browser may see, 96 random bits."""
    return secrets.token_urlsafe(12)


def make_rater_code(*, simulated: bool = False) -> str:
    """A new pseudonym for exports; random, so that it tells neither the person nor the order of joining."""
    return f"{'sim' if simulated else 'r'}-{secrets.token_hex(5)}"


class Entry(models.TextChoices):
    """By which link somebody came, and which links a batch asks for."""

    OPEN = "open", "Anybody who has the link"
    INVITATION = "invitation", "Only people with a personal link"
    PANEL = "panel", "People sent by a panel, and people with a personal link"


class Participation(models.Model):
    """How people take part in one batch. A batch without a row takes part by the defaults below."""

    batch = models.OneToOneField("batches.Batch", on_delete=models.CASCADE, related_name="participation")
    questions = models.JSONField(default=list, blank=True)
    fields_of_study = models.TextField(blank=True)
    age_bands = models.TextField(blank=True)
    entry = models.CharField(max_length=10, choices=Entry.choices, default=Entry.OPEN)
    panel_parameter = models.CharField(max_length=50, default="PROLIFIC_PID")
    practice = models.BooleanField(default=False)
    asks_name = models.BooleanField(default=False)
    researchers = models.CharField(max_length=MAX_FACT, blank=True)
    contact = models.CharField(max_length=MAX_FACT, blank=True)
    approval = models.CharField(max_length=MAX_FACT, blank=True)
    kept_for = models.CharField(max_length=MAX_FACT, blank=True)
    limit = models.PositiveSmallIntegerField(null=True, blank=True)
    completed_code = models.CharField(max_length=100, blank=True)
    no_place_code = models.CharField(max_length=100, blank=True)
    partial_code = models.CharField(max_length=100, blank=True)
    failed_code = models.CharField(max_length=100, blank=True)
    failed_controls = models.PositiveSmallIntegerField(null=True, blank=True)
    return_address = models.CharField(max_length=300, blank=True)
    invitations = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(entry__in=Entry.values), name="entry_known"),
            models.CheckConstraint(condition=Q(limit__isnull=True) | Q(limit__gte=1), name="limit_positive"),
            models.CheckConstraint(
                condition=Q(failed_controls__isnull=True, failed_code="")
                | (Q(failed_controls__isnull=False, failed_controls__gte=1) & ~Q(failed_code="")),
                name="failed_code_with_its_rule",
            ),
        ]

    def __str__(self) -> str:
        return f"participation in batch {self.batch_id}"


class ConsentText(models.Model):
    """A wording of what people agree to, never changed: a new wording is a new version in its language."""

    batch = models.ForeignKey("batches.Batch", on_delete=models.CASCADE, related_name="consent_texts")
    language = models.CharField(max_length=10)
    version = models.PositiveIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["batch", "language", "version"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "language", "version"], name="consent_version_unique"),
            models.CheckConstraint(condition=Q(version__gte=1), name="consent_version_from_1"),
        ]

    def __str__(self) -> str:
        return f"consent text {self.version} of batch {self.batch_id}"


class PairUse(models.TextChoices):
    EXAMPLE = "example", "Worked example"
    PRACTICE = "practice", "Practice pair"


class ExamplePair(models.Model):
    """Two texts with which an admin explains the scale: rated `low` to `high` as similarity, and why."""

    batch = models.ForeignKey("batches.Batch", on_delete=models.CASCADE, related_name="example_pairs")
    language = models.CharField(max_length=10)
    use = models.CharField(max_length=10, choices=PairUse.choices)
    position = models.PositiveSmallIntegerField()
    left = models.TextField()
    right = models.TextField()
    low = models.PositiveSmallIntegerField()
    high = models.PositiveSmallIntegerField()
    why = models.TextField()

    class Meta:
        ordering = ["batch", "language", "use", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "language", "use", "position"], name="example_position_unique"
            ),
            models.CheckConstraint(condition=Q(use__in=PairUse.values), name="example_use_known"),
            models.CheckConstraint(
                condition=Q(low__gte=1, low__lte=F("high"), high__lte=6), name="example_on_the_scale"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.use} {self.position} of batch {self.batch_id} in {self.language}"


class Rater(models.Model):
    """A person (or a simulated one) in one batch, known by a secret that only their cookie holds."""

    batch = models.ForeignKey("batches.Batch", on_delete=models.CASCADE, related_name="people")
    code = models.CharField(max_length=20, unique=True, default=make_rater_code, editable=False)
    key_hash = models.CharField(max_length=64)
    name = models.CharField(max_length=100, blank=True)
    simulated = models.BooleanField(default=False)
    entry = models.CharField(max_length=10, choices=Entry.choices, default=Entry.OPEN, editable=False)
    language = models.CharField(max_length=10, blank=True)
    created_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    browsers = models.PositiveIntegerField(default=1, editable=False)  # in which a panel's link was opened

    class Meta:
        ordering = ["batch", "created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["batch", "key_hash"], name="rater_key_unique"),
            models.CheckConstraint(condition=Q(entry__in=Entry.values), name="rater_entry_known"),
        ]

    def __str__(self) -> str:
        return self.code


class Consent(models.Model):
    """That a person agreed, to which wording and when. Simulated raters have none."""

    rater = models.OneToOneField(Rater, on_delete=models.CASCADE, related_name="consent")
    text = models.ForeignKey(ConsentText, on_delete=models.PROTECT, related_name="consents")
    given_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"consent of {self.rater_id} to {self.text_id}"


class BackgroundAnswer(models.Model):
    """What a person says of themselves, only ever shown as totals. An empty choice is "prefer not to say"."""

    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="background")
    question = models.CharField(max_length=20)
    choice = models.CharField(max_length=MAX_CHOICE, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rater", "question"], name="background_question_once")]

    def __str__(self) -> str:
        return f"{self.question} of {self.rater_id}"


class Assignment(models.Model):
    """One rater's claim of one questionnaire; see `rating.services` for how its state changes."""

    questionnaire = models.ForeignKey(
        "batches.Questionnaire", on_delete=models.CASCADE, related_name="assignments"
    )
    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="assignments")
    slot = models.PositiveSmallIntegerField(null=True, blank=True)
    slots = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=20, unique=True, default=make_code, editable=False)
    state = models.CharField(max_length=10, choices=AssignmentState.choices, default=AssignmentState.OPEN)
    claimed_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    comment = models.CharField(max_length=MAX_COMMENT, blank=True)
    commented_at = models.DateTimeField(null=True, blank=True)
    comment_tab = models.CharField(max_length=32, blank=True)  # as of a rating: see `rating.turns`
    comment_turn = models.BigIntegerField(default=0)
    changes = models.PositiveIntegerField(default=0, editable=False)  # see `rating.changes`

    class Meta:
        ordering = ["questionnaire", "pk"]
        indexes = [models.Index(fields=["state", "expires_at"], name="assignment_state_until")]
        constraints = [
            models.UniqueConstraint(fields=["questionnaire", "slot"], name="assignment_slot_unique"),
            models.UniqueConstraint(fields=["questionnaire", "rater"], name="assignment_rater_unique"),
            models.UniqueConstraint(
                fields=["rater"], condition=Q(state=AssignmentState.OPEN), name="assignment_one_open"
            ),
            models.CheckConstraint(
                condition=Q(slot__isnull=True) | (Q(slot__gte=1) & Q(slot__lte=F("slots"))),
                name="assignment_slot_in_range",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[AssignmentState.OPEN, AssignmentState.SUBMITTED], slot__isnull=False)
                | Q(
                    state__in=[
                        AssignmentState.EXPIRED,
                        AssignmentState.SURPLUS,
                        AssignmentState.MARKED,
                        AssignmentState.WITHDRAWN,
                    ],
                    slot__isnull=True,
                ),
                name="assignment_slot_matches_state",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=[AssignmentState.SUBMITTED, AssignmentState.SURPLUS, AssignmentState.MARKED],
                    submitted_at__isnull=False,
                )
                | Q(state__in=[AssignmentState.OPEN, AssignmentState.EXPIRED], submitted_at__isnull=True)
                | Q(state=AssignmentState.WITHDRAWN),
                name="assignment_submitted_at_matches_state",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def is_submitted(self) -> bool:
        return self.state in {AssignmentState.SUBMITTED, AssignmentState.SURPLUS, AssignmentState.MARKED}


class AssignmentItem(models.Model):
    """An item as one rater meets it: its position, which text is on the left, and an opaque code.

    same_as: the pair of the same two texts that is shown instead, where the batch shows equal pairs once.
    Such an item is not shown, stands behind all that are, and gets whatever is answered to that pair.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="placements")
    item = models.ForeignKey("batches.Item", on_delete=models.CASCADE, related_name="placements")
    position = models.PositiveSmallIntegerField()
    flipped = models.BooleanField()
    same_as = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="copies", editable=False
    )
    code = models.CharField(max_length=20, unique=True, default=make_code, editable=False)

    class Meta:
        ordering = ["assignment", "position"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "item"], name="placement_item_unique"),
            models.UniqueConstraint(fields=["assignment", "position"], name="placement_position_unique"),
        ]

    def __str__(self) -> str:
        return self.code


class Rating(models.Model):
    """The answer that stands, one row an item and rater; earlier ones are in `RatingHistory`."""

    assignment_item = models.OneToOneField(AssignmentItem, on_delete=models.CASCADE, related_name="rating")
    value = models.PositiveSmallIntegerField()
    tab = models.CharField(max_length=32, blank=True)  # `rating.turns` says what these two are for
    turn = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(value__gte=1, value__lte=6), name="rating_value_1_to_6")
        ]

    def __str__(self) -> str:
        return f"{self.value} for {self.assignment_item_id}"


class MarkReason(models.TextChoices):
    """Why a rater cannot judge a pair; the last one says so in the rater's own words."""

    CUT_OFF = "cut-off", _("A text is missing or cut off")
    LANGUAGE = "language", _("It is not in a language that I read")
    UNCLEAR = "unclear", _("I do not understand it")
    OTHER = "other", _("Another reason")


class Mark(models.Model):
    """That a rater cannot judge an item, and why; it stands where a rating else would, never beside it."""

    assignment_item = models.OneToOneField(AssignmentItem, on_delete=models.CASCADE, related_name="mark")
    reason = models.CharField(max_length=10, choices=MarkReason.choices)
    words = models.CharField(max_length=MAX_REASON, blank=True)
    tab = models.CharField(max_length=32, blank=True)  # as of a rating
    turn = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(reason__in=MarkReason.values), name="mark_reason_known"),
            models.CheckConstraint(
                condition=Q(words="") | Q(reason=MarkReason.OTHER), name="mark_words_of_another_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reason} for {self.assignment_item_id}"


class RatingHistory(models.Model):
    """Every answer an item was given, in order, the standing one last: a value, or why there can be none."""

    assignment_item = models.ForeignKey(AssignmentItem, on_delete=models.CASCADE, related_name="history")
    value = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=10, choices=MarkReason.choices, blank=True)
    words = models.CharField(max_length=MAX_REASON, blank=True)
    recorded_at = models.DateTimeField()

    class Meta:
        ordering = ["assignment_item", "pk"]
        verbose_name_plural = "rating histories"
        constraints = [
            models.CheckConstraint(
                condition=Q(value__isnull=False, value__gte=1, value__lte=6, reason="")
                | Q(value__isnull=True, reason__in=MarkReason.values),
                name="history_value_1_to_6_or_mark",
            )
        ]

    def __str__(self) -> str:
        return f"{self.value or self.reason} for {self.assignment_item_id} at {self.recorded_at}"
