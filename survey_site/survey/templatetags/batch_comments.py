"""What pages of other apps show of raters' remarks: they name a tag and need not know this app."""

from typing import Any

from django import template

from survey_site.batches.models import Batch
from survey_site.survey.rating.comments import comments_of

register = template.Library()

LATEST = 3


@register.inclusion_tag("desk/batches/_comments.html")
def latest_comments(batch: Batch) -> dict[str, Any]:
    """The newest few remarks and how many there are."""
    comments = comments_of(batch)
    return {"batch": batch, "comments": comments[:LATEST], "total": comments.count()}
