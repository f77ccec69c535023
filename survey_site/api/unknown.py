"""Names that an operation does not know are refused: what is misspelt would else be left out in silence.

What an operation knows is what its schema says: the parameters and the body named in `extend_schema`, and of
lists the filters and pages.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer, Field, Serializer

WITH_BODY = ("POST", "PATCH")


def refuse_unknown_query(view: Any, request: Request) -> None:
    """Raises ValidationError for each parameter of the address that the operation does not have."""
    names, _ = _known(view)
    _refuse(dict(_unknown_names(request.query_params, names, "parameter")))


def refuse_unknown_fields(view: Any, request: Request) -> None:
    """Raises ValidationError by path for each field of the body that the operation does not have.

    An operation without a body knows no field. Files are no fields.
    """
    if request.method not in WITH_BODY:
        return
    _, body = _known(view)
    if body is None:
        _refuse(dict(_unknown_names(_names(request.data), (), "field")))
    elif isinstance(body, type) and issubclass(body, BaseSerializer):
        _refuse(dict(_unknown_fields(body(), request.data)))


def _refuse(unknown: dict[str, list[str]]) -> None:
    if unknown:
        raise ValidationError(unknown)


def _unknown_fields(
    field: Field[Any, Any, Any, Any], sent: Any, at: str = ""
) -> Iterator[tuple[str, list[str]]]:
    """By path what is unknown in a field's value, at any depth."""
    if isinstance(field, Serializer) and isinstance(sent, Mapping):
        known = {name: one for name, one in field.fields.items() if not one.read_only}
        yield from _unknown_names(sent, known, "field", at)
        for name in known.keys() & sent.keys():
            yield from _unknown_fields(known[name], sent[name], f"{at}{name}.")
    elif isinstance(sent, list) and (child := getattr(field, "child", None)):
        for number, one in enumerate(sent):
            yield from _unknown_fields(child, one, f"{at}{number}.")


def _unknown_names(
    sent: Iterable[str], known: Iterable[str], what: str, at: str = ""
) -> Iterator[tuple[str, list[str]]]:
    names = sorted(known)
    for name in sent:
        if name in names:
            continue
        nearest = get_close_matches(name, names, n=1)
        other = f"; did you mean {nearest[0]}?" if nearest else "." if names else "; it takes none."
        yield f"{at}{name}", [f"There is no such {what}{other}"]


def _names(sent: Any) -> Iterable[str]:
    return sent if isinstance(sent, Mapping) else ["body"] if sent else ()


_KNOWN: dict[tuple[type, str], tuple[frozenset[str], Any]] = {}
"""By view and method the names of the query, and the shape of the body; read once."""


def _known(view: Any) -> tuple[frozenset[str], Any]:
    method = "GET" if view.request.method == "HEAD" else str(view.request.method)
    key = type(view), method
    if key not in _KNOWN:
        said = getattr(getattr(view, method.lower()), "kwargs", {})
        if "schema" not in said:
            return frozenset(), None
        schema = said["schema"]()
        schema.view = view
        body = schema.get_request_serializer() if method in WITH_BODY else None
        _KNOWN[key] = frozenset(_query_names(schema, view, method)), body
    return _KNOWN[key]


def _query_names(schema: Any, view: Any, method: str) -> Iterator[str]:
    for one in schema.get_override_parameters():
        if not isinstance(one, OpenApiParameter):
            yield from one().fields
        elif one.location == OpenApiParameter.QUERY:
            yield one.name
    if method == "GET" and (pages := getattr(view, "pagination_class", None)):
        yield from (pages.page_size_query_param, pages.cursor_query_param)
        yield from view.filterset_class.base_filters if view.filterset_class else ()
