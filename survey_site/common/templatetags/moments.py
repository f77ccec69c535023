"""Times on staff pages: in the site's zone, which they name, and in the reader's own where scripts run."""

from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from survey_site.common.moments import in_words

register = template.Library()


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    """A `time` element such as "22 November 2026, 17:03 (UTC)"; `moments.js` turns it to the reader's zone.

    None is a dash.
    """
    if value is None:
        return "–"
    return format_html('<time datetime="{}" data-moment>{}</time>', value.isoformat(), in_words(value))
