"""Runs of scores on a site."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

from meta_eval.client.batches import Batch, BatchRow
from meta_eval.client.corpora import CorpusRow
from meta_eval.client.problems import ClientError
from meta_eval.client.records import Bound, JobState, asked, bound, number_of
from meta_eval.client.sending import Call, Site
from meta_eval.client.waiting import Told, wait_for
from meta_eval.client.wishes import ScoreFields

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, kw_only=True)
class ScoreRunRow(Bound):
    """A run of scores as lists show it; `percent` runs from 0 to 100."""

    id: int
    kind: str
    corpus: int
    batch: int | None
    measure: str
    state: JobState
    percent: int
    error: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    cancelled_at: datetime | None

    def read(self) -> "ScoreRun":
        """How far it is now and, once it is done, its scores."""
        return ScoreRuns(self._site).get(self.id)


@dataclass(frozen=True, kw_only=True)
class ScoreRun(ScoreRunRow):
    """One run of scores, as it was when it was read."""

    done: int
    total: int
    signature: Any
    options: Any
    records: Any

    def wait(self, *, timeout: float = 3600, progress: "Told[ScoreRun]" = False) -> "ScoreRun":
        """The run once it is done. timeout: in seconds; progress: True, or what is called with each look.

        Raises JobFailedError where it fails, StillRunningError when the time is over.
        """
        sleep = self._site.sleep
        return wait_for(self, self.read, timeout=timeout, progress=progress, sleep=sleep, name="Run")

    def cancel(self) -> "ScoreRun":
        """End the run; one that is over stays as it is."""
        return self._act("cancel_scores")

    def retry(self) -> "ScoreRun":
        """Compute again what failed or was cancelled; any other run stays as it is."""
        return self._act("retry_scores")

    def to_frame(self) -> "DataFrame":
        """The scores, a row each. Raises ClientError before the run is done."""
        import pandas

        if self.state != "done":
            raise ClientError(f"Run {self.id} is {self.state}: wait for it first.")
        return pandas.DataFrame(self.records)

    def _act(self, operation: str) -> "ScoreRun":
        return asked(self._site, ScoreRun, Call(operation=operation, at={"id": self.id}))


class ScoreRuns:
    """`concord.runs`."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def list(
        self,
        *,
        kind: Literal["automatic", "human"] | None = None,
        state: JobState | None = None,
        corpus: CorpusRow | int | None = None,
        batch: Batch | BatchRow | int | None = None,
    ) -> Iterator[ScoreRunRow]:
        """All runs, newest first, fetched page by page."""
        query = {"kind": kind, "state": state, "corpus": number_of(corpus), "batch": number_of(batch)}
        call = Call(operation="list_score_runs", query=query)
        return (bound(self._site, one) for one in self._site.pages(ScoreRunRow, call))

    def get(self, id: int) -> ScoreRun:
        """The run with this number. Raises NotFoundError."""
        return asked(self._site, ScoreRun, Call(operation="read_score_run", at={"id": id}))

    def create(
        self,
        measure: str,
        *,
        corpus: CorpusRow | int | None = None,
        batch: Batch | BatchRow | int | None = None,
        key: str | None = None,
        **wanted: Unpack[ScoreFields],
    ) -> ScoreRun:
        """Ask for automatic scores of a corpus, or human scores of a batch: one of them.

        measure: as on a command line, `rouge-l` or `bleu:n=4`; one over words alone. The same scores are
        computed once: asking again gives the run that there is. Where a batch has very many ratings they are
        those of the moment when a worker reads them. Raises InvalidError.
        """
        on = {"corpus": number_of(corpus), "batch": number_of(batch)}
        on = {name: number for name, number in on.items() if number is not None}
        call = partial(Call, operation="request_scores", key=key)
        return asked(self._site, ScoreRun, call(json={**wanted, **on, "measure": measure}))
