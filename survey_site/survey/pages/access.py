"""Who reaches a rater's page: the batch of its link and the rater of its cookie."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext

from survey_site.batches.models import Batch, Questionnaire
from survey_site.common.errors import NotAllowedError, NotFoundError
from survey_site.common.prepared import Parameter, prepared
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.people.identity import entry_of, read_secret, recognise
from survey_site.survey.people.joining import hash_key
from survey_site.survey.people.languages import speak
from survey_site.survey.people.limits import check_posting
from survey_site.survey.people.presence import require_taking_part
from survey_site.survey.queries import with_free_slot

View = Callable[..., HttpResponse]


@dataclass(frozen=True)
class Visit:
    """Who opens which survey.

    secret: of the cookie, which a personal link gives before anybody joins; rater: None until then.
    sees_free_slot: whether one was free when the batch was read for somebody who only looks; None for others.
    """

    batch: Batch
    secret: str | None
    rater: Rater | None
    sees_free_slot: bool | None = None

    @property
    def entry(self) -> str:
        """By which link the visitor came."""
        return entry_of(self.secret or "")


def rater_page(view: View) -> View:
    """Pass the visit instead of the link's token."""

    @wraps(view)
    def wrapped(request: HttpRequest, token: str, **kwargs: str) -> HttpResponse:
        return view(request, open_visit(request, token), **kwargs)

    return wrapped


def own_page(view: View) -> View:
    """Pass the visit and the visitor's assignment instead of the link's token and the assignment's code.

    Both are read by one statement; only where that finds nothing is it asked what is missing.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, token: str, code: str) -> HttpResponse:
        secret = read_secret(request, token)
        found = _pages.first(key_hash=hash_key(secret), token=token, code=code) if secret else None
        if found is None:
            visit = open_visit(request, token)
            return view(request, visit, find_own_assignment(visit, code))
        visit = _received(request, secret, found.rater, found.rater.batch)
        require_taking_part(found.rater)
        return view(request, visit, _read_together(found, found.rater))

    return wrapped


@prepared
def _pages(key_hash: Parameter, token: Parameter, code: Parameter) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(code=code, rater__key_hash=key_hash, rater__batch__token=token)
    return rows.select_related("rater__batch__participation", *_SHOWN).order_by()


def open_visit(request: HttpRequest, token: str) -> Visit:
    """The visit behind a request: from here on its page speaks the visitor's language.

    What a known visitor posts is counted against their limit.
    """
    secret = read_secret(request, token)
    rater = recognise(secret, token) if secret else None
    if rater:
        return _received(request, secret, rater, rater.batch)
    only_looks = request.method in {"GET", "HEAD"}
    batch = (_batches_looked_at if only_looks else _batches).first(token=token)
    return _received(request, secret, None, batch)


def _received(request: HttpRequest, secret: str | None, rater: Rater | None, batch: Batch | None) -> Visit:
    if batch is None or batch.is_draft:
        raise NotFoundError(
            gettext("There is no survey at this address."),
            action=gettext("Check that all of the link was copied."),
        )
    request.batch = batch  # type: ignore[attr-defined]  # for the page that shows an error
    speak(request, batch, rater)
    if request.method == "POST" and secret:
        check_posting(secret=secret, now=timezone.now())
    return Visit(batch, secret, rater, getattr(batch, "sees_free_slot", None))


def _of_token(token: Parameter) -> QuerySet[Batch]:
    return Batch.objects.filter(token=token).select_related("corpus", "participation").order_by()


_batches = prepared(_of_token)


@prepared
def _batches_looked_at(token: Parameter) -> QuerySet[Batch]:
    """For the first page, which says whether a newcomer would get something: no statement of its own."""
    slots = with_free_slot(Questionnaire.objects.filter(batch=OuterRef("pk")).order_by())
    return _of_token(token).annotate(sees_free_slot=Exists(slots))


def find_own_assignment(visit: Visit, code: str) -> Assignment:
    if visit.rater is None:
        raise NotAllowedError(
            gettext(
                "This page belongs to somebody who joined in another browser, or your browser keeps no "
                "cookies. A cookie that only this survey can read leads you back to your answers."
            ),
            action=gettext("Allow cookies for this site, then open the survey again."),
        )
    require_taking_part(visit.rater)
    assignment = read_shown(visit.rater, code)
    if assignment is None:
        raise NotFoundError(
            gettext("This page is not one of yours."), action=gettext("Open the survey to go on.")
        )
    return assignment


def read_shown(rater: Rater, code: str) -> Assignment | None:
    """The rater's assignment with this code and all that its page shows of it; None if it is not theirs."""
    assignment = _assignments.first(rater=rater.pk, code=code)
    return assignment and _read_together(assignment, rater)


def _read_together(assignment: Assignment, rater: Rater) -> Assignment:
    """The assignment with this rater and their batch, which need not be read again."""
    assignment.rater, assignment.questionnaire.batch = rater, rater.batch
    return assignment


_SHOWN = ("questionnaire__document__corpus",)
"""What a page shows of an assignment."""


@prepared
def _assignments(rater: Parameter, code: Parameter) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(rater=rater, code=code)
    return rows.select_related(*_SHOWN).order_by()
