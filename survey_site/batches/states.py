"""States shared by the plan (batches) and by what raters do with it (survey)."""

from django.db import models


class BatchStatus(models.TextChoices):
    DRAFT = "draft", "Draft"
    LIVE = "live", "Live"
    CLOSED = "closed", "Closed"


class Scale(models.TextChoices):
    """What a rating of 6 means (protocol, section 6)."""

    SIMILARITY = "similarity", "Similarity: 1 is very low, 6 is very high"
    DISSIMILARITY = "dissimilarity", "Dissimilarity: 1 is very similar, 6 is very dissimilar"


class Control(models.TextChoices):
    """Items that check raters and enter no score; an ordinary item is none of them."""

    IDENTICAL = "identical", "Identical: one text twice"
    UNRELATED = "unrelated", "Unrelated: texts on two documents"


class AssignmentState(models.TextChoices):
    """Where one rater stands with one questionnaire; `survey.rating.services` moves it.

    Only OPEN and SUBMITTED hold a slot, and only SUBMITTED counts in the main analysis.
    """

    OPEN = "open", "In progress"
    SUBMITTED = "submitted", "Submitted"
    EXPIRED = "expired", "Expired"
    SURPLUS = "surplus", "Surplus"
    WITHDRAWN = "withdrawn", "Withdrawn"
