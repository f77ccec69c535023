"""Distances from outside as measures, within the piece of work that asked for them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from meta_eval.measures.added import adding
from meta_eval.measures.given import DistanceBook, given_measure
from meta_eval.report.options import measure_id
from survey_site.common.errors import ConflictError
from survey_site.common.locking import locked
from survey_site.corpus.models import Corpus
from survey_site.scoring.given.books import unpack
from survey_site.scoring.models import GivenDistances, ScoreRun

Hashes = Mapping[str, str]
"""By name, the hash of the distances: two pieces of work may use one name for different ones."""


def offered_hashes(corpus: Corpus, specs: Sequence[str]) -> dict[str, str]:
    """Of those measures of a new report that are distances from outside, of this corpus."""
    rows = GivenDistances.objects.filter(
        corpus=corpus, removed_at__isnull=True, name__in=set(map(measure_id, specs))
    )
    return dict(rows.order_by("name").values_list("name", "content_hash"))


def hold(corpus: Corpus, hashes: Hashes) -> None:
    """Keep these distances from being removed until the transaction ends, by when a report rests on them.

    Raises ConflictError where somebody has removed some, or replaced them, since they were chosen.
    """
    rows = locked(GivenDistances.objects.filter(corpus=corpus, removed_at=None, name__in=list(hashes)))
    there = set(rows.order_by("pk").values_list("name", "content_hash"))
    if gone := sorted(set(hashes.items()) - there):
        names = ", ".join(f"“{name}”" for name, _ in gone)
        raise ConflictError(
            f"The distances {names} were removed at this moment.", action="Choose other measures."
        )


def books_of(corpus: Corpus, hashes: Hashes) -> list[DistanceBook]:
    """The distances by name and hash, those that were removed since too; what is gone is left out."""
    rows = GivenDistances.objects.filter(corpus=corpus, name__in=list(hashes)).order_by("name")
    return [
        unpack(name, bytes(book))
        for name, content, book in rows.values_list("name", "content_hash", "book")
        if hashes[name] == content
    ]


@contextmanager
def with_given(corpus: Corpus, hashes: Hashes) -> Iterator[None]:
    """Within the block these distances are measures."""
    if not hashes:
        yield
        return
    with adding(given_measure(book) for book in books_of(corpus, hashes)):
        yield


@contextmanager
def with_given_of(run: ScoreRun) -> Iterator[None]:
    """Within the block the run's measure is there, where it is distances: its signature holds their hash."""
    name = measure_id(run.measure)
    content = str(run.signature.get("revision") or "")
    known = GivenDistances.objects.filter(corpus_id=run.corpus_id, name=name, content_hash=content).exists()
    with with_given(run.corpus, {name: content} if known else {}):
        yield
