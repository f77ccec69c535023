"""Who reaches a rater's page: the batch of its link and the rater of its cookie."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext

from survey_site.batches.models import Batch
from survey_site.common.errors import NotAllowedError, NotFoundError
from survey_site.common.prepared import Parameter, prepared
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.people.identity import entry_of, recognise
from survey_site.survey.people.languages import speak
from survey_site.survey.people.limits import check_posting
from survey_site.survey.people.presence import require_taking_part

View = Callable[..., HttpResponse]


@dataclass(frozen=True)
class Visit:
    """Who opens which survey.

    secret: of the cookie, which a personal link gives before anybody joins; rater: None until then.
    """

    batch: Batch
    secret: str | None
    rater: Rater | None

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


def open_visit(request: HttpRequest, token: str) -> Visit:
    """The visit behind a request: from here on its page speaks the visitor's language.

    What a known visitor posts is counted against their limit.
    """
    secret, rater = recognise(request, token)
    batch = rater.batch if rater else _batches.first(token=token)
    if batch is None or batch.is_draft:
        raise NotFoundError(
            gettext("There is no survey at this address."),
            action=gettext("Check that all of the link was copied."),
        )
    request.batch = batch  # type: ignore[attr-defined]  # for the page that shows an error
    speak(request, batch, rater)
    if request.method == "POST" and secret:
        check_posting(secret=secret, now=timezone.now())
    return Visit(batch, secret, rater)


@prepared
def _batches(token: Parameter) -> QuerySet[Batch]:
    return Batch.objects.filter(token=token).select_related("corpus", "participation").order_by()


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
    assignment = _assignments.first(rater=visit.rater.pk, code=code)
    if assignment is None:
        raise NotFoundError(
            gettext("This page is not one of yours."), action=gettext("Open the survey to go on.")
        )
    assignment.rater, assignment.questionnaire.batch = visit.rater, visit.batch  # as they were just read
    return assignment


@prepared
def _assignments(rater: Parameter, code: Parameter) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(rater=rater, code=code)
    return rows.select_related("questionnaire__document__corpus").order_by()
