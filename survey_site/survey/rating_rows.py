"""The ratings of a batch as rows, in plan order: what exports, scores and checks of raters are made from."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from django.db.models import Count, F, IntegerField, Q, QuerySet, Value

from survey_site.batches.models import Batch, scored_items
from survey_site.batches.states import AssignmentState
from survey_site.survey.models import AssignmentItem, Rating

GOLD = "user"  # the gold reference's name in every file format (protocol 11)
UNCOUNTED = (AssignmentState.SURPLUS, AssignmentState.MARKED)
"""What is submitted and holds no place: its ratings are kept and do not count."""


def rating_rows(
    batch: Batch, *, further: Collection[str] = (), excluded: bool = False, controls: bool = False
) -> Iterator[dict[str, Any]]:
    """One dict a rating of the submitted questionnaires of a batch, in plan order, from one query.

    reader_a, reader_b are as planned, whichever text stood first (`flipped`). further: which of `UNCOUNTED`
    come too, and say so in `state`: surplus questionnaires, submitted after their slots were taken, and those
    with marks. What an admin excluded is left out; with `excluded` it is what comes, instead of all else.
    Control items come only with `controls`, under their kind in `control` and with no system and no readers.
    What an uploaded file does not say of `UPLOADED_COLUMNS` is None.
    """
    ratings = _submitted_ratings(batch, further)
    if not controls:
        ratings = ratings.filter(scored_items(f"{_PLACEMENT}__item"))
    ratings = ratings.exclude(_COUNTS) if excluded else ratings.filter(_COUNTS)
    for row in ratings.values_list(*_COLUMNS.values(), _KNOWN).iterator():
        yield _record(row)


def count_pairs_by_ratings(batch: Batch) -> dict[int, int]:
    """How many of the systems' pairs have 1, 2, ... ratings that count, fewest first.

    Pairs that nobody rated are in none of these, nor are gold pairs.
    """
    counted = _submitted_ratings(batch).filter(
        _COUNTS, scored_items(f"{_PLACEMENT}__item"), **{f"{_PLACEMENT}__item__system__isnull": False}
    )
    pair = (
        f"{_QUESTIONNAIRE}__document",
        f"{_PLACEMENT}__item__system",
        f"{_QUESTIONNAIRE}__reader_a",
        f"{_QUESTIONNAIRE}__reader_b",
    )
    ratings = counted.order_by().values(*pair).annotate(ratings=Count("pk"))
    return dict(sorted(Counter(ratings.values_list("ratings", flat=True)).items()))


def _record(row: Sequence[Any]) -> dict[str, Any]:
    *values, known = row
    record = dict(zip(_COLUMNS, values, strict=True))
    if known is not None:
        record |= {column: None for column in UPLOADED_COLUMNS if column not in known}
    if record["control"]:
        return record | dict.fromkeys(("system", "reader_a", "reader_b"), "")
    return record | {"system": record["system"] or GOLD}


RATING_COLUMNS = (
    "doc_id",
    "system",
    "reader_a",
    "reader_b",
    "rater",
    "rating",
    "questionnaire",
    "position",
    "flipped",
    "simulated",
    "submitted_at",
    "state",
    "control",
)
UPLOADED_COLUMNS = ("position", "flipped", "submitted_at")
"""Columns that ratings from elsewhere may lack; `Upload.known` says which they have."""

_PLACEMENT = "assignment_item"
_ASSIGNMENT = f"{_PLACEMENT}__assignment"
_QUESTIONNAIRE = f"{_ASSIGNMENT}__questionnaire"
_COLUMNS = dict(
    zip(
        RATING_COLUMNS,
        (
            f"{_QUESTIONNAIRE}__document__key",
            f"{_PLACEMENT}__item__system__name",
            f"{_QUESTIONNAIRE}__reader_a__key",
            f"{_QUESTIONNAIRE}__reader_b__key",
            f"{_ASSIGNMENT}__rater__code",
            "value",
            f"{_QUESTIONNAIRE}__number",
            f"{_PLACEMENT}__position",
            f"{_PLACEMENT}__flipped",
            f"{_ASSIGNMENT}__rater__simulated",
            f"{_ASSIGNMENT}__submitted_at",
            f"{_ASSIGNMENT}__state",
            f"{_PLACEMENT}__item__control",
        ),
        strict=True,
    )
)
_KNOWN = f"{_QUESTIONNAIRE}__batch__upload__known"


def withdrawn_rows(batch: Batch) -> Iterator[dict[str, Any]]:
    """What people who withdrew had submitted, controls too: as in `rating_rows`, with None for a rating.

    Also pairs that they had said they cannot judge: nothing tells these from the others any more.
    """
    paths = [
        Value(None, IntegerField()) if path == "value" else F(path.removeprefix(f"{_PLACEMENT}__"))
        for path in (*_COLUMNS.values(), _KNOWN)
    ]
    for row in withdrawn_placements(batch).values_list(*paths).iterator():
        yield _record(row)


def withdrawn_placements(batch: Batch) -> QuerySet[AssignmentItem]:
    """One row for each pair on a page that was submitted before its rater withdrew.

    Ratings and marks are deleted, so that a pair which was marked, and never rated, is among them, and so are
    the pairs of pages that filled no place.
    """
    return AssignmentItem.objects.filter(
        assignment__questionnaire__batch=batch,
        assignment__state=AssignmentState.WITHDRAWN,
        assignment__submitted_at__isnull=False,
    ).order_by("assignment__questionnaire__number", "assignment__pk", "position")


_COUNTS = Q(**{f"{_ASSIGNMENT}__exclusion": None, f"{_ASSIGNMENT}__rater__exclusion": None})


def _submitted_ratings(batch: Batch, further: Collection[str] = ()) -> QuerySet[Rating]:
    states = [AssignmentState.SUBMITTED, *further]
    return Rating.objects.filter(
        **{f"{_QUESTIONNAIRE}__batch": batch, f"{_ASSIGNMENT}__state__in": states}
    ).order_by(f"{_QUESTIONNAIRE}__number", f"{_ASSIGNMENT}__pk", f"{_PLACEMENT}__position")
