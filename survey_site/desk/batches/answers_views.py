"""Staff pages of a batch that show the rater's page or raters' answers."""

from typing import cast

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language, override
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import researcher_required
from survey_site.batches.planning import sketch_questionnaire
from survey_site.batches.services import record_export
from survey_site.batches.translations import shown_wording
from survey_site.common.languages import language
from survey_site.common.pagination import paginate
from survey_site.desk.batches.views import get_batch, get_surveyed
from survey_site.survey.exports import MORE, rating_lines
from survey_site.survey.pages.examples import page_examples
from survey_site.survey.pages.questionnaire import sketch_order, sketch_view
from survey_site.survey.queries import withdrawn_placements
from survey_site.survey.rating.comments import comment_lines, comments_of
from survey_site.survey.rating.validators import SCALE


@require_safe
@researcher_required
def preview(request: HttpRequest, pk: int) -> HttpResponse:
    """One questionnaire (?number=, ?language=) in the rater's own template; it sends and stores nothing."""
    batch = get_surveyed(pk)
    wanted = request.GET.get("number", "")
    questionnaire, total, items = sketch_questionnaire(batch, int(wanted) if wanted.isdecimal() else 1)
    order = sketch_order(items, seed=f"{batch.seed}/preview")
    context = {
        "batch": batch,
        "page": sketch_view(questionnaire, order),
        "labels": [item.label for item, _ in order],
        "number": questionnaire.number,
        "total": total,
        "scale": SCALE,
        "languages": [language(code) for code in batch.languages],
        "preview": True,
    }
    wanted = request.GET.get("language", "")
    with override(wanted if wanted in batch.languages else batch.language):
        context["wording"] = shown_wording(batch, get_language())
        context["examples"] = page_examples(batch)
        return render(request, "desk/batches/preview.html", context)


@require_safe
@researcher_required  # type: ignore[arg-type]  # a streamed response is no HttpResponse
def ratings(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """All ratings that count, as CSV.

    ?include=surplus adds those of surplus questionnaires, ?include=excluded those that an admin excluded,
    ?include=withdrawn the rows, without ratings, of people who withdrew; commas join several. A header
    always says how many the last are.
    """
    batch = get_batch(pk)
    include = request.GET.get("include", "").split(",")
    what = " and ".join(["counted", *(one for one in MORE if one in include)])
    record_export(batch=batch, what=what, by=cast(User, request.user), now=timezone.now())
    lines = rating_lines(batch, include=include)
    return StreamingHttpResponse(
        lines,
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="ratings-batch-{batch.pk}.csv"',
            "Concord-Withdrawn-Rows": str(withdrawn_placements(batch).count()),
        },
    )


@never_cache
@require_safe
@researcher_required
def comments(request: HttpRequest, pk: int) -> HttpResponse:
    """What raters remarked, the newest first."""
    batch = get_batch(pk)
    context = {"batch": batch, "page": paginate(request, comments_of(batch), per_page=50)}
    return render(request, "desk/batches/comments.html", context)


@require_safe
@researcher_required  # type: ignore[arg-type]  # a streamed response is no HttpResponse
def comments_csv(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    batch = get_batch(pk)
    record_export(batch=batch, what="comments", by=cast(User, request.user), now=timezone.now())
    return StreamingHttpResponse(
        comment_lines(batch),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="comments-batch-{batch.pk}.csv"'},
    )
