"""What pages of other apps show of how people take part: they name a tag and need not know this app."""

from typing import Any

from django import template

from survey_site.batches.models import Batch
from survey_site.common.languages import language
from survey_site.survey.people.participation import read_participation, unwritten_parts

register = template.Library()


@register.inclusion_tag("desk/batches/_link.html", takes_context=True)
def link_for_raters(context: dict[str, Any], batch: Batch, link: str) -> dict[str, Any]:
    """How raters of a live batch get in, with what an admin has to send them."""
    return {"batch": batch, "link": link, "participation": read_participation(batch), "user": context["user"]}


@register.inclusion_tag("desk/batches/_taking_part.html")
def taking_part(batch: Batch) -> dict[str, Any]:
    """Who may take part and what raters read, for a last look before the launch."""
    unwritten = [
        (language(code).english_name, parts)
        for code in batch.languages
        if (parts := unwritten_parts(batch, code))
    ]
    return {"batch": batch, "participation": read_participation(batch), "unwritten": unwritten}
