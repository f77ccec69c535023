"""A site, as a notebook or script sees it."""

import os
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Literal, Unpack

from meta_eval.client.batches import Batches
from meta_eval.client.bodies import Source, file_call
from meta_eval.client.corpora import Corpora, CorpusRow
from meta_eval.client.models import Models
from meta_eval.client.problems import ClientError
from meta_eval.client.projects import Project
from meta_eval.client.records import Notice, Upload, asked, bound, number_of
from meta_eval.client.reports import Reports
from meta_eval.client.runs import ScoreRuns
from meta_eval.client.sending import Call, Site
from meta_eval.client.studies import Studies
from meta_eval.client.wishes import UploadFields

ADDRESS_VARIABLE, TOKEN_VARIABLE = "CONCORD_ADDRESS", "CONCORD_TOKEN"


class Concord:
    """A site of Concord, with a token of *Your account*, *API tokens*.

    Parameters
    ----------
    address : the site's, such as `https://concord.example.org`; without it that of CONCORD_ADDRESS.
    token : it is sent to this address alone and shown nowhere; without it that of CONCORD_TOKEN.
    timeout : seconds without a sign from the site after which a call counts as lost.
    retries : how often a call is sent again that was lost, or that the site put off (429, 503); the wait
        doubles from half a second, or is as long as the site says. Each call that makes something has an
        Idempotency-Key of its own, so that nothing is made twice.

    Attributes
    ----------
    corpora, batches, runs, reports, studies : each with `list`, `get` and what makes one.

    Examples
    --------
    >>> with Concord("https://concord.example.org", token="concord_...") as concord:
    ...     print(concord.address)
    https://concord.example.org
    """

    def __init__(
        self,
        address: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 120.0,
        retries: int = 6,
        **further: Any,
    ) -> None:
        address = address or _from_environment(ADDRESS_VARIABLE)
        token = token or _from_environment(TOKEN_VARIABLE)
        self._site = Site(address, token, timeout=timeout, retries=retries, **further)
        self.corpora = Corpora(self._site)
        self.batches = Batches(self._site)
        self.runs = ScoreRuns(self._site)
        self.reports = Reports(self._site)
        self.studies = Studies(self._site)

    @property
    def address(self) -> str:
        """Where the site is, without `/api/v1`."""
        return self._site.address

    def uploads(self) -> Iterator[Upload]:
        """Files of ratings that were collected elsewhere, newest first."""
        return self._site.pages(Upload, Call(operation="list_uploads"))

    def upload_ratings(
        self,
        corpus: CorpusRow | int,
        source: Source,
        *,
        scale: Literal["similarity", "dissimilarity"],
        key: str | None = None,
        **said: Unpack[UploadFields],
    ) -> Upload:
        """Make a closed batch of ratings that were collected elsewhere: `batches.get(upload.batch)`.

        source: a table (CSV, Parquet, XLSX, ODS) or frame with the columns doc_id, system, reader_a,
        reader_b, rater and rating, the SQLite file of the papers' survey app, or with `tool` the export of
        Label Studio (JSON) or Potato (a ZIP archive, with `items`, the file in it that has the items); the
        same one is stored once. scale: what raters were told; the wrong one turns every score around. Raises
        InvalidError, by line.
        """
        query = {**said, "corpus": number_of(corpus), "scale": scale}
        call = file_call("upload_ratings", source, name=said.get("name"), query=query, key=key)
        return self._site.read(Upload, call)

    def models(self) -> Models:
        """The language models that the operator of the site set up."""
        return self._site.read(Models, Call(operation="list_models"))

    def projects(self) -> Iterator[Project]:
        """The projects that the token's owner sees."""
        found = self._site.pages(Project, Call(operation="list_projects"))
        return (bound(self._site, one) for one in found)

    def project(self, id: int) -> Project:
        """The project with this number. Raises NotFoundError."""
        return asked(self._site, Project, Call(operation="read_project", at={"id": id}))

    def make_project(self, name: str, *, key: str | None = None) -> Project:
        """A project without members. Raises InvalidError for a name that is taken. For admins."""
        call = Call(operation="make_project", json={"name": name}, key=key)
        return asked(self._site, Project, call)

    def notices(self, *, unread: bool | None = None) -> Iterator[Notice]:
        """What staff are told of, newest first; unread: what you have not read alone."""
        query = {} if unread is None else {"unread": "true" if unread else "false"}
        return self._site.pages(Notice, Call(operation="list_notices", query=query))

    def mark_read(self, notice: Notice | int | None = None) -> None:
        """Note that you have read a notice; without one, all of them."""
        if notice is None:
            self._site.ask(Call(operation="mark_notices_read"))
        else:
            at = {"id": number_of(notice)}
            self._site.ask(Call(operation="mark_notice_read", at=at))

    def close(self) -> None:
        """End the connections; a later call opens new ones."""
        self._site.close()

    def __enter__(self) -> "Concord":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Concord({self.address!r})"


def _from_environment(name: str) -> str:
    if not (value := os.environ.get(name, "").strip()):
        raise ClientError(f"Give the address and the token of a site, or set {name} in the environment.")
    return value
