"""In which of a batch's languages a rater reads: what they chose, else what their browser asks for.

The choice is kept with the rater, so that a personal or a panel link shows it on another device too; for
somebody who has not joined yet it is kept in a cookie that only this survey receives.
"""

from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import activate

from survey_site.batches.models import Batch
from survey_site.common.languages import COOKIE, language, preferred_language
from survey_site.survey.models import Rater
from survey_site.survey.people.identity import COOKIE_SECONDS

READABLE = {"join", "declined", "about", "practice", "leave", "done", "questionnaire"}
"""Pages that can be opened again as they are, to be read in another language."""


def speak(request: HttpRequest, batch: Batch, rater: Rater | None) -> None:
    """Go on in the rater's language; the page's template finds the others that it offers in the request."""
    chosen = rater.language if rater and rater.language in batch.languages else ""
    activate(chosen or preferred_language(request, batch.languages))
    request.offered_languages = [language(code) for code in batch.languages]  # type: ignore[attr-defined]


def keep_language(
    request: HttpRequest, response: HttpResponse, batch: Batch, rater: Rater | None, code: str
) -> None:
    """Remember what a rater chose; what the batch does not offer changes nothing."""
    if code not in batch.languages:
        return
    if rater:
        Rater.objects.filter(pk=rater.pk).update(language=code)
    response.set_cookie(
        COOKIE,
        code,
        max_age=COOKIE_SECONDS,
        path=reverse("survey:join", args=[batch.token]),
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def page_to_return_to(batch: Batch, path: str) -> str:
    """The page on which a language was chosen, if it is one of this survey's that can be opened again."""
    first_page = reverse("survey:join", args=[batch.token])
    if not path.startswith(first_page):
        return first_page
    try:
        name = resolve(path).url_name
    except Resolver404:
        return first_page
    return path if name in READABLE else first_page
