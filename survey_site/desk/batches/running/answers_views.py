"""What raters of a batch answered and remarked: ratings to take away, comments to read."""

from typing import cast

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required
from survey_site.batches.services import record_export
from survey_site.common.csvfile import in_blocks
from survey_site.common.pagination import paginate
from survey_site.desk.lookup import get_batch
from survey_site.survey.exports import described_export, rating_lines
from survey_site.survey.rating.comments import comments_of
from survey_site.survey.rating_rows import withdrawn_placements


@require_safe
@reader_required  # type: ignore[arg-type]  # a streamed response is no HttpResponse
def ratings(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """All ratings that count, as CSV.

    ?include=surplus adds those of surplus questionnaires, ?include=marked those of questionnaires with a pair
    that their rater could not judge, ?include=excluded those that an admin excluded, ?include=withdrawn the
    rows, without ratings, of people who withdrew, whether they had rated these pairs or could not judge them;
    commas join several. A header always says how many the last are.
    """
    batch = get_batch(pk)
    include = request.GET.get("include", "").split(",")
    what = described_export(include)
    record_export(batch=batch, what=what, by=cast(User, request.user), now=timezone.now())
    return StreamingHttpResponse(
        in_blocks(rating_lines(batch, include=include)),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="ratings-batch-{batch.pk}.csv"',
            "Concord-Withdrawn-Rows": str(withdrawn_placements(batch).count()),
        },
    )


@require_safe
@reader_required
def comments(request: HttpRequest, pk: int) -> HttpResponse:
    """What raters remarked, the newest first."""
    batch = get_batch(pk)
    context = {"batch": batch, "page": paginate(request, comments_of(batch), per_page=50)}
    return render(request, "desk/batches/comments.html", context)
