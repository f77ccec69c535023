"""Studies of summaries of users on a site."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from meta_eval.client.bodies import file_call
from meta_eval.client.corpora import Archive
from meta_eval.client.keeping import Keepable, Kind
from meta_eval.client.projects import Project
from meta_eval.client.records import asked, bound, number_of
from meta_eval.client.sending import Call, Site

ANY = {"Accept": "*/*"}


@dataclass(frozen=True, kw_only=True)
class StudyRow(Keepable):
    """A study as lists show it; `files` are those that `file` gives."""

    kind_of_thing: ClassVar[Kind] = "study"

    id: int
    name: str
    project: int
    content_hash: str
    source: str
    users: int
    summaries: int
    files: list[str]
    created_at: datetime
    uploaded_by: str
    archived_at: datetime | None

    def read(self) -> "Study":
        """The study with what its report finds."""
        return Studies(self._site).get(self.id)

    def file(self, name: str) -> bytes:
        """One of `files`. Raises NotFoundError for another."""
        at = {"id": self.id, "file": name}
        return self._site.ask(Call(operation="read_study_file", at=at, headers=ANY)).content


@dataclass(frozen=True, kw_only=True)
class Study(StudyRow):
    """One study."""

    findings: dict[str, Any]


class Studies:
    """`concord.studies`."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def list(
        self, *, q: str | None = None, archive: Archive | None = None, project: Project | int | None = None
    ) -> Iterator[StudyRow]:
        """All studies, newest first, fetched page by page. q: words to look for."""
        query = {"q": q, "archive": archive, "project": number_of(project)}
        call = Call(operation="list_studies", query=query)
        return (bound(self._site, one) for one in self._site.pages(StudyRow, call))

    def get(self, id: int) -> Study:
        """The study with this number. Raises NotFoundError."""
        return asked(self._site, Study, Call(operation="read_study", at={"id": id}))

    def upload(
        self,
        archive: str | Path,
        name: str,
        *,
        project: Project | int | str | None = None,
        key: str | None = None,
    ) -> Study:
        """Store results: a ZIP archive of the folder that `users score` wrote; the same ones are stored once.

        project: whose it is, also by name; needed where you have several. Raises InvalidError.
        """
        whose = project if isinstance(project, str) else number_of(project)
        query = {"name": name, "project": whose}
        return asked(self._site, Study, file_call("upload_study", archive, name=name, query=query, key=key))
