"""What do staff's pages cost the web process where a batch has very many ratings?

    python -m tests.benchmarks.staff_pages --questionnaires 10000 --raters 500
    DATABASE_URL=postgres://... python -m tests.benchmarks.staff_pages

A batch of six pairs a questionnaire and two raters each (120,000 ratings by default) is written in bulk into
a database of its own. Every page is then read by somebody who is logged in, in this process: first without
kept findings of quality, then with them; then the batch is frozen, and the pages about its snapshot are read
before and after a worker has checked it. Printed for each: seconds of the processor, which other programs on
the machine disturb little, the statements sent, the size of the answer, and what the process' memory has
grown by since the start, after the page. What workers do is printed apart.
"""

import argparse
import gc
import os
import resource
import secrets
import sys
import time
import traceback
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from tests.benchmarks.own_site import own_site

PAIRS, PLACES = 6, 2
MEGABYTE = 1024 * 1024


def fill(questionnaires: int, raters: int, *, now: datetime) -> Any:
    """A live batch of so many questionnaires, all rated but one: a tenth of the raters at random."""
    from survey_site.batches.models import Questionnaire
    from survey_site.survey.models import AssignmentItem, Rating
    from tests.factories.batches import make_batch
    from tests.factories.corpus import make_corpus

    readers = 5
    pairs = readers * (readers - 1) // 2
    corpus = make_corpus(documents=-(-questionnaires // pairs), readers=readers, systems=PAIRS - 1)
    batch = make_batch(corpus=corpus, readers=readers, systems_per_questionnaire=PAIRS - 1, raters=PLACES)
    people = _raters(batch, raters, now)
    rows = list(Questionnaire.objects.filter(batch=batch).order_by("number").prefetch_related("items"))
    pages = _pages(rows[:-1], people, now)
    placements = [
        AssignmentItem(assignment=page, item=item, position=place, flipped=bool((page.pk + place) % 2))
        for page in pages
        for place, item in enumerate(page.questionnaire.items.all(), 1)
    ]
    AssignmentItem.objects.bulk_create(placements, batch_size=5000)
    chance = Random(1)
    Rating.objects.bulk_create(
        (
            Rating(assignment_item=one, value=_value(one, chance), created_at=now, updated_at=now)
            for one in placements
        ),
        batch_size=5000,
    )
    return batch


def _raters(batch: Any, count: int, now: datetime) -> list[Any]:
    from survey_site.survey.models import Rater

    people = [Rater(batch=batch, key_hash=secrets.token_hex(32), created_at=now) for _ in range(count)]
    return Rater.objects.bulk_create(people, batch_size=5000)


def _pages(rows: list[Any], people: list[Any], now: datetime) -> list[Any]:
    from survey_site.batches.models import Questionnaire
    from survey_site.batches.states import AssignmentState
    from survey_site.survey.models import Assignment

    chance, pages = Random(2), []
    for number, row in enumerate(rows):
        for slot in range(1, PLACES + 1):
            rater = people[(number * PLACES + slot) % len(people)]
            end = now + timedelta(seconds=number)
            page = Assignment(questionnaire=row, rater=rater, slot=slot, slots=row.slots, submitted_at=end)
            page.state, page.expires_at = AssignmentState.SUBMITTED, end
            page.claimed_at = end - timedelta(seconds=chance.randint(20, 900))
            pages.append(page)
    Assignment.objects.bulk_create(pages, batch_size=5000)
    Questionnaire.objects.filter(batch=rows[0].batch_id, number__lte=rows[-1].number).update(taken=PLACES)
    return pages


def _value(placement: Any, chance: Random) -> int:
    if placement.assignment.rater_id % 10 == 0:
        return chance.randint(1, 6)
    return max(1, min(6, 1 + placement.item_id % 6 + chance.randint(-1, 1)))


class Reader:
    """Reads pages as somebody who is logged in, and notes what each costs."""

    def __init__(self, statements: list[str]) -> None:
        from django.test import Client

        from survey_site.accounts.models import User

        self._client, self._statements = Client(), statements
        self._client.force_login(User.objects.create_user("reader", role="admin"))
        self._before = memory()

    def read(self, name: str, address: str) -> None:
        self._statements.clear()
        start = time.process_time()
        answer = self._client.get(address)
        if answer.status_code != 200:  # it would be a cheap page
            raise SystemExit(f"{name} ({address}) was answered with status {answer.status_code}.")
        size = sum(map(len, answer)) if answer.streaming else len(answer.content)
        took = time.process_time() - start
        del answer
        gc.collect()
        print_line(
            f"{name:28} {took:7.2f} s {len(self._statements):4} statements {size / MEGABYTE:7.2f} MB sent"
            f" {memory() - self._before:+7.0f} MB held"
        )


def memory() -> float:
    """What the process holds now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / MEGABYTE


def print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def measure(questionnaires: int, raters: int) -> None:
    from django.conf import settings
    from django.db import connection
    from django.utils import timezone

    from survey_site.batches.models import Batch

    settings.ALLOWED_HOSTS = ["testserver"]
    # What filling takes is not to count as what pages hold.
    apart("filling", lambda: fill(questionnaires, raters, now=timezone.now() - timedelta(days=1)))
    batch = Batch.objects.get()
    print_line(f"{connection.vendor}: {questionnaires * PLACES * PAIRS:,} ratings of {raters} raters")
    statements: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        statements.append(sql)
        return execute(sql, *arguments)

    with connection.execute_wrapper(note):
        reader = Reader(statements)
        reader.read("what is made once", PAGES[0][1])
        print_line("Before anything was found out:")
        read_all(reader, batch)
        apart("a worker that reads the ratings", find_out)
        print_line("Once a worker has read the ratings:")
        read_all(reader, batch)
        apart("closing and freezing", freeze)
        print_line("Once it is frozen:")
        read_frozen(reader, batch)
        apart("a worker that checks the snapshot", check)
        print_line("Once a worker has checked the snapshot:")
        read_frozen(reader, batch)


def apart(name: str, work: Callable[[], Any]) -> None:
    """What is done in a process of its own."""
    from django.db import connections

    connections.close_all()
    if not (child := os.fork()):
        try:
            start = time.process_time()
            work()
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print_line(f"{name}: {time.process_time() - start:.1f} s, at most {most:.0f} MB")
            connections.close_all()
        except BaseException:
            traceback.print_exc()
            os._exit(1)  # without what the parent does at its end, such as dropping the database
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise SystemExit(f"It failed: {name}.")


def find_out() -> None:
    from django.utils import timezone

    from survey_site.quality.kept import compute_kept
    from survey_site.quality.models import KeptFindings

    compute_kept(KeptFindings.objects.get(), clock=timezone.now)


def freeze() -> None:
    from django.utils import timezone

    from survey_site.batches.models import Batch
    from survey_site.batches.services import close_batch
    from survey_site.quality.freezing import freeze_batch

    batch = close_batch(batch=Batch.objects.get(), now=timezone.now())
    freeze_batch(batch=batch, clock=timezone.now)


def remark() -> None:
    """A remark on every third page."""
    from django.db.models import F

    from survey_site.survey.models import Assignment

    some = Assignment.objects.annotate(third=F("pk") % 3).filter(third=0)
    some.update(comment="Both texts speak of the match, only one says who won.")


def seal() -> None:
    """What a worker makes of the last report for whoever asks for its bundle."""
    from django.utils import timezone

    from survey_site.reports.bundles.kept import ask_for_bundle, make_bundle
    from survey_site.reports.models import Report

    report = Report.objects.latest("pk")
    row = ask_for_bundle(report, with_texts=True, now=timezone.now(), ask=lambda _row: None)
    if not make_bundle(row, clock=timezone.now):
        raise SystemExit("The bundle could not be made.")


def check() -> None:
    from django.utils import timezone

    from survey_site.quality.checking import compute_check
    from survey_site.quality.models import SnapshotCheck

    compute_check(SnapshotCheck.objects.get(), clock=timezone.now)


PAGES = (("start page", "/"), ("list of batches", "/batches/"))


def read_all(reader: Reader, batch: Any) -> None:
    code = batch.people.order_by("pk")[9].code
    own = f"/batches/{batch.pk}/"
    pages = (
        *PAGES,
        ("monitor", own),
        ("monitor, what it polls", f"{own}progress/"),
        ("monitor, quality so far", f"{own}quality/so-far/"),
        ("quality", f"{own}quality/"),
        ("a rater", f"{own}quality/raters/{code}/"),
        ("freezing", f"{own}freeze/"),
        ("closing", f"{own}close/"),
        ("extending", f"{own}extend/"),
        ("ratings.csv", f"{own}ratings.csv"),
        ("excluded.csv", f"{own}excluded.csv"),
    )
    for name, address in pages:
        reader.read(name, address)


def read_frozen(reader: Reader, batch: Any) -> None:
    own = f"/batches/{batch.pk}/"
    for name, address in (
        ("monitor", own),
        ("snapshot", f"{own}freeze/"),
        ("how the check ended", f"{own}freeze/checked/"),
        ("snapshot.json", f"{own}snapshot.json"),
    ):
        reader.read(name, address)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--questionnaires", type=int, default=10_000)
    parser.add_argument("--raters", type=int, default=500)
    given = parser.parse_args()
    with own_site():
        measure(given.questionnaires, given.raters)


if __name__ == "__main__":
    main()
