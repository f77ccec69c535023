"""The ratings of a batch as rows, in plan order: what exports, scores and checks of raters are made from."""

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django.db.models import Count, F, IntegerField, Q, QuerySet, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

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
    A pair that was not shown says in `copied_from` where the pair of the same two texts stood, whose
    answer it has; it has no place and no side of its own.
    What an uploaded file does not say of `UPLOADED_COLUMNS` is None.
    """
    ratings = _submitted_ratings(batch, further)
    if not controls:
        ratings = ratings.filter(scored_items(f"{_PLACEMENT}__item"))
    ratings = ratings.exclude(_COUNTS) if excluded else ratings.filter(_COUNTS)
    yield from _records(batch, ratings.values_list(*map(_read, _COLUMNS, _COLUMNS.values())).iterator())


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


def _records(batch: Batch, rows: Iterable[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """The rows, in the order of RATING_COLUMNS, as `rating_rows` tells them.

    Written out, because there are very many: this takes a quarter of the time of pairing names and values.
    """
    unknown = _unknown_columns(batch)
    for (
        document,
        system,
        one,
        other,
        rater,
        rating,
        number,
        place,
        flipped,
        simulated,
        submitted,
        state,
        control,
        copied,
    ) in rows:
        record = {
            "doc_id": document,
            "system": "" if control else system or GOLD,
            "reader_a": "" if control else one,
            "reader_b": "" if control else other,
            "rater": rater,
            "rating": rating,
            "questionnaire": number,
            "position": None if copied else place,  # nobody saw a copied pair
            "flipped": None if copied else bool(flipped),
            "simulated": bool(simulated),
            "submitted_at": _moment(submitted),
            "state": state,
            "control": control,
            "copied_from": copied,
        }
        yield record | unknown if unknown else record


def _unknown_columns(batch: Batch) -> dict[str, None]:
    """What an uploaded file does not say."""
    known: Container[str] | None = getattr(getattr(batch, "upload", None), "known", None)
    return {} if known is None else {column: None for column in UPLOADED_COLUMNS if column not in known}


class _Plain(Cast):
    """As the plain text or number that the database sends: to make moments and truths of each takes longer
    than all else, and a moment stands in as many rows as its page has pairs.
    """

    def get_db_converters(self, _connection: Any) -> list[Any]:
        return []


def _read(column: str, path: str) -> Combinable:
    if column == "submitted_at":
        return _Plain(path, TextField())
    return _Plain(path, IntegerField()) if column in ("flipped", "simulated") else F(path)


@lru_cache(maxsize=1024)
def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


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
    "copied_from",
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
            f"{_PLACEMENT}__same_as__position",
        ),
        strict=True,
    )
)


def withdrawn_rows(batch: Batch) -> Iterator[dict[str, Any]]:
    """What people who withdrew had submitted, controls too: as in `rating_rows`, with None for a rating.

    Also pairs that they had said they cannot judge: nothing tells these from the others any more.
    """
    columns = [
        Value(None, IntegerField())
        if path == "value"
        else _read(column, path.removeprefix(f"{_PLACEMENT}__"))
        for column, path in _COLUMNS.items()
    ]
    yield from _records(batch, withdrawn_placements(batch).values_list(*columns).iterator())


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
