"""Corpora of a site."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

from meta_eval.client.bodies import Source, file_call
from meta_eval.client.keeping import Keepable, Kind
from meta_eval.client.problems import ClientError
from meta_eval.client.projects import Project
from meta_eval.client.records import CorpusSystem, Distances, asked, bound, number_of
from meta_eval.client.sending import Call, Site
from meta_eval.errors import InputError
from meta_eval.studies.icopernicus.provenance import read_provenance

Archive = Literal["with", "only"]


@dataclass(frozen=True, kw_only=True)
class CorpusRow(Keepable):
    """A corpus as lists show it."""

    kind_of_thing: ClassVar[Kind] = "corpus"

    id: int
    name: str
    project: int
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

    def record_generated(self, file: str | Path) -> "Corpus":
        """Say how its systems were generated: the .llm.json file that `generate` wrote beside the corpus.

        Returns the corpus with these records in `by_system`; what the site knew of a system stays. Raises
        ClientError for a file that holds none, InvalidError for that of another corpus.
        """
        try:
            records = read_provenance(Path(file))
        except InputError as error:
            raise ClientError(str(error)) from error
        if not records:
            raise ClientError(f"There is no file {file}: give the one that `generate` wrote.")
        return asked(self._site, Corpus, self._call("record_generated", json={"systems": records}))

    def list_distances(self) -> Iterator[Distances]:
        """The distances from outside that reports can take as measures."""
        return self._site.pages(Distances, self._call("list_distances"))

    def distances(self, id: int) -> Distances:
        """Those with this number. Raises NotFoundError."""
        return self._site.read(Distances, self._call("read_distances", distances=id))

    def upload_distances(self, source: Source, name: str, *, key: str | None = None) -> Distances:
        """Make a measure of distances that another tool computed; the same ones are stored once.

        source: a CSV table or frame with the columns first, second and distance, or a ZIP archive of tables
        (docs/own-measures.md). name: what the measure is called in reports. Raises InvalidError.
        """
        at, query = {"id": self.id}, {"name": name}
        call = file_call("upload_distances", source, name=name, query=query, at=at, key=key)
        return self._site.read(Distances, call)

    def remove_distances(self, distances: Distances | int) -> None:
        """Offer them no more; reports that rest on them keep them.

        Raises ConflictError where a batch declares them as the surrogate of its primary coefficient.
        """
        self._site.ask(self._call("remove_distances", distances=number_of(distances)))

    def _call(self, operation: str, *, json: Any = None, **at: Any) -> Call:
        return Call(operation=operation, at={"id": self.id, **at}, json=json)


class Corpora:
    """`concord.corpora`."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def list(
        self,
        *,
        q: str | None = None,
        archive: Archive | None = None,
        project: Project | int | None = None,
    ) -> Iterator[CorpusRow]:
        """All corpora, newest first, fetched page by page. q: words to look for."""
        query = {"q": q, "archive": archive, "project": number_of(project)}
        call = Call(operation="list_corpora", query=query)
        return (bound(self._site, one) for one in self._site.pages(CorpusRow, call))

    def get(self, id: int) -> Corpus:
        """The corpus with this number. Raises NotFoundError."""
        return asked(self._site, Corpus, Call(operation="read_corpus", at={"id": id}))

    def import_corpus(
        self,
        source: Source,
        *,
        name: str | None = None,
        language: str | None = None,
        project: Project | int | str | None = None,
        key: str | None = None,
    ) -> Corpus:
        """Bring a corpus: a file (JSONL, CSV, XLSX, ODS) or a frame with the columns of docs/library.md.

        The same content is imported once: where the site has it, that corpus comes back. language: tag of
        the texts' language, such as "en". project: whose it is, also by name; needed where you have several.
        Raises InvalidError, whose `errors` name each fault with its line.
        """
        whose = project if isinstance(project, str) else number_of(project)
        query = {"name": name, "language": language, "project": whose}
        return asked(self._site, Corpus, file_call("import_corpus", source, name=name, query=query, key=key))

    def import_pens(
        self,
        archive: str | Path,
        *,
        name: str | None = None,
        language: str | None = None,
        project: Project | int | str | None = None,
        key: str | None = None,
    ) -> Corpus:
        """Bring the files of PENS: a ZIP archive of personalized_test.tsv, news.tsv and the systems' outputs.

        A text file of a system has a line for each reference that is not empty; hyps_NAML.txt is NAML. The
        rest is as for `import_corpus`.
        """
        whose = project if isinstance(project, str) else number_of(project)
        query = {"name": name, "language": language, "project": whose}
        return asked(self._site, Corpus, file_call("import_pens", archive, name=name, query=query, key=key))
