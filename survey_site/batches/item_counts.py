"""How many pairs of each system a batch asks about, and how many ratings of them count."""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, F, Q

from survey_site.batches.models import Batch, Item
from survey_site.batches.states import AssignmentState


@dataclass(frozen=True)
class SystemCount:
    """Items of one system and the ratings they have that count; system None is the gold reference.

    control: the kind, where it is no system's but checks raters.
    """

    system: str | None
    items: int
    ratings: int
    wanted: int
    control: str = ""

    @property
    def percent(self) -> float:
        return 100 * self.ratings / self.wanted if self.wanted else 0.0


def count_items(batch: Batch) -> list[SystemCount]:
    """The gold reference first, then systems in the corpus' order, controls among the former."""
    counts = _counted_ratings(batch) if getattr(batch, "upload", None) else _counted_pages(batch)
    return [
        SystemCount(system, items, ratings, items * batch.raters, control)
        for control, system, items, ratings in counts
    ]


def _counted_pages(batch: Batch) -> list[tuple[str, str | None, int, int]]:
    """Of a page that is completed here every pair that is not marked is rated: ratings need not be read."""
    with connection.cursor() as cursor:
        cursor.execute(_BY_PAGES, {"batch": batch.pk, "submitted": AssignmentState.SUBMITTED.value})
        return [(control, system, items, int(ratings)) for control, system, items, ratings in cursor]


def _counted_ratings(batch: Batch) -> list[tuple[str, str | None, int, int]]:
    """An uploaded page need not hold all pairs of its questionnaire."""
    rated = Q(
        placements__rating__isnull=False,
        placements__assignment__state=AssignmentState.SUBMITTED,
        placements__assignment__exclusion=None,
        placements__assignment__rater__exclusion=None,
    )
    rows = (
        Item.objects.filter(questionnaire__batch=batch)
        .values("control", "system__name", "system__position")
        .annotate(items=Count("pk", distinct=True), ratings=Count("placements__rating", filter=rated))
        .order_by(F("system__position").asc(nulls_first=True), "control")
    )
    return [(row["control"], row["system__name"], row["items"], row["ratings"]) for row in rows]


_PAGES_THAT_COUNT = """
    SELECT page.id, page.questionnaire_id FROM survey_assignment page
    JOIN batches_questionnaire asked ON asked.id = page.questionnaire_id
    LEFT JOIN quality_exclusion of_page ON of_page.assignment_id = page.id
    LEFT JOIN quality_exclusion of_rater ON of_rater.rater_id = page.rater_id
    WHERE asked.batch_id = %(batch)s AND page.state = %(submitted)s
        AND of_page.id IS NULL AND of_rater.id IS NULL
"""
_BY_PAGES = f"""
    WITH counted AS ({_PAGES_THAT_COUNT}),
    met AS (SELECT questionnaire_id, COUNT(*) AS pages FROM counted GROUP BY questionnaire_id),
    marked AS (
        SELECT placement.item_id, COUNT(*) AS marks FROM survey_mark mark
        JOIN survey_assignmentitem placement ON placement.id = mark.assignment_item_id
        JOIN counted ON counted.id = placement.assignment_id
        GROUP BY placement.item_id
    ),
    summed AS (
        SELECT item.control, item.system_id, COUNT(*) AS items,
            SUM(COALESCE(met.pages, 0) - COALESCE(marked.marks, 0)) AS ratings
        FROM batches_item item
        JOIN batches_questionnaire questionnaire ON questionnaire.id = item.questionnaire_id
        LEFT JOIN met ON met.questionnaire_id = questionnaire.id
        LEFT JOIN marked ON marked.item_id = item.id
        WHERE questionnaire.batch_id = %(batch)s
        GROUP BY item.control, item.system_id
    )
    SELECT summed.control, system.name, summed.items, summed.ratings FROM summed
    LEFT JOIN corpus_system system ON system.id = summed.system_id
    ORDER BY system.position NULLS FIRST, summed.control
"""  # noqa: S608
