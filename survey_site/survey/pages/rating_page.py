"""A questionnaire as its rater is shown it: at its own address, or at once by the form that leads to it."""

import logging

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from survey_site.batches.translations import shown_wording
from survey_site.survey.models import MAX_COMMENT, Assignment, Rater
from survey_site.survey.pages.access import read_shown
from survey_site.survey.pages.examples import page_examples
from survey_site.survey.pages.kept_pages import is_fresh, may_be_kept, show_questionnaire
from survey_site.survey.pages.questionnaire import assignment_view
from survey_site.survey.pages.script_texts import ScriptTexts
from survey_site.survey.queries import rater_progress

AT_ONCE = "at_once"
"""The field that `static/js/at-once.js` sends along, because it can put the address right afterwards."""
log = logging.getLogger(__name__)


def lead_to_questionnaire(
    request: HttpRequest, rater: Rater, claimed: Assignment, *, is_first: bool = False
) -> HttpResponse:
    """The answer to a form by which a rater got this questionnaire.

    Where the page's script asks for it, the questionnaire itself, which spares a request; else its address,
    so that without a script, too, reloading the page does not send the form again. is_first: whether it is
    all that the rater ever claimed, which need not be looked up then.

    The address as well where the database is lost by now: with it goes the cookie without which a newcomer
    who has a place is nobody.
    """
    address = reverse("survey:questionnaire", args=[rater.batch.token, claimed.code])
    try:
        shown = read_shown(rater, claimed.code) if AT_ONCE in request.POST else None
        if shown is None:
            return redirect(address)
        response = show_rating_page(request, shown, address=address, own=(shown,) if is_first else None)
    except (InterfaceError, OperationalError):
        log.warning("A start is answered with an address: its page could not be read.", exc_info=True)
        return redirect(address)
    response["Content-Location"] = address
    return response


def show_rating_page(
    request: HttpRequest,
    assignment: Assignment,
    *,
    missing: tuple[int, ...] = (),
    status: int = 200,
    address: str = "",
    own: tuple[Assignment, ...] | None = None,
) -> HttpResponse:
    """The page of an assignment that was read to be shown.

    missing: positions to point out; address: that of the page, where it is not that of the request; own: all
    that the rater ever claimed, where that is known.
    """
    batch, page = assignment.questionnaire.batch, assignment_view(assignment, missing=missing)
    now = timezone.now()
    progress = rater_progress(assignment.rater, now=now, own=own)
    context = {
        "address": address or request.path,
        "sent_at": f"{now.timestamp():.6f}",
        "batch": batch,
        "assignment": assignment,
        "page": page,
        "progress": progress,
        "number": progress.number_of(assignment),
        "examples": page_examples(batch),
        "wording": shown_wording(batch, get_language()),
        "script_texts": ScriptTexts(len(page.pairs)),
        "read_only": assignment.is_submitted and batch.is_closed,
        "comment": assignment.comment,
        "longest_comment": MAX_COMMENT,
    }
    if may_be_kept(request) and is_fresh(assignment, page):
        return show_questionnaire(request, context)
    return render(request, "survey/questionnaire.html", context, status=status)
