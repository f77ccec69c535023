"""Freeze a closed batch: write down once, under one hash, all that an analysis of it depends on.

What is frozen: every rating of a submitted questionnaire (counted, excluded with its reason, or surplus) with
rater, position, side, times and the version of the consent text that its rater agreed to; the plan with the
places of every item; wording and direction of the scale; the corpus' hash; how many questionnaires were left
open or given up.

From then on the batch changes in no way that an analysis could see: nothing is extended, reopened, excluded
or counted again, and what raters still submit is surplus, kept outside. One thing is stronger than freezing:
a person may withdraw. Then the contents of their rows are deleted from the snapshot too; the hash of each row
stays, so the hash of the whole stays true, and pages, reports and the file say how many are gone. Each row
carries a random number (`salt`), so that nobody can find a deleted rating by trying all six values.
"""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch, Questionnaire
from survey_site.batches.states import AssignmentState
from survey_site.common.bulk import store_rows
from survey_site.common.digest import digest
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row
from survey_site.quality.models import FrozenRating, Snapshot
from survey_site.quality.queries import count_states, describe_exclusions, submitted_rows
from survey_site.survey.models import Rater, Rating
from survey_site.survey.rating.changes import Changes, changes_of
from survey_site.survey.rating.copies import describe_copies
from survey_site.survey.rating.marked import count_pairs_not_judged, describe_marks
from survey_site.survey.rating_rows import UNCOUNTED
from survey_site.uploads.queries import plan_of, study_of

SCHEMA, SCHEMA_VERSION = "concord-snapshot", 1
TOLD_EVERY = 10_000


def freeze_batch(
    *,
    batch: Batch,
    clock: Callable[[], datetime],
    by: User | None = None,
    told: Callable[[int], object] | None = None,
) -> Snapshot:
    """The snapshot of a closed batch, written if there is none yet. For good: nothing undoes it.

    The ratings are read before anything is locked, and again under the lock if one of them has changed
    meanwhile. told: called now and then with how many were read, outside the lock. clock: says when it is
    frozen, asked under the lock: nothing that the snapshot holds was submitted later.
    """
    rows = Batch.objects.select_related("corpus").filter(pk=batch.pk)
    batch = rows.get()
    if batch.is_frozen:
        return Snapshot.objects.get(batch=batch)
    require_freezable(batch)
    read = _read_ratings(batch, told)
    with transaction.atomic():
        batch = lock_row(rows)
        if batch.is_frozen:
            return Snapshot.objects.get(batch=batch)
        require_freezable(batch)
        _lock_questionnaires(batch)
        if read.changes != changes_of(batch):
            read = _read_ratings(batch, None)
        now = clock()
        snapshot = _write_snapshot(batch, read.rows, now, by)
        batch.frozen_at = now
        batch.save(update_fields=["frozen_at"])
        detail = {"hash": snapshot.content_hash, "ratings": len(read.rows)}
        record_action(action="batch frozen", subject=batch, by=by, now=now, detail=detail)
        return snapshot


def require_freezable(batch: Batch) -> None:
    """Raises ConflictError for a batch that is not closed, and for one in which nobody has rated."""
    if not batch.is_closed:
        raise ConflictError(
            f"Batch “{batch}” is not closed: raters may still change their answers.",
            action="Close it first.",
        )
    if not submitted_ratings(batch).exists():
        raise ConflictError(
            f"Nobody has submitted a questionnaire of “{batch}”: there is nothing to freeze.",
            action="Plan a new batch.",
        )


def submitted_ratings(batch: Batch) -> "QuerySet[Rating]":
    """All that a snapshot holds, whatever became of it."""
    states = [AssignmentState.SUBMITTED, *UNCOUNTED]
    page = "assignment_item__assignment"
    return Rating.objects.filter(**{f"{page}__questionnaire__batch": batch, f"{page}__state__in": states})


def snapshot_pieces(snapshot: Snapshot) -> Iterator[str]:
    """The snapshot as its JSON file holds it, a rating a line; of a withdrawn one only the hash is left.

    Made as it is read: contents are sent as the database holds them, which is JSON already.
    """
    yield f'{{"content_hash": {_json(snapshot.content_hash)},\n"head": {_json(snapshot.head)},\n'
    yield '"ratings": [\n'
    rows = snapshot.ratings.values_list(Cast("content", TextField()), "row_hash")
    between = ""
    for content, row_hash in rows.iterator():
        yield between + (content or _json({"withdrawn": row_hash}))
        between = ",\n"
    yield "\n]}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def is_intact(snapshot: Snapshot) -> bool:
    """Whether everything that is stored still has the hash under which it was frozen."""
    hashes = []
    rows = snapshot.ratings.values_list("content", "row_hash", "counts", "rater")
    for content, row_hash, counts, rater in rows.iterator():
        if content is not None and digest(content) != row_hash:
            return False
        if counts != _counts(content) or (content and rater != content["rater"]):
            return False
        hashes.append(row_hash)
    return _hash(snapshot.head, hashes) == snapshot.content_hash


def forget_rater(*, rater: Rater, **_signal: object) -> None:
    """Delete what a snapshot holds of somebody who withdraws; in the transaction of the withdrawal."""
    held = FrozenRating.objects.filter(snapshot__batch=rater.batch_id, rater=rater.code)
    held.update(content=None, rater="", counts=False)


def _counts(content: dict[str, Any] | None) -> bool:
    """Answers to controls and what is surplus, marked, excluded or withdrawn are in no score."""
    return content is not None and content["state"] == AssignmentState.SUBMITTED and not content["control"]


def _lock_questionnaires(batch: Batch) -> None:
    """Wait for whoever is submitting, excluding nobody's answer that was acknowledged before."""
    list(Questionnaire.objects.select_for_update().filter(batch=batch).order_by("pk").values_list("pk"))


class _Row(NamedTuple):
    """A rating as it is stored; content is JSON already, of which very many take a tenth of the memory."""

    content: str
    row_hash: str
    rater: str
    counts: bool


@dataclass(frozen=True)
class _Read:
    """The ratings of a batch, and the state of its changes before they were read."""

    changes: Changes
    rows: list[_Row]


def _read_ratings(batch: Batch, told: Callable[[int], object] | None) -> _Read:
    changes, rows = changes_of(batch), []
    for number, plain in enumerate(_plain_rows(batch), start=1):
        row = plain | {"salt": secrets.token_hex(16)}
        rows.append(_Row(json.dumps(row), digest(row), row["rater"], _counts(row)))
        if told and number % TOLD_EVERY == 0:
            told(number)
    return _Read(changes, rows)


def _write_snapshot(batch: Batch, rows: list[_Row], now: datetime, by: User | None) -> Snapshot:
    head = _describe_head(batch, now)
    content_hash = _hash(head, (row.row_hash for row in rows))
    snapshot = Snapshot.objects.create(
        batch=batch, content_hash=content_hash, head=head, frozen_by=by, frozen_at=now
    )
    names = ("snapshot", "number", *_Row._fields)
    store_rows(FrozenRating, names, ((snapshot.pk, number, *row) for number, row in enumerate(rows, start=1)))
    return snapshot


def _hash(head: dict[str, Any], hashes: Iterable[str]) -> str:
    return digest({"head": head, "ratings": list(hashes)})


def _plain_rows(batch: Batch) -> Iterator[dict[str, Any]]:
    for row in submitted_rows(batch):
        yield {
            name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()
        }


def _describe_head(batch: Batch, now: datetime) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "frozen_at": now.isoformat(),
        "launched_at": batch.launched_at.isoformat() if batch.launched_at else None,
        "opens_at": batch.opens_at.isoformat() if batch.opens_at else None,
        "closes_at": batch.closes_at.isoformat() if batch.closes_at else None,
        "closed_at": batch.closed_at.isoformat() if batch.closed_at else None,
        "corpus": {"name": batch.corpus.name, "hash": batch.corpus.content_hash},
        "study": study_of(batch),
        "plan": plan_of(batch),
        "consent_texts": _consent_texts(batch),
        "questionnaires": count_states(batch),
        "exclusions": describe_exclusions(batch),
        "marks": describe_marks(batch),
        "pairs_not_judged": count_pairs_not_judged(batch),
        **({"copies": copies} if (copies := describe_copies(batch)) else {}),
    }


def _consent_texts(batch: Batch) -> list[dict[str, Any]]:
    texts = batch.consent_texts.order_by("language", "version")
    return [{"language": one.language, "version": one.version, "text": one.text} for one in texts]
