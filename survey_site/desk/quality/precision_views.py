"""The page that says what a batch will buy."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.raters.precision import Assumptions
from survey_site.accounts.permissions import reader_required
from survey_site.batches.models import Batch
from survey_site.common.errors import InvalidInputError
from survey_site.desk.lookup import get_batch
from survey_site.desk.quality.forms import PrecisionForm
from survey_site.desk.quality.precision_plot import advise, plot_widths
from survey_site.quality.precision import compare_options

IN_WORDS: Coefficient = "kendall"
"""The coefficient that a report's answer goes by: the one that is drawn, and spoken of."""


@require_safe
@reader_required
def precision(request: HttpRequest, pk: int) -> HttpResponse:
    """A table of designs under the assumptions in the query; nothing is stored."""
    batch = get_batch(pk)
    given = request.GET if "correlation" in request.GET else asdict(Assumptions())
    form = PrecisionForm(given, user=request.user)
    context = {"batch": batch, "form": form, **(_compare(batch, form) if form.is_valid() else {})}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "desk/quality/precision.html", context, status=status)


def _compare(batch: Batch, form: PrecisionForm) -> dict[str, Any]:
    try:
        assumptions = form.assumptions()
        options = compare_options(batch, assumptions, rate=form.cleaned_data["rate"])
    except InvalidInputError as error:
        form.add_error(None, f"{error.message} {error.action}")
        return {}
    in_order = [IN_WORDS, *(name for name in COEFFICIENTS if name != IN_WORDS)]
    tables = [(name, [(one, one.precision[name], one.power[name]) for one in options]) for name in in_order]
    return {
        "assumptions": assumptions,
        "options": options,
        "table": tables[0],
        "further": tables[1:],
        "in_words": IN_WORDS,
        "plot": plot_widths(options, IN_WORDS),
        "advice": advise(options, IN_WORDS),
    }
