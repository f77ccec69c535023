"""How often what a submitted page says, or whether it counts, has changed: so that whoever keeps what was
computed of a batch's ratings knows, without reading them, whether it still holds.

Each assignment counts its own changes, in the transaction and under the locks of the change itself, so that
no two raters wait for each other. Counters only grow: equal sums over a batch mean that nothing has changed.
Counted are a submission, another answer on a submitted page, a page that begins or ceases to count, and a
withdrawal; `quality.services` adds exclusions and what undoes them. Answers on a page that is not submitted
count nowhere, and so are no change.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, QuerySet, Sum

from survey_site.batches.models import Batch
from survey_site.survey.models import Assignment

ONE_MORE = {"changes": F("changes") + 1}
"""What every update of a submitted page adds to the columns that it sets."""


@dataclass(frozen=True)
class Changes:
    """submitted: pages that were submitted, whatever became of them; total: changes of all pages."""

    submitted: int
    total: int


def note_change(pages: "QuerySet[Assignment]") -> None:
    """Count a change of these pages that set none of their columns; in the transaction of the change."""
    pages.order_by().update(**ONE_MORE)


def changes_of(batch: Batch, *, until: datetime | None = None) -> Changes:
    """In one statement, whose cost grows with the pages and not with the ratings.

    until: of pages that were submitted till then alone.
    """
    pages = Assignment.objects.filter(questionnaire__batch=batch).order_by()
    if until is not None:
        pages = pages.filter(submitted_at__lte=until)
    found = pages.aggregate(submitted=Count("submitted_at"), total=Sum("changes", default=0))
    return Changes(found["submitted"], found["total"])
