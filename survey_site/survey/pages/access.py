"""Who reaches a rater's page: the batch of its link, the rater of its cookie, and errors as pages."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from survey_site.batches.models import Batch
from survey_site.common.errors import ApplicationError, NotAllowedError, NotFoundError
from survey_site.survey.models import Assignment
from survey_site.survey.people.identity import find_rater, read_secret
from survey_site.survey.people.languages import speak
from survey_site.survey.people.limits import TooManyRequestsError, check_posting
from survey_site.survey.queries import find_assignment
from survey_site.survey.rating.leaving import require_taking_part

Response = TypeVar("Response", bound=HttpResponse)
View = Callable[..., HttpResponse]


def rater_page(view: View) -> View:
    """Pass the batch of the link instead of its token, keep the page out of caches, show errors."""

    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, token: str, **kwargs: str) -> HttpResponse:
        batch = None
        try:
            batch = open_batch(request, token)
            return view(request, batch, **kwargs)
        except ApplicationError as error:
            context = {"error": error, "batch": batch}
            page = render(request, "survey/error.html", context, status=error.status)
            return with_retry(page, error)

    return wrapped


def open_batch(request: HttpRequest, token: str) -> Batch:
    """The batch of a link, whose page from here on speaks the rater's language."""
    batch = find_batch(token)
    speak(request, batch)
    check_request(request, batch)
    return batch


def check_request(request: HttpRequest, batch: Batch) -> None:
    """Count what a known rater posts against their limit."""
    secret = read_secret(request, batch)
    if request.method == "POST" and secret:
        check_posting(secret=secret, now=timezone.now())


def with_retry(response: Response, error: ApplicationError) -> Response:
    if isinstance(error, TooManyRequestsError):
        response["Retry-After"] = str(error.retry_after)
    return response


def find_batch(token: str) -> Batch:
    batch = Batch.objects.filter(token=token).select_related("corpus").first()
    if batch is None or batch.is_draft:
        raise NotFoundError(
            gettext("There is no survey at this address."),
            action=gettext("Check that all of the link was copied."),
        )
    return batch


def find_own_assignment(request: HttpRequest, batch: Batch, code: str) -> Assignment:
    rater = find_rater(request, batch)
    if rater is None:
        raise NotAllowedError(
            gettext(
                "This page belongs to somebody who joined in another browser, or your browser keeps no "
                "cookies. A cookie that only this survey can read leads you back to your answers."
            ),
            action=gettext("Allow cookies for this site, then open the survey again."),
        )
    require_taking_part(rater)
    assignment = find_assignment(rater, code)
    if assignment is None:
        raise NotFoundError(
            gettext("This page is not one of yours."), action=gettext("Open the survey to go on.")
        )
    return assignment
