"""Reads on distances from outside: which a corpus has, and what rests on them."""

from typing import Any

from django.apps import apps
from django.db.models import Q, QuerySet

from survey_site.corpus.models import Corpus
from survey_site.scoring.models import GivenDistances, ScoreRun


def distances_of(corpus: Corpus) -> "QuerySet[GivenDistances]":
    """Those that are offered, without what they hold."""
    rows = GivenDistances.objects.filter(corpus=corpus, removed_at__isnull=True)
    return rows.defer("book").select_related("created_by", "corpus")


def offered_names(rows: "QuerySet[GivenDistances]") -> dict[str, list[str]]:
    """By name, the corpora that have distances of this name among these."""
    rows = rows.filter(removed_at__isnull=True).order_by("name", "corpus__name")
    found: dict[str, list[str]] = {}
    for name, corpus in rows.values_list("name", "corpus__name"):
        found.setdefault(name, []).append(corpus)
    return found


def reports_on(row: GivenDistances) -> "QuerySet[Any]":
    """Reports that use these distances: those that are built, and those that wait."""
    runs = ScoreRun.objects.filter(corpus=row.corpus_id, measure=row.name)
    runs = runs.filter(signature__revision=row.content_hash)
    reports = apps.get_model("reports", "Report")._default_manager
    given = reports.filter(batch__corpus=row.corpus_id, options__has_key="given")
    # compared here: as part of a lookup, a name such as `2024`, `in` or `a__b` would mean something else
    asked = [
        pk
        for pk, hashes in given.order_by().values_list("pk", "options__given")
        if hashes.get(row.name) == row.content_hash
    ]
    found = reports.filter(Q(runs__in=runs) | Q(pk__in=asked))
    return found.select_related("batch").distinct().order_by("pk")
