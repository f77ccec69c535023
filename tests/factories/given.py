"""Distances from outside for tests: those of a measure of ours, in the files of another tool."""

import io
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.distances.csv.writing import readers_of, write_distances
from meta_eval.distances.given import COLUMNS, pairs_to_compare
from meta_eval.files.cells import csv_text
from meta_eval.measures import make_measure


def distances_table(corpus: Corpus, measure: str = "rouge-l") -> bytes:
    """Every pair of texts that scores ask for, with its distance."""
    made = make_measure(measure)
    rows = [(one, other, made(one, other)) for one, other in pairs_to_compare(corpus)]
    return csv_text([COLUMNS, *rows]).encode()


def distances_archive(corpus: Corpus, measure: str = "rouge-l") -> bytes:
    """The three files of each system, in a folder in an archive."""
    stream = io.BytesIO()
    with TemporaryDirectory() as temporary, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        folder = Path(temporary)
        write_distances(compute_distances(corpus, make_measure(measure)), readers_of(corpus), folder)
        for path in sorted(folder.rglob("*.*")):
            archive.write(path, f"export/{path.relative_to(folder)}")
    return stream.getvalue()
