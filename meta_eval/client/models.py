"""Language models that rate a batch of a site: planned, begun, watched, and what they said as a frame."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Unpack

from meta_eval.client.frames import csv_frame
from meta_eval.client.records import Bound, JobState, asked, bound
from meta_eval.client.sending import Call, decoded, names_of
from meta_eval.client.waiting import Told, wait_for
from meta_eval.client.wishes import ModelFields

if TYPE_CHECKING:
    from pandas import DataFrame

ANY = {"Accept": "*/*"}


@dataclass(frozen=True, kw_only=True)
class Models:
    """The models that the operator set up, and the server to which texts are sent."""

    models: list[str]
    host: str
    tokens_per_run: int


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of a question."""

    role: str
    content: str


@dataclass(frozen=True, kw_only=True)
class PlannedModel:
    """What one model would be sent: `requests`, of which `new` ones were not answered before."""

    model: str
    pairs: int
    requests: int
    new: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    above_limit: bool
    example: list[Message]


@dataclass(frozen=True, kw_only=True)
class ModelsTotal:
    """Of all models together; `cost` is the most, None where no price is set."""

    requests: int
    kept: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, kw_only=True)
class ModelsPlan:
    """What would leave the site, where to, and what it takes; `seen` is what a beginning confirms."""

    host: str
    models: list[PlannedModel]
    total: ModelsTotal
    seen: str


@dataclass(frozen=True, kw_only=True)
class ModelRun(Bound):
    """A model that rates or rated a batch, as it was when it was read."""

    id: int
    batch: int
    name: str
    model: str
    state: JobState
    percent: int
    done: int
    total: int
    error: str
    note: str
    both_orders: bool
    explain: bool
    draws: int
    temperature: float
    hosts: list[str]
    pairs: int
    rated: int
    mean_rating: float | None
    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    cancelled_at: datetime | None

    def read(self) -> "ModelRun":
        """How far it is now."""
        return self._asked("read_model_run")

    def wait(self, *, timeout: float = 3600, progress: "Told[ModelRun]" = False) -> "ModelRun":
        """The run once it is done. timeout: in seconds; progress: True, or what is called with each look.

        Raises JobFailedError where it fails, StillRunningError when the time is over.
        """
        sleep = self._site.sleep
        return wait_for(self, self.read, timeout=timeout, progress=progress, sleep=sleep, name="Model run")

    def cancel(self) -> "ModelRun":
        """End the run; what was answered is kept."""
        return self._asked("cancel_model_run")

    def retry(self) -> "ModelRun":
        """Go on with a run that failed or was cancelled."""
        return self._asked("retry_model_run")

    def ratings(self) -> "DataFrame":
        """A row a pair, whole numbers, in the columns of `ratings.csv`.

        Raises ConflictError before it is done.
        """
        return csv_frame(self.file("ratings.csv"))

    def means(self) -> "DataFrame":
        """The same unrounded, with each order's mean."""
        return csv_frame(self.file("means.csv"))

    def file(self, name: str) -> bytes:
        """`ratings` or `means` as `.csv` or `.json`, or `answers.jsonl`: every answer with its raw text."""
        call = Call(operation="read_model_file", at={**self._at, "file": name}, headers=ANY)
        return self._site.ask(call).content

    @property
    def _at(self) -> dict[str, Any]:
        return {"id": self.batch, "run": self.id}

    def _asked(self, operation: str) -> "ModelRun":
        return asked(self._site, ModelRun, Call(operation=operation, at=self._at))


@dataclass(frozen=True, kw_only=True)
class _Runs:
    runs: list[ModelRun]


class RatedByModels(Bound):
    """A record of a batch, which models can rate."""

    id: int

    def plan_models(self, models: str | Sequence[str], **how: Unpack[ModelFields]) -> ModelsPlan:
        """What the models would be sent, and what that costs at most. Nothing leaves the site."""
        sent = {**how, "models": names_of(models)}
        return self._site.read(ModelsPlan, Call(operation="plan_models", at={"id": self.id}, json=sent))

    def begin_models(
        self,
        models: str | Sequence[str],
        *,
        plan: ModelsPlan,
        key: str | None = None,
        **how: Unpack[ModelFields],
    ) -> list[ModelRun]:
        """Let the models rate the batch, with the choices of `plan`: its texts are sent to `plan.host`.

        Raises ConflictError where something has changed since the plan was made.
        """
        sent = {**how, "models": names_of(models), "seen": plan.seen, "confirmed": True}
        call = Call(operation="begin_models", at={"id": self.id}, json=sent, key=key)
        return [bound(self._site, one) for one in decoded(_Runs, self._site.ask(call).content).runs]

    def list_model_runs(self) -> Iterator[ModelRun]:
        """The models that rated or rate the batch, oldest first."""
        call = Call(operation="list_model_runs", at={"id": self.id})
        return (bound(self._site, one) for one in self._site.pages(ModelRun, call))
