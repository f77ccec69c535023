"""What pages of other apps show of a batch's quality: they name a tag and need not know this app."""

from typing import Any

from django import template
from django.utils import timezone

from survey_site.batches.models import Batch
from survey_site.quality.queries import snapshot_of
from survey_site.quality.watching import quality_so_far

register = template.Library()

ASKED = "quality"
"""Parameter of a page that asks for numbers that cost time; without scripts a link sets it."""


@register.inclusion_tag("desk/quality/_frozen.html")
def frozen_batch(batch: Batch) -> dict[str, Any]:
    """Date, author and hash of a frozen batch's snapshot; nothing for any other."""
    return {"batch": batch, "snapshot": snapshot_of(batch) if batch.is_frozen else None}


@register.inclusion_tag("desk/quality/_so_far.html", takes_context=True)
def quality_now(context: dict[str, Any], batch: Batch) -> dict[str, Any]:
    """Agreement and flags where they are known already or asked for: a page never waits for them unasked."""
    request = context["request"]
    found = quality_so_far(batch, now=timezone.now(), compute=ASKED in request.GET)
    return {"batch": batch, "so_far": found, "request": request}
