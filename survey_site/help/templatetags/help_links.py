"""Links of pages to the help: `{% help "report-forest" "How sure" %}`, `{% term "ceiling" %}`."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from survey_site.help.links import help_address, term_address

register = template.Library()


@register.simple_tag(name="help")
def help_link(place: str, about: str) -> SafeString:
    """A small link to the part of the help that is about this place of the site."""
    return format_html(
        '<a class="help-link no-print" href="{}">Help<span class="visually-hidden"> on {}</span></a>',
        help_address(place),
        about,
    )


@register.simple_tag
def term(name: str, words: str = "") -> SafeString:
    """A word that leads to the glossary; `words` where the sentence writes it otherwise."""
    return format_html('<a class="term" href="{}">{}</a>', term_address(name), words or name)
