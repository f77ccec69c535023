"""What raters remark on a questionnaire in their own words: kept with it, shown to staff, never scored."""

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from survey_site.batches.models import Batch
from survey_site.batches.states import AssignmentState
from survey_site.common.csvfile import csv_line
from survey_site.survey.models import MAX_COMMENT, Assignment
from survey_site.survey.people.presence import lock_rater
from survey_site.survey.rating.turns import Turn
from survey_site.survey.rating.validators import plain_lines

COMMENT_COLUMNS = ("questionnaire", "doc_id", "rater", "simulated", "state", "commented_at", "comment")


def save_comment(*, assignment: Assignment, text: str, now: datetime, turn: Turn | None = None) -> None:
    """Store a remark, the last one given; an empty one takes it back. What is too long is cut.

    One that arrives after a later one of the same tab changes nothing. Under the rater's lock, so that none
    is left behind by a withdrawal at the same moment.
    """
    text = plain_lines(text).strip()[:MAX_COMMENT]
    with transaction.atomic():
        lock_rater(assignment.rater_id)
        row = Assignment.objects.filter(pk=assignment.pk)
        stands = row.get()
        if turn and turn.precedes(stands.comment_tab, stands.comment_turn):
            return
        changed = {"comment": text, "commented_at": now if text else None} if text != stands.comment else {}
        row.update(**changed, comment_tab=turn.tab if turn else "", comment_turn=turn.number if turn else 0)


def comments_of(batch: Batch) -> QuerySet[Assignment]:
    """Questionnaires with a remark, the newest first, with what staff want to see beside it."""
    return (
        Assignment.objects.filter(questionnaire__batch=batch)
        .exclude(comment="")
        .exclude(state=AssignmentState.WITHDRAWN)
        .select_related("rater", "questionnaire__document")
        .order_by("-commented_at", "-pk")
    )


def comment_lines(batch: Batch) -> Iterator[str]:
    """The remarks as CSV, in the order of the monitor."""
    yield csv_line(COMMENT_COLUMNS)
    for one in comments_of(batch):
        yield csv_line(
            (
                one.questionnaire.number,
                one.questionnaire.document.key,
                one.rater.code,
                one.rater.simulated,
                one.state,
                one.commented_at,
                one.comment,
            )
        )
