"""What a report gives to take away, for its page."""

from typing import Any

from django import template

from meta_eval.publish.figures.drawing import drawable_figures
from meta_eval.publish.figures.style import FIGURE_TYPES
from meta_eval.publish.tables import table_names

register = template.Library()


@register.inclusion_tag("reports/_take_away.html", takes_context=True)
def take_away(context: dict[str, Any]) -> dict[str, Any]:
    """The downloads of the report of the page, with the figures of the scores that it shows."""
    result, view = context["result"], context["view"]
    return {
        "request": context["request"],
        "report": context["report"],
        "figures": drawable_figures(result, view),
        "forms": list(FIGURE_TYPES),
        "tables": table_names(result),
    }
