"""Corpora of a site."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Union

from meta_eval.client.frames import frame_csv
from meta_eval.client.records import Bound, CorpusSystem, asked, bound
from meta_eval.client.sending import Call, Site
from meta_eval.files.frames import is_frame

if TYPE_CHECKING:
    from pandas import DataFrame

Archive = Literal["with", "only"]
PIECE = 1 << 20
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
TYPES = {
    ".jsonl": "application/jsonl",
    ".csv": "text/csv",
    ".xlsx": _SHEET,
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
}
"""By the end of a file's name the type as which it is sent; any other as bytes, known by its name."""


@dataclass(frozen=True, kw_only=True)
class CorpusRow(Bound):
    """A corpus as lists show it."""

    id: int
    name: str
    content_hash: str
    source: str
    language: str
    documents: int
    readers: int
    systems: int
    references: int
    created_at: datetime
    archived_at: datetime | None

    def read(self) -> "Corpus":
        """All that the site says of it, as it is now."""
        return Corpora(self._site).get(self.id)


@dataclass(frozen=True, kw_only=True)
class Corpus(CorpusRow):
    """One corpus: its systems in `by_system`, and in `remarks` what to know before scoring."""

    languages: list[str]
    languages_told: list[str]
    by_system: list[CorpusSystem]
    documents_without_text: int
    remarks: list[str]


class Corpora:
    """`concord.corpora`."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def list(self, *, q: str | None = None, archive: Archive | None = None) -> Iterator[CorpusRow]:
        """All corpora, newest first, fetched page by page. q: words to look for."""
        call = Call(operation="list_corpora", query={"q": q, "archive": archive})
        return (bound(self._site, one) for one in self._site.pages(CorpusRow, call))

    def get(self, id: int) -> Corpus:
        """The corpus with this number. Raises NotFoundError."""
        return asked(self._site, Corpus, Call(operation="read_corpus", at={"id": id}))

    def import_corpus(
        self,
        source: Union[str, Path, "DataFrame"],
        *,
        name: str | None = None,
        language: str | None = None,
        key: str | None = None,
    ) -> Corpus:
        """Bring a corpus: a file (JSONL, CSV, XLSX, ODS) or a frame with the columns of docs/library.md.

        The same content is imported once: where the site has it, that corpus comes back. language: tag of
        the texts' language, such as "en". Raises InvalidError, whose `errors` name each fault with its line.
        """
        file, body, size = _sent(source, name)
        return asked(
            self._site,
            Corpus,
            Call(
                operation="import_corpus",
                query={"name": name, "language": language, "file": file},
                body=body,
                headers={
                    "Content-Type": TYPES.get(Path(file).suffix.lower(), "application/octet-stream"),
                    "Content-Length": str(size),
                },
                key=key,
            ),
        )


def _sent(
    source: Union[str, Path, "DataFrame"], name: str | None
) -> tuple[str, "partial[Iterator[bytes]]", int]:
    """The name of the file, what makes its content, and its bytes."""
    if is_frame(source):
        content = frame_csv(source)
        return f"{name or 'frame'}.csv", partial(iter, [content]), len(content)
    path = Path(source)  # type: ignore[arg-type]  # no frame, so that it is a path
    return path.name, partial(_pieces, path), path.stat().st_size


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece
