"""The ratings of a batch in long form, one row a rating, written as they are read."""

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, repeat
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from django.core.serializers.json import DjangoJSONEncoder

from survey_site.common.csvfile import KnownTexts, csv_lines, in_blocks
from survey_site.survey.rating_rows import RATING_COLUMNS

Rows = Iterable[Mapping[str, Any]]

CHUNK = 10_000
_IN_MEMORY = 8 << 20
_TYPES: Mapping[str, Any] = {
    "rating": pa.int8(),
    "questionnaire": pa.int32(),
    "position": pa.int32(),
    "copied_from": pa.int32(),
    "flipped": pa.bool_(),
    "simulated": pa.bool_(),
    "submitted_at": pa.timestamp("us", tz="UTC"),
}
SCHEMA = pa.schema([(name, _TYPES.get(name, pa.string())) for name in RATING_COLUMNS])
"""The columns of the Parquet file, in the order of the CSV file."""


def as_csv(rows: Rows) -> Iterator[str]:
    yield from in_blocks(csv_lines(chain([RATING_COLUMNS], (row.values() for row in rows))))


def as_json_lines(rows: Rows) -> Iterator[str]:
    yield from in_blocks(f"{one}\n" for one in _objects(rows))


def as_json(rows: Rows) -> Iterator[str]:
    """One array, a row a line."""
    begin = chain(["[\n"], repeat(",\n"))
    lines = (before + one for before, one in zip(begin, _objects(rows), strict=False))
    first = next(lines, None)
    yield from in_blocks(chain([first], lines, ["\n]\n"]) if first else ["[]\n"])


def _objects(rows: Rows) -> Iterator[str]:
    """Each row as JSON. What a value becomes is worked out once: most stand in very many rows."""
    known = KnownTexts(partial(json.dumps, cls=DjangoJSONEncoder, ensure_ascii=False))
    line = "{" + ", ".join(f'"{name}": %s' for name in RATING_COLUMNS) + "}"
    for row in rows:
        yield line % tuple([known[type(one)][one] for one in row.values()])


def as_parquet(rows: Rows) -> IO[bytes]:
    """A file, at its beginning: the format ends with what its parts are, so it is sent when it is whole."""
    stream = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the response closes it
    remaining = iter(rows)
    with pq.ParquetWriter(stream, SCHEMA) as writer:
        while chunk := list(islice(remaining, CHUNK)):
            writer.write_table(_table(chunk))
    stream.seek(0)
    return stream


def _table(rows: Sequence[Mapping[str, Any]]) -> Any:
    return pa.Table.from_pylist([dict(row) for row in rows], schema=SCHEMA)
