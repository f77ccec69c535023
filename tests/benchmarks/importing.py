"""What does storing a corpus of the size of PENS cost, with ten systems (205,500 summaries by default)?

    python -m tests.benchmarks.importing
    python -m tests.postgres python -m tests.benchmarks.importing

A made corpus is stored into a database of its own, as often as asked, each time as other content. Printed for
each: seconds of this process' processor, which other programs disturb little, those of a PostgreSQL server on
this machine, and seconds by the clock.
"""

import argparse
import random
import resource
import sys
import time
from typing import Any

from tests.benchmarks.own_site import own_site, server_seconds

READERS, SYSTEMS = 5, 10
WORDS = ("market", "house", "river", "summer", "night", "people", "window", "letter", "winter", "garden")


def made_corpus(documents: int, words: int, seed: int) -> Any:
    """Documents of `words` words, with a headline of ten words for each reader by each system."""
    from meta_eval.corpus.documents import Corpus, Document

    draw = random.Random(seed)

    def text(count: int) -> str:
        return " ".join(draw.choices(WORDS, k=count))

    def summaries() -> dict[str, str]:
        return {f"reader{number}": text(10) for number in range(READERS)}

    return Corpus(
        tuple(
            Document(
                f"doc{number}",
                text(8),
                text(words),
                summaries(),
                {f"system{one}": summaries() for one in range(SYSTEMS)},
            )
            for number in range(documents)
        )
    )


def measure(documents: int, words: int, rounds: int) -> None:
    from django.db import connection
    from django.utils import timezone

    from survey_site.corpus.models import Summary
    from survey_site.corpus.services import import_corpus

    for number in range(rounds):
        corpus = made_corpus(documents, words, seed=number)
        before = Summary.objects.count()
        server, clock, processor = server_seconds(), time.perf_counter(), time.process_time()
        import_corpus(corpus=corpus, name="made", source="benchmark", now=timezone.now())
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        server, stored = server_seconds() - server, Summary.objects.count() - before
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sys.stdout.write(
            f"{connection.vendor}: {stored:,} summaries, {processor:.2f} s of processor,"
            f" {server:.2f} s of the server's, {clock:.2f} s by the clock, at most {held:.0f} MB\n"
        )
        sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=4110)
    parser.add_argument("--words", type=int, default=10, help="of a document")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    with own_site():
        measure(given.documents, given.words, given.rounds)


if __name__ == "__main__":
    main()
