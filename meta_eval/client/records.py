"""What a site answers, as frozen records; docs/api.md and the site's reference say what each field means."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar

from meta_eval.client.sending import Call, Site, decoded

BatchState = Literal["draft", "live", "paused", "closed", "frozen"]
JobState = Literal["queued", "running", "done", "failed"]


class Bound:
    """A record that knows where it came from, so that more can be asked of it."""

    _site: Site
    _tag: str | None

    def bind(self, site: Site, tag: str | None = None) -> None:
        """Once, by whoever read the record: it is frozen for everybody else."""
        object.__setattr__(self, "_site", site)
        object.__setattr__(self, "_tag", tag)


B = TypeVar("B", bound=Bound)


def asked(site: Site, kind: type[B], call: Call) -> B:
    """The answer as a record that is bound to the site."""
    answer = site.ask(call)
    made = decoded(kind, answer.content)
    made.bind(site, answer.tag)
    return made


def bound(site: Site, record: B) -> B:
    """The same record, bound."""
    record.bind(site)
    return record


def number_of(thing: Any) -> int | None:
    """The number of a record, or the number itself."""
    return thing if thing is None or isinstance(thing, int) else int(thing.id)


@dataclass(frozen=True, kw_only=True)
class CorpusSystem:
    """A system of a corpus: how many summaries it wrote, and for how many references it wrote none.

    `generated`: how a language model wrote them, as `generate` recorded it, where somebody told the site.
    """

    id: int
    name: str
    summaries: int
    missing: int
    generated: dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file of ratings that were collected elsewhere."""

    id: int
    batch: int
    batch_name: str
    file: str
    content_hash: str
    known: Any
    raters_known: bool
    uploaded_at: datetime


@dataclass(frozen=True, kw_only=True)
class Distances:
    """Distances that another tool computed; `covered` of the `wanted` pairs of texts have one."""

    id: int
    corpus: int
    name: str
    content_hash: str
    source: str
    pairs: int
    covered: int
    wanted: int
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check before a launch: an error blocks it, a warning has to be confirmed."""

    title: str
    level: Literal["error", "warning", "fine"]
    message: str


@dataclass(frozen=True, kw_only=True)
class PlannedItem:
    """A pair of a planned questionnaire: of a system, or a control."""

    places: list[Any]
    system: str | None = None
    control: str | None = None
    texts: list[Any] | None = None


@dataclass(frozen=True, kw_only=True)
class PlannedQuestionnaire:
    """A questionnaire of a plan."""

    number: int
    document: str
    reader_a: str
    reader_b: str
    raters: int
    items: list[PlannedItem]
    controls: list[PlannedItem]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A batch's plan; before its launch it has no questionnaires."""

    seed: int | None
    options: dict[str, Any]
    systems: list[str]
    notes: list[str]
    questionnaires: list[PlannedQuestionnaire]


@dataclass(frozen=True, kw_only=True)
class PreviewPair:
    """Two texts side by side, as raters read them."""

    position: int
    left: str
    right: str


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point of the scale; `words` is empty where it has none."""

    value: int
    words: str


@dataclass(frozen=True, kw_only=True)
class Reason:
    """A reason for which a rater may leave a pair unrated."""

    reason: str
    words: str


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A questionnaire as raters see it: `number` of `questionnaires`."""

    number: int
    questionnaires: int
    language: str
    question: str
    instructions: str
    points: list[Point]
    title: str
    body: str
    pairs: list[PreviewPair]
    reasons: list[Reason]


@dataclass(frozen=True, kw_only=True)
class SystemCount:
    """Pairs and ratings of a system, of gold or of a kind of control."""

    system: str | None
    control: str
    items: int
    ratings: int
    wanted: int


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a launched batch is; `percent` runs from 0 to 100."""

    questionnaires: int
    by_completed: list[int]
    completions: int
    completions_wanted: int
    active: int
    stale: int
    expired: int
    surplus: int
    marked: int
    excluded: int
    ratings: int
    ratings_wanted: int
    raters: int
    withdrawn: int
    simulated: int
    simulated_completions: int
    systems: list[SystemCount]
    controls: list[SystemCount]
    percent: float
    is_complete: bool


@dataclass(frozen=True, kw_only=True)
class Questionnaire:
    """A questionnaire, and how many raters took and completed it."""

    number: int
    document: str
    reader_a: str
    reader_b: str
    places: int
    taken: int
    completed: int


@dataclass(frozen=True, kw_only=True)
class Rater:
    """A rater by pseudonym; `flags` is None before the checks are made."""

    code: str
    simulated: bool
    completed: int
    unfinished: int
    surplus: int
    ratings: int
    marks: int
    flags: list[str] | None
    exclusion: int | None


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """A rater, or one of their questionnaires, that is kept out of the scores."""

    id: int
    rater: str
    questionnaire: int | None
    reason: str
    excluded_at: datetime


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Something that staff are told of; `subject` is the rater's code, or the number of report or webhook."""

    id: int
    kind: str
    title: str
    what_to_do: str
    batch: int | None
    subject: str
    at: datetime
    is_read: bool
    read_by: list[str]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A score that a report joins, and how far it is."""

    kind: str
    measure: str
    percent: int
    run: int | None


@dataclass(frozen=True, kw_only=True)
class ReportFile:
    """A file that reports give: its address below `files/`."""

    address: str
    title: str
    content_type: str
