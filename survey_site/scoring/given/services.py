"""Writes on distances from outside: uploaded whole or not at all, and kept while reports rest on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from meta_eval.corpus.documents import Corpus as CorpusValue
from meta_eval.distances.given import pairs_to_compare
from meta_eval.errors import Fault, InputError
from meta_eval.measures import measure_ids
from meta_eval.measures.given import DistanceBook, hash_of
from meta_eval.measures.plugins import name_fault
from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.primary import declared_by
from survey_site.common.archives import Chosen
from survey_site.common.errors import ConflictError, NotFoundError
from survey_site.common.locking import lock_row, locked
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import load_corpus
from survey_site.scoring.given.books import pack
from survey_site.scoring.given.files import read_distance_files
from survey_site.scoring.given.queries import reports_on
from survey_site.scoring.models import GivenDistances

MAX_SOURCE = 500


@dataclass(frozen=True)
class Read:
    """Distances that were read and checked for a corpus, and are not stored."""

    row: GivenDistances
    book: DistanceBook


@dataclass(frozen=True)
class GivenResult:
    """The distances, and whether this upload stored them or they were there already."""

    row: GivenDistances
    created: bool


def validate_name(name: str) -> str:
    """Raises ValidationError for what is no name of a measure, and for that of another one."""
    if problem := name_fault(name):
        raise ValidationError({"name": f"{problem[:1].upper()}{problem[1:]}."})
    if name in measure_ids():
        raise ValidationError({"name": f"There is a measure called {name!r}; choose another name."})
    return name


def import_distances(
    *, corpus: Corpus, name: str, files: Sequence[Chosen], now: datetime, by: User | None = None
) -> GivenResult:
    """Store distances from outside as a measure of this corpus; the same ones again change nothing.

    Raises InputError with every fault of the files, ValidationError for a name that cannot be used,
    ConflictError where the corpus has other distances of this name, NotFoundError where somebody deletes it
    meanwhile; then nothing is stored.
    """
    return store_distances(read_distances(corpus=corpus, name=name, files=files), now=now, by=by)


def read_distances(*, corpus: Corpus, name: str, files: Sequence[Chosen]) -> Read:
    """The files as distances of this corpus, checked. Raises InputError and ValidationError as the import.

    It takes its time: read before a transaction opens, for on SQLite nobody else writes while one is open.
    """
    validate_name(name)
    value = load_corpus(corpus)
    book = read_distance_files(name, files, value)
    return Read(_describe(corpus, book, files, _coverage(book, value)), book)


def store_distances(read: Read, *, now: datetime, by: User | None = None) -> GivenResult:
    """Store what was read. Raises ConflictError and NotFoundError as the import does."""
    row, corpus = read.row, read.row.corpus
    row.created_at, row.created_by = now, by
    try:
        with transaction.atomic():
            lock_row(Corpus.objects.filter(pk=corpus.pk))
            return _store(row, read.book, now, by)
    except Corpus.DoesNotExist as error:
        raise NotFoundError(
            f"The corpus “{corpus}” was deleted at this moment.", action="Go back to the list of corpora."
        ) from error
    except IntegrityError as error:
        raise ConflictError(
            f"Somebody else stored distances called “{row.name}” for this corpus at this moment.",
            action="Look at the list, then upload the files again.",
        ) from error


def _store(row: GivenDistances, book: DistanceBook, now: datetime, by: User | None) -> GivenResult:
    same = locked(GivenDistances.objects.filter(corpus=row.corpus, name=row.name))
    there = same.filter(removed_at__isnull=True).first()
    if there and there.content_hash == row.content_hash:
        return GivenResult(there, created=False)
    if there:
        raise ConflictError(
            f"This corpus has other distances called “{row.name}”.",
            action="Choose another name, or remove those first.",
        )
    detail = {"name": row.name, "hash": row.content_hash, "pairs": row.pairs, "files": row.source}
    if removed := same.filter(content_hash=row.content_hash).first():
        removed.removed_at = None
        removed.save(update_fields=["removed_at"])
        row = removed
    else:
        row.book = pack(book)
        row.save()
    record_action(action="distances uploaded", subject=row, by=by, now=now, detail=detail)
    return GivenResult(row, created=True)


def _describe(
    corpus: Corpus, book: DistanceBook, files: Sequence[Chosen], coverage: tuple[int, int]
) -> GivenDistances:
    covered, wanted = coverage
    return GivenDistances(
        corpus=corpus,
        name=book.name,
        content_hash=book.digest,
        source=", ".join(file for file, _ in files)[:MAX_SOURCE],
        pairs=len(book.values),
        covered=covered,
        wanted=wanted,
    )


def _coverage(book: DistanceBook, corpus: CorpusValue) -> tuple[int, int]:
    """How many of the pairs of texts that scores ask for have a distance; InputError where none has."""
    pairs = pairs_to_compare(corpus)
    texts = {text for pair in pairs for text in pair}
    numbers = {text: book.numbers.get(hash_of(text), -1) for text in texts}
    first, second = (np.array([numbers[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))
    covered = int((~np.isnan(book.look_up(first, second))).sum())
    if not covered:
        message = (
            f"none of the {len(pairs):,} pairs of texts that scores of this corpus ask for is among them; "
            "texts must be the corpus's own, letter for letter"
        )
        raise InputError([Fault("the files", None, message)])
    return covered, len(pairs)


def remove_distances(*, row: GivenDistances, now: datetime, by: User | None = None) -> bool:
    """Offer these distances no more; returns whether they are gone, not kept for reports on them.

    Raises ConflictError while a batch declares its primary coefficient by them: others of the same name would
    take their place unseen.
    """
    with transaction.atomic():
        row = lock_row(GivenDistances.objects.filter(pk=row.pk))
        _require_undeclared(row)
        reports = [report.pk for report in reports_on(row)]
        detail = {"name": row.name, "hash": row.content_hash, "reports": reports}
        record_action(action="distances removed", subject=row, by=by, now=now, detail=detail)
        if not reports:
            row.delete()
            return True
        row.removed_at = row.removed_at or now
        row.save(update_fields=["removed_at"])
        return False


def _require_undeclared(row: GivenDistances) -> None:
    batches = declared_by(row.corpus, row.name)
    if not batches:
        return
    frozen = [batch for batch in batches if batch.is_frozen]
    raise ConflictError(
        f"“{row.name}” is declared as surrogate of the primary coefficient of "
        f"{', '.join(f'“{batch}”' for batch in batches)}.",
        action="It is frozen and keeps its declaration, so keep these distances."
        if frozen
        else "Declare another primary coefficient there first, or keep these distances.",
    )


def forget_unused() -> int:
    """Delete distances that were removed and kept for reports, once no report rests on them; how many."""
    removed = GivenDistances.objects.filter(removed_at__isnull=False)
    return sum(_forget_unused(pk) for pk in removed.order_by("pk").values_list("pk", flat=True))


def _forget_unused(pk: int) -> bool:
    """Under the lock of the row: somebody may offer it again by uploading the same."""
    with transaction.atomic():
        row = locked(GivenDistances.objects.filter(pk=pk, removed_at__isnull=False)).defer("book").first()
        if row is None or reports_on(row).exists():
            return False
        row.delete()
        return True
