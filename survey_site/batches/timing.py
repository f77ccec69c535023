"""When questionnaires of a batch were completed, and how long people took."""

from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, Count, Func

from survey_site.batches.models import Batch, Item
from survey_site.batches.states import AssignmentState


class Completion(NamedTuple):
    """One completed questionnaire: when, how many answers, and how long it took from claim to submit, pauses
    included. As whole milliseconds, `at_ms` since 1970, because to make moments of very many takes long.
    `took_ms` is None of simulated raters, whose times say nothing."""

    at_ms: int
    answers: int
    took_ms: int | None


class _Plain(Func):
    """A number as the database sends it: asking for each row costs as much as reading it."""

    output_field = BigIntegerField()
    template = "%(expressions)s"

    def get_db_converters(self, _connection: Any) -> list[Any]:
        return []


class _Milliseconds(_Plain):
    """A moment as whole milliseconds since 1970, worked out by the database."""

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "CAST(ROUND((julianday(%(expressions)s) - 2440587.5) * 86400000.0) AS INTEGER)"
        return super().as_sql(compiler, connection, template=template, **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "ROUND(EXTRACT(EPOCH FROM %(expressions)s) * 1000)::bigint"
        return super().as_sql(compiler, connection, template=template, **context)


def completions_of(batch: Batch) -> list[Completion]:
    """Completed questionnaires that hold a place, from the first to the last; moments to the millisecond."""
    rows = (
        batch.questionnaires.filter(assignments__state=AssignmentState.SUBMITTED)
        .order_by("assignments__submitted_at", "assignments__pk")
        .values_list(
            "pk",
            _Plain("assignments__rater__simulated"),
            _Milliseconds("assignments__submitted_at"),
            _Milliseconds("assignments__claimed_at"),
        )
    )
    items = Item.objects.filter(questionnaire__batch=batch).order_by().values("questionnaire")
    answers = dict(items.annotate(count=Count("pk")).values_list("questionnaire", "count"))
    return [
        Completion(at, answers[questionnaire], None if simulated else at - claimed)
        for questionnaire, simulated, at, claimed in rows
    ]


def median_time(completions: Sequence[Completion]) -> str:
    """What the middle one of the people took, such as "2 min 50 s"; empty where no person completed any."""
    times = [one.took_ms for one in completions if one.took_ms is not None]
    if not times:
        return ""
    minutes, seconds = divmod(round(median(times) / 1000), 60)
    return " ".join([f"{minutes} min"] * bool(minutes) + [f"{seconds} s"] * bool(seconds or not minutes))
