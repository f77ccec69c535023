"""Errors that only programs meet, and the way from those of the framework to ours.

The site's middleware makes the answer of each: nothing here does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NoReturn

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404
from rest_framework import exceptions

from meta_eval.errors import InputError, MetaEvalError
from survey_site.common.errors import ApplicationError, InvalidInputError, NotAllowedError, NotFoundError

MALFORMED = "Send what the reference of the operation describes."


class MalformedError(ApplicationError):
    """The request cannot be read."""

    status = HTTPStatus.BAD_REQUEST
    title = "This cannot be read"


class NotAuthenticatedError(ApplicationError):
    """No token, or one that does not work."""

    status = HTTPStatus.UNAUTHORIZED
    title = "A token is needed"
    headers = {"WWW-Authenticate": 'Bearer realm="Concord"'}


class MethodError(ApplicationError):
    """The address takes other methods."""

    status = HTTPStatus.METHOD_NOT_ALLOWED
    title = "Not at this address"

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        super().__init__(f"This address takes no {method}.", action=f"Use {' or '.join(allowed)}.")
        self.headers = {"Allow": ", ".join(allowed)}


class NotAcceptableError(ApplicationError):
    """The answer does not come in the form that is asked for."""

    status = HTTPStatus.NOT_ACCEPTABLE
    title = "Not in this form"


class MediaTypeError(ApplicationError):
    """What was sent is of a type that the address does not take."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    title = "Not of this type"


class PreconditionError(ApplicationError):
    """It has changed since the program looked at it."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "It has changed"


def raise_as_ours(error: Exception, _context: Mapping[str, Any]) -> NoReturn:
    """The framework's handler of exceptions: it hands them on, as ours where they are for whoever asked."""
    ours = as_ours(error)
    if ours is None:
        raise error
    raise ours from error


def as_ours(error: Exception) -> ApplicationError | None:
    """The error as the site's one handler knows it; None for a failure of the code."""
    if isinstance(error, ApplicationError):
        return error
    return _of_values(error) or _of_protocol(error)


def _of_values(error: Exception) -> ApplicationError | None:
    if isinstance(error, exceptions.ValidationError):
        return _invalid(dict(_flat(error.detail)))
    if isinstance(error, ValidationError):
        return _invalid(_by_field(error))
    if isinstance(error, InputError):
        return _invalid(_by_place(error))
    return InvalidInputError(str(error), action=MALFORMED) if isinstance(error, MetaEvalError) else None


def _of_protocol(error: Exception) -> ApplicationError | None:
    return next((make(str(error)) for kind, make in _PROTOCOL.items() if isinstance(error, kind)), None)


_PROTOCOL: Mapping[type[Exception], Callable[[str], ApplicationError]] = {
    Http404: lambda _said: _not_found(),
    exceptions.NotFound: lambda _said: _not_found(),
    PermissionDenied: lambda said: NotAllowedError(said or "This token may not do this."),
    exceptions.NotAcceptable: lambda _said: NotAcceptableError(
        "The answer does not come as any of the types in Accept.",
        action="The reference lists the types of each operation.",
    ),
    exceptions.UnsupportedMediaType: lambda said: MediaTypeError(
        said, action="The reference lists the types that the operation takes."
    ),
    exceptions.ParseError: lambda said: MalformedError(said, action=MALFORMED),
}


def _not_found() -> NotFoundError:
    return NotFoundError("There is no such thing.", action="Ask for the list to see what there is.")


def _invalid(fields: Mapping[str, Sequence[str]]) -> InvalidInputError:
    named = ", ".join(field for field in fields if field)
    message = f"These values do not make sense: {named}." if named else "These values do not make sense."
    return InvalidInputError(message, action="Change what `errors` names, and send it again.", fields=fields)


def _by_place(error: InputError) -> dict[str, list[str]]:
    """By file and line what is wrong there."""
    found: dict[str, list[str]] = {}
    for fault in error.faults:
        place = fault.file if fault.line is None else f"{fault.file}:{fault.line}"
        found.setdefault(place, []).append(fault.message)
    return found


def _by_field(error: ValidationError) -> dict[str, list[str]]:
    if hasattr(error, "error_dict"):
        return {"" if name == "__all__" else name: list(found) for name, found in error.message_dict.items()}
    return {"": list(error.messages)}


def _flat(detail: Any, field: str = "") -> Iterator[tuple[str, list[str]]]:
    """By the path of each field what is wrong with it."""
    if isinstance(detail, Mapping):
        for name, found in detail.items():
            here = "" if name == "non_field_errors" else str(name)
            yield from _flat(found, ".".join(part for part in (field, here) if part))
    elif isinstance(detail, list) and any(isinstance(one, Mapping | list) for one in detail):
        for number, found in enumerate(detail):
            if found:
                yield from _flat(found, f"{field}.{number}")
    else:
        yield field, [str(one) for one in detail] if isinstance(detail, list) else [str(detail)]
