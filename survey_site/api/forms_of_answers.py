"""In which types an answer comes, by `Accept`. The view that streams writes it; these only name the types."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from drf_spectacular.types import OpenApiTypes
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

WORKBOOKS = (
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.oasis.opendocument.spreadsheet",
)


class Streamed(BaseRenderer):
    """A type whose content a view streams by itself."""

    def render(self, data: Any, _type: Any = None, _context: Any = None) -> Any:
        return data


class CsvRenderer(Streamed):
    media_type, format = "text/csv", "csv"


class JsonLinesRenderer(Streamed):
    media_type, format = "application/jsonl", "jsonl"


class ParquetRenderer(Streamed):
    media_type, format = "application/vnd.apache.parquet", "parquet"


class AnyRenderer(Streamed):
    """Of a file, whose type is its own, whatever was asked for."""

    media_type, format = "*/*", "file"


RATING_RENDERERS = [JSONRenderer, CsvRenderer, JsonLinesRenderer, ParquetRenderer]


class StrictJsonParser(JSONParser):
    """JSON, but for what no operation takes: numbers without an end, and lists in lists in lists."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            found = super().parse(stream, media_type, parser_context)
            json.dumps(found, allow_nan=False)
        except (RecursionError, ValueError) as error:
            raise ParseError("This JSON holds numbers or lists that cannot be read.") from error
        return found


class FileParser(BaseParser):
    """The body as it comes, unread: the view reads it in pieces."""

    media_type = "application/octet-stream"

    def parse(self, stream: Any, _type: Any = None, _context: Any = None) -> Any:
        return stream


class JsonFileParser(FileParser):
    media_type = "application/json"


class JsonLinesParser(FileParser):
    media_type = "application/jsonl"


class CsvParser(FileParser):
    media_type = "text/csv"


class ExcelParser(FileParser):
    media_type = WORKBOOKS[0]


class OpenDocumentParser(FileParser):
    media_type = WORKBOOKS[1]


class ParquetParser(FileParser):
    media_type = "application/vnd.apache.parquet"


class ZipParser(FileParser):
    media_type = "application/zip"


TABLE_PARSERS = [
    *(CsvParser, ExcelParser, OpenDocumentParser, ParquetParser),
    *(JsonFileParser, ZipParser, FileParser),
]
STUDY_PARSERS = [ZipParser, FileParser]
ARCHIVE_PARSERS = [CsvParser, ZipParser, FileParser]
FILE_PARSERS = [JsonLinesParser, CsvParser, ExcelParser, OpenDocumentParser, ParquetParser, FileParser]
SUFFIXES = {
    "text/csv": ".csv",
    "application/zip": ".zip",
    "application/json": ".json",
    "application/vnd.apache.parquet": ".parquet",
    WORKBOOKS[0]: ".xlsx",
    WORKBOOKS[1]: ".ods",
}
"""By the type of the body the end of the file's name where none is given; JSONL for the rest."""


def file_body(parsers: Sequence[type[FileParser]]) -> dict[str, Any]:
    """What the schema says of a body that is a file."""
    return {one.media_type: {"type": "string", "contentMediaType": one.media_type} for one in parsers}


def file_answers(types: Iterable[str]) -> dict[tuple[int, str], Any]:
    """What the schema says of an answer that is a file of one of these types: JSON may hold anything."""
    plain = sorted({one.partition(";")[0] for one in types})
    return {
        (200, one): OpenApiTypes.ANY if one == JsonFileParser.media_type else OpenApiTypes.BINARY
        for one in plain
    }


def suffix_of(request: Request) -> str:
    return SUFFIXES.get(str(request.content_type).partition(";")[0].strip(), ".jsonl")
