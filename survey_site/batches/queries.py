"""Reads about batches. What raters did is reached through the plan's rows, by reverse relations."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Length

from survey_site.batches.effort import CHARACTERS_PER_WORD, Effort, count_parts, estimate_effort, reading_load
from survey_site.batches.item_counts import SystemCount, count_items
from survey_site.batches.models import Batch, Questionnaire, scored_items
from survey_site.batches.planning import plan_batch
from survey_site.batches.states import AssignmentState, BatchStatus
from survey_site.batches.timing import Completion
from survey_site.corpus.models import Corpus, Document

LIVE_FIRST = Case(When(status=BatchStatus.LIVE, then=0), When(status=BatchStatus.DRAFT, then=1), default=2)
"""The order in which batches need somebody: live ones, drafts, closed ones."""

SUBMITTED = Q(assignments__state=AssignmentState.SUBMITTED)
EXCLUDED = Q(assignments__exclusion__isnull=False) | Q(assignments__rater__exclusion__isnull=False)


@dataclass(frozen=True)
class BatchProgress:
    """How far a launched batch is.

    by_completed[k]: questionnaires that k raters completed, k = 0 .. raters, or more where they are uploaded.
    stale: claims past their time that nobody has taken over yet. marked: submitted with a pair that the rater
    could not judge, and without a place for it. Ratings are those that count: of completed
    questionnaires, without surplus, without controls and without what an admin excluded (`excluded`
    questionnaires, completions all the same). `raters` are people who joined and did not withdraw.
    """

    questionnaires: int
    by_completed: tuple[int, ...]
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
    systems: tuple[SystemCount, ...]
    controls: tuple[SystemCount, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every place is rated."""
        return self.completions >= self.completions_wanted > 0

    @property
    def percent(self) -> float:
        """Share of the wanted completions, 0 to 100."""
        return 100 * self.completions / self.completions_wanted if self.completions_wanted else 0.0


PACE_WINDOW = timedelta(days=1)
LEAST_COMPLETIONS = 3
"""Fewer completed questionnaires than this in the window say nothing about when all will be."""


@dataclass(frozen=True)
class BatchPace:
    """Over the last `hours`; `ends_at` is when all will be completed if it goes on so, None if it is over."""

    hours: float
    ratings_per_hour: float
    ends_at: datetime | None


def batch_list() -> QuerySet[Batch]:
    """All batches, newest first, with what the list page shows of each."""
    questionnaires = Questionnaire.objects.filter(batch=OuterRef("pk")).order_by().values("batch")
    submitted = questionnaires.filter(SUBMITTED)
    return (
        Batch.objects.select_related("corpus")
        .annotate(questionnaire_count=_count(questionnaires), completed=_count(submitted))
        .annotate(wanted=F("raters") * F("questionnaire_count"))
        .order_by("-created_at", "-pk")
    )


def _count(rows: "QuerySet[Any, Any]") -> Coalesce:
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0)


def find_documents(corpus: Corpus, words: str) -> "QuerySet[Document, tuple[str, str]]":
    """Id and title of the documents that have these words in either, in the corpus' order; "" finds all."""
    found = Q(key__icontains=words) | Q(title__icontains=words)
    return corpus.documents.filter(found).order_by("position").values_list("key", "title")


@dataclass(frozen=True)
class PlanOrder:
    """In which order questionnaires with `taken` places are handed out, to one rater after the other.

    Those that most raters have come first, for a pair counts only with its full number of raters. Where parts
    are kept together, a document and reader pair is finished before the next is begun, each rater in turn
    taking the part that fewest have: PerSEval's "two consecutive respondents evaluated all ten models".
    `parts`: how many a pair has then, else None.
    """

    parts: int | None

    @property
    def columns(self) -> tuple[CombinedExpression | str, ...]:
        """For a query."""
        if self.parts is None:
            return "-taken", "number"
        return (F("number") - 1) / self.parts, "taken", "number"

    def place(self, *, taken: int, number: int) -> tuple[int, ...]:
        """The same for two questionnaires at hand: who has the lesser one goes first."""
        return (-taken, number) if self.parts is None else ((number - 1) // self.parts, taken, number)


def plan_order(batch: Batch) -> PlanOrder:
    return PlanOrder(parts_of_a_pair(batch) if batch.parts_together else None)


def parts_of_a_pair(batch: Batch) -> int:
    """How many questionnaires ask about one document and reader pair, a part of the systems each."""
    return count_parts(batch.systems.count(), batch.systems_per_questionnaire)


def has_articles(batch: Batch, documents: "QuerySet[Document]") -> bool:
    """Whether raters get anything to read besides the pairs, of these documents; PENS without its news has
    no texts."""
    return batch.document_shown and documents.exclude(title="", body="").exists()


def documents_of(batch: Batch) -> "QuerySet[Document]":
    """Those that raters are asked about; of a draft those that its plan draws."""
    of_corpus = Document.objects.filter(corpus=batch.corpus_id)
    if batch.is_draft:
        return of_corpus.filter(key__in={one.document for one in plan_batch(batch).questionnaires})
    return of_corpus.filter(pk__in=batch.questionnaires.values("document"))


SHORT_ARTICLE_WORDS = 600
SHORT_TEXT_WORDS = 100


@dataclass(frozen=True)
class Shortness:
    """What raters may be told is short: all articles; the texts of the pairs, on average."""

    articles: bool
    texts: bool


def what_is_short(batch: Batch, documents: "QuerySet[Document]") -> Shortness:
    """documents: those that raters are asked about (`documents_of`)."""
    longest = documents.aggregate(characters=Max(Length("body")))["characters"] or 0
    return Shortness(
        articles=longest <= SHORT_ARTICLE_WORDS * CHARACTERS_PER_WORD,
        texts=reading_load(batch.corpus, document_shown=batch.document_shown).text <= SHORT_TEXT_WORDS,
    )


def batch_effort(batch: Batch, *, documents: int | None = None, limit: int | None = None) -> Effort:
    """What the batch asks of raters, or so many documents of its design.

    limit: questionnaires that one person may do.
    """
    return estimate_effort(
        reading_load(batch.corpus, document_shown=batch.document_shown),
        documents=documents or batch.documents,
        systems=batch.systems.count(),
        reader_pairs=batch.reader_pairs,
        systems_per_questionnaire=batch.systems_per_questionnaire,
        raters=batch.raters,
        control_shares=batch.control_shares,
        limit=limit,
    )


def batch_progress(batch: Batch, *, now: datetime) -> BatchProgress:
    """Progress of a launched batch in five queries."""
    by_completed = _questionnaires_by_completed(batch)
    counts = count_items(batch)
    systems = tuple(count for count in counts if not count.control)
    claims = _claim_counts(batch, now)
    withdrawn = Q(withdrawn_at__isnull=False)
    people = batch.people.aggregate(
        raters=Count("pk", filter=~withdrawn),
        simulated=Count("pk", filter=Q(simulated=True)),
        withdrawn=Count("pk", filter=withdrawn),
    )
    questionnaires = sum(by_completed)
    return BatchProgress(
        questionnaires=questionnaires,
        by_completed=by_completed,
        completions_wanted=questionnaires * batch.raters,
        ratings=sum(count.ratings for count in systems),
        ratings_wanted=sum(count.wanted for count in systems),
        systems=systems,
        controls=tuple(count for count in counts if count.control),
        **claims,
        **people,
    )


def batch_pace(
    batch: Batch, progress: BatchProgress, completed: Sequence[Completion], *, now: datetime
) -> BatchPace | None:
    """How fast ratings came in the last day, or since the launch; None before that says anything, and once
    the batch is closed. completed: `completions_of` the batch.
    """
    if batch.launched_at is None or not batch.is_live:
        return None
    start = max(batch.launched_at, batch.opens_at or batch.launched_at, now - PACE_WINDOW)
    hours = (now - start).total_seconds() / 3600
    start_ms = start.timestamp() * 1000
    completions = sum(one.at_ms > start_ms for one in completed)
    if completions < LEAST_COMPLETIONS or hours <= 0:
        return None
    left = progress.completions_wanted - progress.completions
    return BatchPace(
        hours=hours,
        ratings_per_hour=completions / hours * progress.ratings_wanted / progress.completions_wanted,
        ends_at=now + timedelta(hours=left * hours / completions) if left and batch.hands_out(now) else None,
    )


def _questionnaires_by_completed(batch: Batch) -> tuple[int, ...]:
    rows = batch.questionnaires.annotate(done=Count("assignments", filter=SUBMITTED)).order_by()
    counts = Counter(rows.values_list("done", flat=True))
    return tuple(counts[done] for done in range(max(batch.raters, *counts, 0) + 1))


def _claim_counts(batch: Batch, now: datetime) -> dict[str, int]:
    is_open = Q(assignments__state=AssignmentState.OPEN)
    return Questionnaire.objects.filter(batch=batch).aggregate(
        completions=Count("assignments", filter=SUBMITTED),
        simulated_completions=Count("assignments", filter=SUBMITTED & Q(assignments__rater__simulated=True)),
        active=Count("assignments", filter=is_open & Q(assignments__expires_at__gte=now)),
        stale=Count("assignments", filter=is_open & Q(assignments__expires_at__lt=now)),
        expired=Count("assignments", filter=Q(assignments__state=AssignmentState.EXPIRED)),
        surplus=Count("assignments", filter=Q(assignments__state=AssignmentState.SURPLUS)),
        marked=Count("assignments", filter=Q(assignments__state=AssignmentState.MARKED)),
        excluded=Count("assignments", filter=SUBMITTED & EXCLUDED),
    )


def given_names(batch: Batch) -> list[str]:
    """What people said that they are called, in an order that tells nothing of who rated what."""
    names = batch.people.exclude(name="").values_list("name", flat=True)
    return sorted(names.order_by(), key=str.casefold)


def raters_at_work(batch: Batch, *, words: str = "") -> "QuerySet[Any, int]":
    """The ids of those who have not withdrawn, people first and those who answered or claimed last.

    words: part of the codes of those who are wanted.

    By when their last claim ends, which each answer puts off: nobody looks through all ratings for it.
    """
    people = batch.people.filter(withdrawn_at=None, code__icontains=words)
    rows = people.annotate(until=Max("assignments__expires_at"))
    ordered = rows.order_by("simulated", F("until").desc(nulls_last=True), "pk")
    return ordered.values_list("pk", flat=True)


def rater_totals(batch: Batch, *, of: Collection[int] | None = None) -> "QuerySet[Any]":
    """Each rater who has not withdrawn: their questionnaires by what became of them, time of the last answer.

    of: the ids of those who are wanted; None for all, which reads every rating.

    `ratings` are those of completed questionnaires, `loose_ratings` those of unfinished ones; no controls.
    `marks`: how many pairs they could not judge, on any of their pages.
    """
    done = Q(assignments__state=AssignmentState.SUBMITTED)
    unfinished = Q(assignments__state__in=[AssignmentState.OPEN, AssignmentState.EXPIRED])
    wanted = Q() if of is None else Q(pk__in=list(of))
    return (
        batch.people.filter(wanted, withdrawn_at=None)
        .annotate(
            completed=Count("assignments", filter=done, distinct=True),
            surplus=Count("assignments", filter=Q(assignments__state=AssignmentState.SURPLUS), distinct=True),
            unfinished=Count("assignments", filter=unfinished, distinct=True),
            ratings=_count_ratings(done),
            loose_ratings=_count_ratings(unfinished),
            marks=Count(
                "assignments__placements__mark",
                filter=Q(assignments__placements__same_as=None),  # pairs that were shown as one are one
                distinct=True,
            ),
            last_answer=Max("assignments__placements__rating__updated_at"),
        )
        .order_by("simulated", F("last_answer").desc(nulls_last=True), "pk")
    )


def _count_ratings(of: Q) -> Count:
    """A rater's ratings in such assignments, controls apart."""
    scored = scored_items("assignments__placements__item")
    return Count("assignments__placements__rating", filter=of & scored, distinct=True)
