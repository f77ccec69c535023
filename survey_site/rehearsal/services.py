"""A rehearsal from beginning to end: batch, raters, trouble, checks."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from math import ceil, comb
from threading import Event, Thread

from django.db import connection

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.corpus.jsonl import read_jsonl
from survey_site.batches.models import Batch
from survey_site.batches.services import BatchSettings, create_batch, launch_batch
from survey_site.common.errors import ConflictError
from survey_site.corpus.services import import_corpus
from survey_site.demo.services import CORPUS_FILE, CORPUS_NAME
from survey_site.rehearsal.chaos import cause_chaos
from survey_site.rehearsal.crowd import Crowd
from survey_site.rehearsal.findings import Evidence
from survey_site.rehearsal.invariants import check_invariants
from survey_site.rehearsal.record import Outcome, Setting
from survey_site.rehearsal.scripts import plan_scripts
from survey_site.rehearsal.site import WebServer
from survey_site.rehearsal.snapshot import read_snapshot
from survey_site.survey.models import Entry
from survey_site.survey.people.participation import read_participation

PLACES_PER_RATER = 1.5
RATERS = 2  # of a questionnaire
QUESTIONNAIRES_PER_PAIR = 2  # the demo corpus has ten systems, a questionnaire five
CONTROL_SHARE = 50  # per cent of the questionnaires; so pages differ in length too
Say = Callable[[str], None]
Tick = Callable[[int, int], None]
"""Called now and then with the questionnaires submitted and those to be."""


def make_rehearsal_batch(*, raters: int, seed: int, now: datetime) -> Batch:
    """A live batch of the demo corpus with fewer places than the raters could take, so that they run out."""
    corpus = read_jsonl(CORPUS_FILE)
    pairs = ceil(raters * PLACES_PER_RATER / RATERS / QUESTIONNAIRES_PER_PAIR)
    documents, reader_pairs = _size(corpus, pairs)
    row = import_corpus(corpus=corpus, name=CORPUS_NAME, source="jsonl", language="en", now=now).corpus
    wanted = BatchSettings(
        name="Rehearsal",
        documents=documents,
        reader_pairs=reader_pairs,
        seed=seed,
        raters=RATERS,
        identical_share=CONTROL_SHARE,
        unrelated_share=CONTROL_SHARE,
    )
    return launch_batch(batch=create_batch(corpus=row, settings=wanted, now=now), now=now)


def _size(corpus: Corpus, pairs: int) -> tuple[int, int]:
    """Documents and reader pairs of each that make so many pairs in all, or as many as the corpus has."""
    available = [_reader_pairs(document) for document in corpus.documents]
    documents = {each: sum(one >= each for one in available) for each in range(1, max(available) + 1)}
    for each, most in documents.items():
        if each * most >= pairs:
            return ceil(pairs / each), each
    each = max(documents, key=lambda one: one * documents[one])
    return documents[each], each


def _reader_pairs(document: Document) -> int:
    """Pairs of readers for whom every system wrote a summary."""
    written = [set(document.references), *(set(texts) for texts in document.summaries.values())]
    return comb(len(set.intersection(*written)), 2)


def check_batch(batch: Batch) -> Batch:
    """Refuse a batch that is not live, not open to all, or that somebody works at."""
    if not batch.is_live:
        raise ConflictError(
            f"Batch {batch.pk} is {batch.status}, not live.", action="Launch one to rehearse."
        )
    if read_participation(batch).entry != Entry.OPEN:
        raise ConflictError(
            f"Batch {batch.pk} lets in only whom it knows; scripted raters come by the open link.",
            action="Launch a batch with an open link.",
        )
    if people := batch.people.count():
        raise ConflictError(
            f"Batch {batch.pk} has {people} raters already; made-up answers would mix with theirs.",
            action="Launch a batch for the rehearsal alone.",
        )
    return batch


def rehearse(
    *,
    batch: Batch,
    address: str,
    raters: int,
    seed: int,
    server: WebServer | None,
    chaos: bool,
    say: Say,
    tick: Tick,
) -> Outcome:
    """Let the raters loose on the site, then hold what they remember against the database and the pages."""
    scripts = plan_scripts(raters=raters, seed=seed)
    crowd = Crowd(scripts, batch, address)
    places = sum(batch.questionnaires.values_list("slots", flat=True))
    started = time.monotonic()
    say(f"{raters} raters for {places} places")
    with _chaos(server if chaos else None, crowd, seed, places, say):
        crowd.perform(lambda: tick(len(crowd.logbook.submitted), places))
    seconds = time.monotonic() - started
    say("Everybody comes back, and the invariants are checked")
    crowd.come_back()
    snapshot = read_snapshot(batch)
    verdict = check_invariants(Evidence(snapshot, crowd.logbook))
    setting = Setting(raters, seed, chaos, connection.vendor, server.processes if server else None)
    return Outcome(setting, scripts, crowd.logbook, snapshot, verdict, seconds)


@contextmanager
def _chaos(server: WebServer | None, crowd: Crowd, seed: int, places: int, say: Say) -> Iterator[None]:
    """Chaos as long as the block runs; a restart that has begun is finished, so the server is up then."""
    if server is None:
        yield
        return
    arguments = {"server": server, "logbook": crowd.logbook, "seed": seed, "places": places, "say": say}
    over = Event()
    thread = Thread(target=cause_chaos, kwargs=arguments | {"stop": over})
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
