"""What does a start ask of the database where many people start at the same moment?

    python -m tests.benchmarks.starts --people 100 --batches 100,1000
    DATABASE_URL=postgres://... python -m tests.benchmarks.starts

So many people open the first page of a batch of a database of its own; then all of them start at once, each
in a thread and with a connection of its own. Printed for each size of the batch: how many statements and
transactions the starts took, the median and the most, and how many people got a questionnaire. Where somebody
got none, the exit status is 1. What starts take of the clock on real servers: `side_by_side --starts`.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from threading import Barrier
from typing import Any

from tests.benchmarks.own_site import NO_LIMITS, own_site
from tests.benchmarks.requests import Browser, joining_fields


class Start:
    """One person's start: what it took, and where it led."""

    def __init__(self, application: Any, token: str, gate: Barrier) -> None:
        self.statements: list[str] = []
        self.transactions = 0
        self.address = ""
        self._browser, self._token, self._gate = Browser(application, self.statements), token, gate
        self._end: Any = None

    def run(self) -> None:
        from django.db import connection

        try:
            with connection.execute_wrapper(self._note):
                page, _ = self._browser.send("join", f"/s/{self._token}/")
                self._end, connection.commit = connection.commit, self._commit  # type: ignore[method-assign]
                self._gate.wait()
                fields = joining_fields(page)
                _, self.address = self._browser.send("start", f"/s/{self._token}/start/", fields)
        except BaseException:
            self._gate.abort()  # the others would wait for ever
            raise
        finally:
            connection.close()

    def _note(self, execute: Any, sql: str, *arguments: Any) -> Any:
        self.statements.append(sql)
        return execute(sql, *arguments)

    def _commit(self) -> None:
        self.transactions += 1
        self._end()


def measure(people: int, size: int) -> None:
    from django.db import connection
    from django.utils import timezone

    from survey_site.rehearsal.services import make_rehearsal_batch
    from survey_site.wsgi import application

    batch = make_rehearsal_batch(raters=size, seed=1, now=timezone.now())
    gate = Barrier(people)
    starts = [Start(application, batch.token, gate) for _ in range(people)]
    with ThreadPoolExecutor(people) as threads:
        list(threads.map(Start.run, starts))
    statements, transactions = [len(one.statements) for one in starts], [one.transactions for one in starts]
    given = sum("/q/" in one.address for one in starts)
    sys.stdout.write(
        f"{connection.vendor}, {batch.questionnaires.count()} questionnaires, {people} starts at once: "
        f"statements {median(statements):.0f} (most {max(statements)}), "
        f"transactions {median(transactions):.0f} (most {max(transactions)}), "
        f"{given} got a questionnaire\n"
    )
    sys.stdout.flush()
    if given < people:
        raise SystemExit(f"{people - given} people got no questionnaire.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--batches", default="100,1000", help="sizes, in raters that a batch is made for")
    given = parser.parse_args()
    with own_site(**NO_LIMITS):
        for size in map(int, given.batches.split(",")):
            measure(given.people, size)


if __name__ == "__main__":
    main()
