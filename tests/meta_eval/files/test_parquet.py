"""Tables as Parquet: read as those that come as CSV."""

from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from meta_eval import read_corpus
from meta_eval.corpus.tables import CORPUS_COLUMNS
from meta_eval.errors import InputError
from meta_eval.files.reading import Faults
from meta_eval.files.workbooks import read_rows

TEXTS = [
    ("d", "ann", "user", "rain"),
    ("d", "ann", "A", "sun"),
    ("d", "bob", "user", "wind"),
    ("d", "bob", "A", "cloud"),
]


def write(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def read(path, problem=lambda _columns: None):
    return list(read_rows(path, "ours", Faults(9), problem))


def test_cells_are_texts_as_in_a_csv_and_what_is_missing_is_nothing(tmp_path):
    moment = datetime(2026, 3, 2, 9, tzinfo=UTC)
    path = write(
        tmp_path / "table",
        rating=pa.array([5, None], pa.int8()),
        flipped=[True, False],
        at=pa.array([moment, None], pa.timestamp("us", tz="UTC")),
        rater=["é=1", ""],
    )
    assert read(path) == [
        (1, {"rating": "5", "flipped": "true", "at": "2026-03-02T09:00:00+00:00", "rater": "é=1"}),
        (2, {"rating": "", "flipped": "false", "at": "", "rater": ""}),
    ]


def test_more_rows_than_are_read_at_a_time_keep_their_numbers(tmp_path):
    rows = read(write(tmp_path / "table", rating=list(range(2_500))))
    assert (rows[0], rows[-1], len(rows)) == ((1, {"rating": "0"}), (2_500, {"rating": "2499"}), 2_500)


def test_columns_are_judged_before_any_row_and_a_broken_file_is_named(tmp_path):
    path = write(tmp_path / "table", rating=[1])
    with pytest.raises(InputError, match="ours: no column rater"):
        read(path, lambda columns: None if "rater" in columns else "no column rater")
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match="ours: cannot be read as a Parquet file"):
        read(path)


def test_a_text_that_is_not_in_utf_8_is_named_as_a_fault(tmp_path):
    bad = pa.array([b"\xff"]).view(pa.string())
    with pytest.raises(InputError, match="ours: cannot be read as a Parquet file"):
        read(write(tmp_path / "table", rater=bad))


def test_a_corpus_is_read_from_it(tmp_path):
    columns = {name: [row[at] for row in TEXTS] for at, name in enumerate(CORPUS_COLUMNS)}
    path = write(tmp_path / "corpus.parquet", **columns, doc_summ=["Weather"] * 4)
    found = read_corpus(path)
    assert (found.systems, found.documents[0].references) == (("A",), {"ann": "rain", "bob": "wind"})
