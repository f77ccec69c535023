"""Whether pages of a batch mention language models."""

from django import template

from survey_site.batches.models import Batch
from survey_site.model_raters.queries import configured_models, knows_models

register = template.Library()


@register.filter
def mentions_models(batch: Batch) -> bool:
    """One is configured, or one has rated the batch; nothing of a draft is rated."""
    return not batch.is_draft and knows_models(batch)


@register.simple_tag
def models_are_configured() -> bool:
    return bool(configured_models())
