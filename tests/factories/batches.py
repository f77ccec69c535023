"""Batches for tests, made by the services that make real ones."""

from datetime import UTC, datetime
from typing import Any

from survey_site.batches.models import Batch
from survey_site.batches.services import BatchSettings, create_batch, launch_batch
from survey_site.corpus.models import Corpus
from tests.factories.corpus import make_corpus

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def make_batch(*, corpus: Corpus | None = None, launched: bool = True, **settings: Any) -> Batch:
    """A batch over two documents and two systems, in one questionnaire a document, unless told otherwise."""
    corpus = corpus or make_corpus()
    batch = create_batch(
        corpus=corpus, settings=BatchSettings(**({"name": "Pilot"} | settings)), now=NOW, created_by=None
    )
    return launch_batch(batch=batch, now=NOW) if launched else batch
