"""Files of ratings as people upload them."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from meta_eval.ratings.rows import RATING_COLUMNS
from survey_site.batches.models import Batch
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import load_corpus
from survey_site.survey.exports import rating_lines
from survey_site.uploads.files import RatingFile, read_rating_file
from survey_site.uploads.services import UploadResult, UploadSettings, import_ratings
from tests.factories.batches import NOW
from tests.factories.scoring import ANSWERS

PAIRS = [("doc1", "reader1", "reader2"), ("doc2", "reader1", "reader3"), ("doc3", "reader2", "reader3")]


def plain_rows(raters: Iterable[str] = ("ann", "bob")) -> list[dict[str, object]]:
    """Two raters' ratings of every system and gold on a pair of each document of `make_scored_corpus`."""
    return [
        {
            "doc_id": document,
            "system": system or "user",
            "reader_a": a,
            "reader_b": b,
            "rater": rater,
            "rating": answer,
        }
        for document, a, b in PAIRS
        for rater in raters
        for system, answer in ANSWERS.items()
    ]


def write_rows(path: Path, rows: list[Mapping[str, object]]) -> Path:
    columns = list(dict.fromkeys([*RATING_COLUMNS, *(name for row in rows for name in row)]))
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def export_ratings(batch: Batch, path: Path, **options: object) -> Path:
    path.write_text("".join(rating_lines(batch, **options)), encoding="utf-8")
    return path


def read(path: Path, corpus: Corpus) -> RatingFile:
    return read_rating_file(path, load_corpus(corpus), name=path.name, now=NOW)


def upload(path: Path, corpus: Corpus, *, by: object = None, **settings: object) -> UploadResult:
    said = UploadSettings(**{"name": "Elsewhere", "scale": "similarity", **settings})
    return import_ratings(corpus=corpus, file=read(path, corpus), settings=said, now=NOW, by=by)
