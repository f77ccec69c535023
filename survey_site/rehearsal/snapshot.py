"""The batch as the database has it after a rehearsal, as plain values to be checked."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from survey_site.batches.models import Batch
from survey_site.survey.models import Assignment, AssignmentItem, RatingHistory
from survey_site.survey.rating_rows import rating_rows


@dataclass(frozen=True)
class Claim:
    """One assignment. questionnaire: its number in the batch; places: how many raters it wants (N)."""

    code: str
    questionnaire: int
    places: int
    rater: int
    state: str
    slot: int | None
    expires_at: datetime
    claimed_at: datetime
    submitted_at: datetime | None


@dataclass(frozen=True)
class Answer:
    """One item of a claim: the rating that stands, and all it was given, oldest first."""

    item: str
    claim: str
    position: int
    value: int | None
    history: tuple[int, ...]


@dataclass(frozen=True)
class Snapshot:
    """claims, answers: by code; places: N by questionnaire; analysed: its raters in the main analysis."""

    claims: Mapping[str, Claim]
    answers: Mapping[str, Answer]
    places: Mapping[int, int]
    analysed: Mapping[int, frozenset[str]]

    def questionnaire_of(self, claim: str) -> int | None:
        return self.claims[claim].questionnaire if claim in self.claims else None

    def position_of(self, item: str) -> int | None:
        return self.answers[item].position if item in self.answers else None


def read_snapshot(batch: Batch) -> Snapshot:
    return Snapshot(
        claims=_read_claims(batch),
        answers=_read_answers(batch),
        places=dict(batch.questionnaires.values_list("number", "slots")),
        analysed=_read_analysed(batch),
    )


def _read_claims(batch: Batch) -> dict[str, Claim]:
    rows = Assignment.objects.filter(questionnaire__batch=batch).select_related("questionnaire")
    return {
        row.code: Claim(
            code=row.code,
            questionnaire=row.questionnaire.number,
            places=row.questionnaire.slots,
            rater=row.rater_id,
            state=row.state,
            slot=row.slot,
            expires_at=row.expires_at,
            claimed_at=row.claimed_at,
            submitted_at=row.submitted_at,
        )
        for row in rows
    }


def _read_answers(batch: Batch) -> dict[str, Answer]:
    history: dict[int, list[int]] = defaultdict(list)
    given = RatingHistory.objects.filter(assignment_item__assignment__questionnaire__batch=batch)
    for placement, value in given.order_by("pk").values_list("assignment_item", "value"):
        if value is not None:  # the crowd marks nothing
            history[placement].append(value)
    rows = AssignmentItem.objects.filter(assignment__questionnaire__batch=batch)
    columns = ("pk", "code", "assignment__code", "position", "rating__value")
    return {
        code: Answer(code, claim, position, value, tuple(history[pk]))
        for pk, code, claim, position, value in rows.values_list(*columns)
    }


def _read_analysed(batch: Batch) -> dict[int, frozenset[str]]:
    raters: dict[int, set[str]] = defaultdict(set)
    for row in rating_rows(batch):
        raters[row["questionnaire"]].add(row["rater"])
    return {number: frozenset(codes) for number, codes in raters.items()}
