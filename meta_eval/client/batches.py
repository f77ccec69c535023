"""Batches of a site: planned, launched, watched, changed, and their ratings as a frame."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

from meta_eval.client.corpora import Archive, CorpusRow
from meta_eval.client.frames import parquet_frame
from meta_eval.client.keeping import Keepable, Kind
from meta_eval.client.models import RatedByModels
from meta_eval.client.projects import Project
from meta_eval.client.quality import HasQuality
from meta_eval.client.records import (
    BatchState,
    Check,
    Exclusion,
    Plan,
    Preview,
    Progress,
    Questionnaire,
    Rater,
    asked,
    bound,
    number_of,
)
from meta_eval.client.sending import Call, Site, names_of
from meta_eval.client.taking_part import TakesPart
from meta_eval.client.waiting import wait_for
from meta_eval.client.wishes import ChangeFields, PlanFields, WindowFields, sendable

if TYPE_CHECKING:
    from pandas import DataFrame

PARQUET = "application/vnd.apache.parquet"
More = Literal["surplus", "marked", "excluded", "withdrawn"]


@dataclass(frozen=True, kw_only=True)
class _AnyBatch(Keepable, RatedByModels, TakesPart, HasQuality):
    """What lists and the batch itself say alike."""

    kind_of_thing: ClassVar[Kind] = "batch"

    id: int
    name: str
    corpus: int
    corpus_name: str
    state: BatchState
    uploaded: bool
    created_at: datetime
    launched_at: datetime | None
    paused_at: datetime | None
    closed_at: datetime | None
    frozen_at: datetime | None
    archived_at: datetime | None
    opens_at: datetime | None
    closes_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class BatchRow(_AnyBatch):
    """A batch as lists show it, with how much of it is done."""

    questionnaires: int
    completed: int
    wanted: int

    def read(self) -> "Batch":
        """Its plan and state as they are now, and what can be done with it."""
        return Batches(self._site).get(self.id)


@dataclass(frozen=True, kw_only=True)
class Batch(_AnyBatch):
    """One batch: its plan and state as they were when it was read.

    What changes it gives the batch as it is then, and leaves this record as it was. With
    `only_if_unchanged` nothing is done, and ChangedError is raised, where somebody has changed the batch
    since this record was read.
    """

    systems: list[str]
    documents: int
    document_keys: list[str] | None
    seed: int
    reader_pairs: int
    readers: int | None
    systems_per_questionnaire: int
    raters: int
    parts_together: bool
    document_shown: bool
    marks_allowed: bool
    equal_pairs_once: bool
    one_typography: bool
    identical_share: int
    unrelated_share: int
    plan_notes: Any
    scale: str
    question: str
    low_label: str
    label_2: str
    label_3: str
    label_4: str
    label_5: str
    high_label: str
    instructions: str
    languages: list[str]
    claim_minutes: int
    primary_coefficient: str
    primary_surrogate: str
    primary_score: str
    limit: int | None
    freezing: str
    freezing_error: str

    def refresh(self) -> "Batch":
        """The batch as it is now."""
        return Batches(self._site).get(self.id)

    def plan(self) -> Plan:
        """The plan, questionnaire by questionnaire; none of these before the launch."""
        return self._site.read(Plan, self._call("read_plan"))

    def checks(self) -> list[Check]:
        """What is checked before a draft is launched. Raises ConflictError for a launched batch."""
        return self._site.read(list[Check], self._call("check_launch"))

    def preview(self, number: int = 1, *, language: str | None = None) -> Preview:
        """A questionnaire as raters see it; of a draft, what its plan would give. Nothing is stored."""
        query = {"number": number, "language": language}
        return self._site.read(Preview, self._call("preview_batch", query=query))

    def progress(self) -> Progress:
        """How far a launched batch is. Raises NotFoundError for a draft."""
        return self._site.read(Progress, self._call("read_progress"))

    def list_questionnaires(self) -> Iterator[Questionnaire]:
        """The questionnaires in the order of the plan."""
        return self._site.pages(Questionnaire, self._call("list_questionnaires"))

    def list_raters(self) -> Iterator[Rater]:
        """The raters by pseudonym, with what the checks say of them. It needs the scope `ratings`."""
        return self._site.pages(Rater, self._call("list_raters"))

    def list_exclusions(self) -> Iterator[Exclusion]:
        """What is kept out of the scores, and why."""
        return self._site.pages(Exclusion, self._call("list_exclusions"))

    def ratings(self, *, include: More | Sequence[More] = ()) -> "DataFrame":
        """All ratings that count, a row each; `meta_eval.read_ratings` takes the frame as it is.

        The columns are those of `ratings.csv` (docs/exports.md): `rating` a whole number from 1 to 6,
        `submitted_at` a time in UTC, what is not known missing. include: what comes besides, named in
        `state`. The site writes down who takes ratings.
        """
        query = {"include": ",".join(names_of(include)) or None}
        call = self._call("read_ratings", query=query, headers={"Accept": PARQUET})
        return parquet_frame(self._site.ask(call).content)

    def exclude(
        self, rater: str, reason: str, *, questionnaire: int | None = None, key: str | None = None
    ) -> Exclusion:
        """Keep a rater, or one completed questionnaire of theirs, out of the scores; nothing is deleted."""
        sent = {"rater": rater, "reason": reason}
        more = {} if questionnaire is None else {"questionnaire": questionnaire}
        return self._site.read(Exclusion, self._call("exclude_rater", json={**sent, **more}, key=key))

    def undo_exclusion(self, exclusion: Exclusion | int) -> None:
        """Count again what was excluded."""
        number = exclusion if isinstance(exclusion, int) else exclusion.id
        call = Call(operation="undo_exclusion", at={"id": self.id, "exclusion": number})
        self._site.ask(call)

    def change(self, *, only_if_unchanged: bool = False, **plan: Unpack[ChangeFields]) -> "Batch":
        """Change a draft: fields as of `create`; each that is left out stays as it is.

        Raises ConflictError for a launched batch, InvalidError.
        """
        return self._act("change_draft", only_if_unchanged, json=sendable(plan))

    def delete(self, *, only_if_unchanged: bool = False) -> None:
        """Delete a draft. Raises ConflictError for a launched batch: see `kept`."""
        self._site.ask(self._call("delete_draft", tag=self._tag if only_if_unchanged else None))

    def declare_primary(
        self,
        coefficient: str,
        surrogate: str,
        *,
        score: Literal["degress", "perseval"] = "degress",
        only_if_unchanged: bool = False,
    ) -> "Batch":
        """Say by which coefficient reports answer; they tell when it was declared and what it replaced.

        surrogate: the measure of its human side. Two empty texts take it back, before the first rating.
        Raises InvalidError.
        """
        sent = {"coefficient": coefficient, "surrogate": surrogate, "score": score}
        sent = {f"primary_{name}": value for name, value in sent.items()}
        return self._act("declare_primary", only_if_unchanged, json=sent)

    def launch(self, *, confirmed: bool = False, only_if_unchanged: bool = False) -> "Batch":
        """Open the raters' link. The site remembers no program's preview, so that one check always warns.

        confirmed: launch in spite of warnings. Raises ConflictError with what the checks found.
        """
        return self._act("launch_batch", only_if_unchanged, json={"confirmed": confirmed})

    def move_window(self, *, only_if_unchanged: bool = False, **window: Unpack[WindowFields]) -> "Batch":
        """Move when raters can take part in a live batch: `opens_at`, `closes_at`; what is left out stays.

        None opens it now, or takes the end away. Raises ConflictError for a draft: `change` it.
        """
        return self._act("move_window", only_if_unchanged, json=sendable(window))

    def pause(self, *, only_if_unchanged: bool = False) -> "Batch":
        """Hand out no questionnaires for a while."""
        return self._act("pause_batch", only_if_unchanged)

    def resume(self, *, only_if_unchanged: bool = False) -> "Batch":
        """Hand out questionnaires again."""
        return self._act("resume_batch", only_if_unchanged)

    def close(self, *, only_if_unchanged: bool = False) -> "Batch":
        """Hand out no more questionnaires; what is begun may be finished."""
        return self._act("close_batch", only_if_unchanged)

    def freeze(self, *, only_if_unchanged: bool = False, wait: bool = True, timeout: float = 3600) -> "Batch":
        """Freeze a closed batch, for good.

        A worker freezes a batch of very many ratings. wait: whether to look until it has, for at most
        `timeout` seconds; without it the batch comes back as it is, and `freezing` says how far it is.
        Raises JobFailedError where the worker could not, StillRunningError when the time is over.
        """
        batch = self._act("freeze_batch", only_if_unchanged)
        if batch.state == "frozen" or not wait:
            return batch
        job = _Freezing(batch)
        sleep = self._site.sleep
        return wait_for(job, job.read, timeout=timeout, progress=False, sleep=sleep, name="Freezing").batch

    def extend(
        self,
        *,
        raters: int | None = None,
        documents: int | None = None,
        document_keys: Sequence[str] | None = None,
        only_if_unchanged: bool = False,
        key: str | None = None,
    ) -> "Batch":
        """Add raters to every questionnaire of a live batch, or documents: one of them."""
        sent = {"raters": raters, "documents": documents, "document_keys": document_keys}
        sent = {name: value for name, value in sent.items() if value is not None}
        return self._act("extend_batch", only_if_unchanged, json=sent, key=key)

    def _call(self, operation: str, **more: Any) -> Call:
        return Call(operation=operation, at={"id": self.id}, **more)

    def _act(self, operation: str, only_if_unchanged: bool, **more: Any) -> "Batch":
        tag = self._tag if only_if_unchanged else None
        return asked(self._site, Batch, self._call(operation, tag=tag, **more))


@dataclass(frozen=True)
class _Freezing:
    """A batch that a worker freezes, as what is waited for."""

    batch: Batch

    @property
    def id(self) -> int:
        return self.batch.id

    @property
    def state(self) -> str:
        return "done" if self.batch.state == "frozen" else self.batch.freezing

    @property
    def percent(self) -> int:
        return 100 if self.state == "done" else 0

    @property
    def error(self) -> str:
        return self.batch.freezing_error

    def read(self) -> "_Freezing":
        return _Freezing(self.batch.refresh())


class Batches:
    """`concord.batches`."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def list(
        self,
        *,
        q: str | None = None,
        state: str | None = None,
        corpus: CorpusRow | int | None = None,
        archive: Archive | None = None,
        project: Project | int | None = None,
    ) -> Iterator[BatchRow]:
        """All batches, newest first, fetched page by page. q: words to look for."""
        query = {"q": q, "state": state, "corpus": number_of(corpus), "archive": archive}
        query["project"] = number_of(project)
        call = Call(operation="list_batches", query=query)
        return (bound(self._site, one) for one in self._site.pages(BatchRow, call))

    def get(self, id: int) -> Batch:
        """The batch with this number. Raises NotFoundError."""
        return asked(self._site, Batch, Call(operation="read_batch", at={"id": id}))

    def create(
        self, corpus: CorpusRow | int, name: str, *, key: str | None = None, **plan: Unpack[PlanFields]
    ) -> Batch:
        """Plan a batch: a draft, which nobody rates before its launch.

        plan: `preset` (`perseval`, `icopernicus`, `thesis`) for a paper's whole design, or the fields one by
        one; without a preset say how many `documents`. key: a text of your own; the same plan sent again
        with it within 24 hours gives the same batch, in another process too. Raises InvalidError.
        """
        sent = {**sendable(plan), "corpus": number_of(corpus), "name": name}
        return asked(self._site, Batch, Call(operation="plan_batch", json=sent, key=key))
