"""What goes wrong between a program and a site: each error says what is wrong, where, and what to do."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from meta_eval.errors import MetaEvalError

_SHOWN = 200
_MARKUP = re.compile(r"(?is)<(style|script|head)\b.*?</\1>|<[^>]*>")
_NOT_OURS = "Look whether this is the site's address: something else answered, such as a proxy before it."


class ClientError(MetaEvalError):
    """Base of all that the client raises."""


class UnreachableError(ClientError):
    """The site did not answer, however often it was asked."""


class JobFailedError(ClientError):
    """A run of scores or a report that was waited for has failed or was cancelled."""


class StillRunningError(ClientError, TimeoutError):
    """A run of scores or a report is not finished after the time for which it was waited."""


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong with one field; of a file the field is `name:line`."""

    field: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem document (RFC 9457) as docs/api.md explains it."""

    status: int
    title: str
    detail: str
    action: str = ""
    type: str = ""
    errors: tuple[FieldProblem, ...] = ()


class ProblemError(ClientError):
    """The site refused: `status`, `detail` (what is wrong), `action` (what to do) and `errors` by field.

    Examples
    --------
    >>> wrong = Problem(status=422, title="Not valid", detail="These values do not make sense: documents.",
    ...     action="Change what `errors` names.", errors=(FieldProblem("documents", "At least 1."),))
    >>> print(ProblemError(wrong))
    422: These values do not make sense: documents.
      documents: At least 1.
    What to do: Change what `errors` names.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.status, self.title, self.detail = problem.status, problem.title, problem.detail
        self.action, self.errors = problem.action, problem.errors
        lines = [f"{self.status}: {self.detail or self.title}"]
        lines += [f"  {one.field}: {one.detail}" if one.field else f"  {one.detail}" for one in self.errors]
        super().__init__("\n".join([*lines, *([f"What to do: {self.action}"] if self.action else [])]))


class TokenError(ProblemError):
    """401: no token, or one that is wrong, over or revoked."""


class NotAllowedError(ProblemError):
    """403: the token lacks the scope, or the role of its owner does."""


class NotFoundError(ProblemError):
    """404: there is no such thing, or the report has no such file."""


class ConflictError(ProblemError):
    """409: the state of things does not allow it."""


class ChangedError(ProblemError):
    """412: it has changed since it was read; nothing was done."""


class InvalidError(ProblemError):
    """422: values or a file that make no sense; `errors` names each."""


_KINDS: Mapping[int, type[ProblemError]] = {
    401: TokenError,
    403: NotAllowedError,
    404: NotFoundError,
    409: ConflictError,
    412: ChangedError,
    422: InvalidError,
}


def problem_error(status: int, content: bytes, text: str) -> ProblemError:
    """The error of a refusal. text: what is shown of a body that is no problem document, as of a proxy."""
    try:
        problem = msgspec.json.decode(content, type=Problem)
    except msgspec.MsgspecError:
        words = " ".join(_MARKUP.sub(" ", text).split())[:_SHOWN]
        title = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Refused"
        told = f"{title}: {words}" if words else title
        problem = Problem(status=status, title=title, detail=told, action=_NOT_OURS)
    return _KINDS.get(problem.status, ProblemError)(problem)
