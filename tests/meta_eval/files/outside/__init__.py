"""Small nasty files as people bring them, and what must come of each: a fault at its line, or so much taken.

`expected.csv` has a row a file: as what it is read, the line of its fault and what that must name (a cell, a
character, a word of the file); or, where `taken` is filled, how much is taken. `corpus.jsonl` is what the
ratings are of. Whoever finds another nasty file adds it here.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import read_jsonl

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Expected:
    """A row of the table; `line` is empty where a fault is of the whole file."""

    file: str
    read_as: str
    line: str
    names: str
    taken: str

    @property
    def path(self) -> Path:
        return FOLDER / self.file


def expected(*read_as: str) -> list[Expected]:
    """The rows of files that are read as one of these."""
    with (FOLDER / "expected.csv").open(encoding="utf-8", newline="") as stream:
        rows = [Expected(**row) for row in csv.DictReader(stream)]
    return [row for row in rows if row.read_as in read_as]


@cache
def rated_corpus() -> Corpus:
    return read_jsonl(FOLDER / "corpus.jsonl")
