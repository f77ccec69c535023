"""`{% keeping_menu report %}`: what can be done with the whole of a thing, for who may do it."""

from typing import Any

from django import template
from django.template.context import Context

from survey_site.keeping.archiving import may_archive
from survey_site.keeping.things import Thing, kind_of, may_remove_thing

register = template.Library()


@register.inclusion_tag("keeping/_menu.html", takes_context=True)
def keeping_menu(context: Context, thing: Thing) -> dict[str, Any]:
    """A menu of its own; nothing for who may do none of it."""
    return _offers(context, thing)


@register.inclusion_tag("keeping/_items.html", takes_context=True)
def keeping_items(context: Context, thing: Thing) -> dict[str, Any]:
    """The same as entries of a menu that is there."""
    return _offers(context, thing)


@register.inclusion_tag("keeping/_archived.html")
def archived_notice(thing: Thing) -> dict[str, Any]:
    """That it is archived, where it is."""
    return {"thing": thing}


def _offers(context: Context, thing: Thing) -> dict[str, Any]:
    return {
        "thing": thing,
        "kind": kind_of(thing),
        "offered": may_archive(thing) and may_remove_thing(context["user"], thing),
        "csrf_token": context.get("csrf_token"),
    }
