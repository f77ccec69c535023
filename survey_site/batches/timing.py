"""When questionnaires of a batch were completed, and how long people took."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, Count, Func

from survey_site.batches.models import Batch, Item
from survey_site.batches.states import AssignmentState


class Completion(NamedTuple):
    """One completed questionnaire: when, how many answers, and how long it took from claim to submit, pauses
    included. `took` is None of simulated raters, whose times say nothing."""

    at: datetime
    answers: int
    took: timedelta | None


class _Milliseconds(Func):
    """A moment as whole milliseconds since 1970, worked out by the database: reading moments takes far longer
    here."""

    output_field = BigIntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "CAST(ROUND((julianday(%(expressions)s) - 2440587.5) * 86400000.0) AS INTEGER)"
        return super().as_sql(compiler, connection, template=template, **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "ROUND(EXTRACT(EPOCH FROM %(expressions)s) * 1000)::bigint"
        return super().as_sql(compiler, connection, template=template, **context)

    def get_db_converters(self, _connection: Any) -> list[Any]:
        """None: both databases give whole numbers, and asking for each row costs as much as reading it."""
        return []


def completions_of(batch: Batch) -> list[Completion]:
    """Completed questionnaires that hold a place, from the first to the last; moments to the millisecond."""
    rows = (
        batch.questionnaires.filter(assignments__state=AssignmentState.SUBMITTED)
        .order_by("assignments__submitted_at", "assignments__pk")
        .values_list(
            "pk",
            "assignments__rater__simulated",
            _Milliseconds("assignments__submitted_at"),
            _Milliseconds("assignments__claimed_at"),
        )
    )
    items = Item.objects.filter(questionnaire__batch=batch).order_by().values("questionnaire")
    answers = dict(items.annotate(count=Count("pk")).values_list("questionnaire", "count"))
    return [
        Completion(
            datetime.fromtimestamp(at / 1000, UTC),
            answers[questionnaire],
            None if simulated else timedelta(milliseconds=at - claimed),
        )
        for questionnaire, simulated, at, claimed in rows
    ]


def median_time(completions: Sequence[Completion]) -> str:
    """What the middle one of the people took, such as "2 min 50 s"; empty where no person completed any."""
    times = [one.took.total_seconds() for one in completions if one.took is not None]
    if not times:
        return ""
    minutes, seconds = divmod(round(median(times)), 60)
    return " ".join([f"{minutes} min"] * bool(minutes) + [f"{seconds} s"] * bool(seconds or not minutes))
