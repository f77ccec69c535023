"""The ratings of a batch, read at one moment and kept under their hash, rater by rater."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from meta_eval.ratings.rating import Rating
from meta_eval.ratings.rows import rating_row, ratings_hash
from survey_site.batches.models import Batch
from survey_site.common.locking import lock_row
from survey_site.scoring import adapters
from survey_site.scoring.models import RatingSet, RatingSetPart
from survey_site.survey.models import Rater
from survey_site.survey.rating.changes import Changes, changes_of

FEW_PAGES = 300
"""With so many submitted pages (1,800 ratings at six a page) ratings are read at once, for whoever asks."""

MOST_READINGS = 3
"""Times that a worker reads ratings while people go on, until none has changed meanwhile."""

PARTS_AT_ONCE = 200


def are_for_workers(changes: Changes) -> bool:
    """Whether the ratings are so many that a worker reads them, and not who asks for what is made of them."""
    return changes.submitted > FEW_PAGES


@dataclass(frozen=True)
class ReadRatings:
    """The ratings of a batch at one moment, their hash, and the state of changes before they were read."""

    changes: Changes
    ratings: Sequence[Rating]
    content_hash: str


def read_ratings(batch: Batch) -> ReadRatings:
    """Nothing is locked: one statement reads them, so they are those of one moment."""
    changes, ratings = changes_of(batch), adapters.ratings_of_batch(batch)
    return ReadRatings(changes, ratings, ratings_hash(ratings))


def read_while_people_go_on(batch: Batch) -> ReadRatings:
    """Before any lock, and again where some have changed meanwhile, but not for ever.

    `record_and_read` then reads only what changed last under the lock for which people who rate may wait.
    """
    read = read_ratings(batch)
    for _ in range(MOST_READINGS - 1):
        if read.changes == changes_of(batch):
            break
        read = read_ratings(batch)
    return read


def record_ratings(*, batch: Batch, now: datetime) -> RatingSet:
    """The batch's ratings as they are now, kept under their hash; the same ratings are kept once."""
    return record_and_read(batch=batch, now=now)[0]


def record_and_read(
    *, batch: Batch, now: datetime, read: ReadRatings | None = None
) -> tuple[RatingSet, Sequence[Rating]]:
    """`record_ratings`, and the ratings.

    Under the batch's lock, which a withdrawal takes too: one that has not ended is not missed, and one that
    comes later finds the set. read: what was read before; it is read again if anything has changed since.
    """
    with transaction.atomic():
        lock_row(Batch.objects.filter(pk=batch.pk))
        if read is None or read.changes != changes_of(batch):
            read = read_ratings(batch)
        rating_set, is_new = RatingSet.objects.get_or_create(
            batch=batch, content_hash=read.content_hash, defaults={"created_at": now}
        )
        # One without parts was stored by a process of the version before while tables were changed.
        if is_new or not (rating_set.withdrawn or rating_set.parts.exists()):
            _store_parts(rating_set, read.ratings)
        return rating_set, read.ratings


def _store_parts(rating_set: RatingSet, ratings: Iterable[Rating]) -> None:
    rows: dict[str, list[Any]] = {}
    for rating in ratings:
        rows.setdefault(rating.rater, []).append(rating_row(rating))
    parts = (
        RatingSetPart(rating_set=rating_set, rater=rater, count=len(given), ratings=given)
        for rater, given in rows.items()
    )
    RatingSetPart.objects.bulk_create(parts, batch_size=PARTS_AT_ONCE)


def forget_rater(*, rater: Rater, **_signal: object) -> None:
    """Delete a withdrawing rater's ratings from what scores were computed from; their number stays.

    The caller holds the batch's lock. No set is read, however large it is.
    """
    parts = RatingSetPart.objects.filter(rating_set__batch=rater.batch_id, rater=rater.code)
    for key, rating_set, count in parts.values_list("pk", "rating_set", "count"):
        RatingSet.objects.filter(pk=rating_set).update(withdrawn=F("withdrawn") + count)
        RatingSetPart.objects.filter(pk=key).delete()
