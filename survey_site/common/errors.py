"""Errors that a user can act on. Services raise them; one middleware turns them into a page or JSON."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class ApplicationError(Exception):
    """Something asked for cannot be done. `message` says what is wrong, `action` what to do about it."""

    status = HTTPStatus.BAD_REQUEST
    title: str | Promise = _("This did not work")
    retry_after: int | None = None
    """After how many seconds it may be tried again, where that is known."""
    headers: Mapping[str, str] = {}
    """Headers of the answer besides."""

    def __init__(
        self, message: str, *, action: str = "", fields: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.action = action
        self.fields = fields or {}
        """What is wrong with each field of what was sent, where it is known; "" for what is of none."""


class InvalidInputError(ApplicationError):
    """Values that were given do not make sense."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = _("Please check what you entered")


class NotAllowedError(ApplicationError):
    """The user may not do this."""

    status = HTTPStatus.FORBIDDEN
    title = _("Not allowed")


class TooLargeError(ApplicationError):
    """More than a page takes. Only staff read it: raters send no files."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "Too large for this page"


class NotFoundError(ApplicationError):
    """What was asked for does not exist."""

    status = HTTPStatus.NOT_FOUND
    title = _("Not found")


class ConflictError(ApplicationError):
    """The state of things does not allow it: already launched, already closed, already full."""

    status = HTTPStatus.CONFLICT
    title = _("Not possible any more")


class PausedError(ApplicationError):
    """It will be possible again, and nothing is lost meanwhile."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = _("Paused for now")


class GoneError(ApplicationError):
    """It existed and is over, as a closed survey."""

    status = HTTPStatus.GONE
    title = _("This is over")
