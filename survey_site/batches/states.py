"""States shared by the plan (batches) and by what raters do with it (survey)."""

from django.db import models

from meta_eval.ratings.rating import SCALES


class BatchStatus(models.TextChoices):
    DRAFT = "draft", "Draft"
    LIVE = "live", "Live"
    CLOSED = "closed", "Closed"


class Scale(models.TextChoices):
    """What a rating of 6 means (protocol, section 6)."""

    SIMILARITY = "similarity", SCALES["similarity"]
    DISSIMILARITY = "dissimilarity", SCALES["dissimilarity"]


class Control(models.TextChoices):
    """Items that check raters and enter no score; an ordinary item is none of them."""

    IDENTICAL = "identical", "Identical: one text twice"
    UNRELATED = "unrelated", "Unrelated: texts on two documents"


class AssignmentState(models.TextChoices):
    """Where one rater stands with one questionnaire; `survey.rating.services` moves it.

    Only OPEN and SUBMITTED hold a slot, and only SUBMITTED counts in the main analysis. MARKED is submitted
    too, with a pair among its pairs that its rater could not judge (`survey.rating.marks`).
    """

    OPEN = "open", "In progress"
    SUBMITTED = "submitted", "Submitted"
    EXPIRED = "expired", "Expired"
    SURPLUS = "surplus", "Surplus"
    MARKED = "marked", "Submitted with marks"
    WITHDRAWN = "withdrawn", "Withdrawn"
