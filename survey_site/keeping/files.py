"""What is left once rows are gone: files that no row stands for, and distances that no report rests on."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

from meta_eval.corpus import documents as values
from meta_eval.distances.store.distance_store import hash_text
from meta_eval.distances.store.upkeep import forget_texts
from survey_site.corpus.models import Document, Reference, Summary
from survey_site.model_raters.storage import forget_replies
from survey_site.scoring.given.services import forget_unused
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.storage import FOLDER, distance_store

HALF_WRITTEN = timedelta(hours=1)
"""Longer than a process takes to write a file: what was begun before was never finished."""
CHUNK = 500


@dataclass(frozen=True)
class Swept:
    """How many were removed: files of scores per document, shards of kept distances, distances from outside
    that were removed before and kept for reports, and batches whose models' replies were kept.
    """

    contributions: int
    distances: int
    given: int
    replies: int


def sweep(*, now: datetime, distances: bool = True) -> Swept:
    """Remove scores of runs that are gone, removed distances from outside that no report rests on any more,
    replies of models about batches that are gone and, unless told otherwise, kept distances of texts that no
    corpus has.

    Safe at any time: the file of a run that is being computed is known by the run's key, and a shard that
    goes although somebody needs it is computed again.
    """
    given = forget_unused()
    return Swept(_sweep_contributions(now), _sweep_distances() if distances else 0, given, forget_replies())


def _sweep_contributions(now: datetime) -> int:
    folder = Path(settings.CONCORD_DATA_DIR) / FOLDER
    removed = 0
    for some in _chunks(folder):
        known = set(ScoreRun.objects.filter(key__in=[one.stem for one in some]).values_list("key", flat=True))
        for file in some:
            if file.stem not in known:
                file.unlink(missing_ok=True)
                removed += 1
    for file in folder.glob("*/.*.part"):
        with suppress(FileNotFoundError):  # it is whole by now and has its name
            if file.stat().st_mtime < (now - HALF_WRITTEN).timestamp():
                file.unlink()
                removed += 1
    return removed


def _chunks(folder: Path) -> Iterator[list[Path]]:
    names = sorted(folder.glob("*/*.parquet"))
    for start in range(0, len(names), CHUNK):
        yield names[start : start + CHUNK]


def _sweep_distances() -> int:
    return forget_texts(distance_store().files.url, known=set(map(hash_text, _texts())))


def _texts() -> Iterator[str]:
    """Every text that a distance may be from or to, as the library reads it."""
    for title, body in Document.objects.order_by().values_list("title", "body").iterator():
        yield values.Document("", title, body, {}, {}).text
    for model in (Reference, Summary):
        yield from model._default_manager.order_by().values_list("text", flat=True).iterator()
