"""Files and frames as bodies of requests: read in pieces, anew each time they are sent."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from meta_eval.client.frames import frame_csv
from meta_eval.client.problems import ClientError
from meta_eval.client.sending import Call
from meta_eval.files.frames import is_frame

if TYPE_CHECKING:
    from pandas import DataFrame

Source = Union[str, Path, "DataFrame"]
PIECE = 1 << 20
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
TYPES = {
    ".jsonl": "application/jsonl",
    ".csv": "text/csv",
    ".xlsx": _SHEET,
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".zip": "application/zip",
    ".parquet": "application/vnd.apache.parquet",
}
"""By the end of a file's name the type as which it is sent; any other as bytes, known by its name."""
UNTYPED = "application/octet-stream"


def file_call(
    operation: str, source: Source, *, name: str | None, query: dict[str, Any], **more: Any
) -> Call:
    """A call whose body is the file or frame. name: what a frame's file is called.

    Raises ClientError where there is no such file.
    """
    if is_frame(source):
        content = frame_csv(source)
        file, size = f"{name or 'frame'}.csv", len(content)
        body = partial(iter, [content])
    else:
        path = Path(source)  # type: ignore[arg-type]  # no frame, so that it is a path
        if not path.is_file():
            raise ClientError(f"There is no file {path}: give the path of one, or a data frame.")
        file, size, body = path.name, path.stat().st_size, partial(_pieces, path)
    headers = {
        "Content-Type": TYPES.get(Path(file).suffix.lower(), UNTYPED),
        "Content-Length": str(size),
    }
    return Call(operation=operation, query={**query, "file": file}, body=body, headers=headers, **more)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece
