"""The rows of an uploaded batch: its questionnaires and items, and what raters did in them."""

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count, islice
from typing import Any, TypeVar

from django.db import models

from meta_eval.corpus.documents import GOLD
from meta_eval.ratings.questionnaires import RatedPage, RatedQuestionnaire
from survey_site.batches.models import Batch, Item, Questionnaire
from survey_site.batches.states import AssignmentState
from survey_site.corpus.models import Document, Reader, System
from survey_site.survey.models import Assignment, AssignmentItem, Rater, Rating, make_rater_code
from survey_site.uploads.files import UploadedRating

CHUNK = 5000  # rows held as objects at a time
_CODE = re.compile(r"[\w.-]{1,20}")

ModelRow = TypeVar("ModelRow", bound=models.Model)


@dataclass(frozen=True)
class Coded:
    """A rater as they are called here."""

    code: str
    simulated: bool


def code_raters(raters: Mapping[str, bool], *, named: bool) -> dict[str, Coded]:
    """Each rater of the file, given with whether a program rated: under their name where it can be a code
    and is free, else under a new one.

    named: whether the file has names at all; without, its raters are only counted.
    """
    taken = set(Rater.objects.filter(code__in=list(raters)).values_list("code", flat=True))
    return {
        name: Coded(_code(name, simulated, taken) if named else _nobody(), simulated)
        for name, simulated in raters.items()
    }


def _code(name: str, simulated: bool, taken: set[str]) -> str:
    if _CODE.fullmatch(name) and name not in taken:
        return name
    return make_rater_code(simulated=simulated)


def _nobody() -> str:
    return f"response-{secrets.token_hex(5)}"


def store_questionnaires(
    batch: Batch,
    rated: Sequence[RatedQuestionnaire],
    rows: Sequence[UploadedRating],
    raters: Mapping[str, Coded],
    *,
    now: datetime,
) -> None:
    """Write all rows below the batch's own, and its systems."""
    people = _store_raters(batch, raters, now)
    questionnaires = _store_questionnaires(batch, rated)
    items = _store_items(batch, rated, questionnaires)
    placements = [
        placed
        for one, page, assignment in _store_assignments(rated, questionnaires, rows, people, now)
        for placed in _place(one, assignment, [rows[index] for index in page.indices], items)
    ]
    _create(placement for placement, _ in placements if placement.same_as is None)
    _create(placement for placement, _ in placements if placement.same_as is not None)
    _create(
        Rating(assignment_item=placement, value=value, created_at=now, updated_at=now)
        for placement, value in placements
    )


def _place(
    rated: RatedQuestionnaire,
    assignment: Assignment,
    rows: Sequence[UploadedRating],
    items: Mapping[tuple[str, str], Item],
) -> Iterator[tuple[AssignmentItem, int]]:
    """The rows of a page where they stood, with their ratings; then, where there is room, what nobody saw."""
    at: dict[int, AssignmentItem] = {}
    shown = [row for row in rows if row.columns.copied_from is None]
    for number, row in enumerate(shown, start=1):
        position = row.columns.position or number
        item = items[rated.number, row.rating.system]
        at[position] = AssignmentItem(
            assignment=assignment, item=item, position=position, flipped=_flipped(row, rated)
        )
        yield at[position], row.rating.rating
    free = (number for number in count(len(shown) + 1) if number not in at)
    for row in rows:
        if row.columns.copied_from is not None:
            same, item = at[row.columns.copied_from], items[rated.number, row.rating.system]
            copy = AssignmentItem(
                assignment=assignment, item=item, position=next(free), flipped=same.flipped, same_as=same
            )
            yield copy, row.rating.rating


def _flipped(row: UploadedRating, rated: RatedQuestionnaire) -> bool:
    """As the questionnaire names the readers: the file may name them the other way round."""
    return bool(row.columns.flipped) != (row.rating.reader_a != rated.reader_a)


def _store_raters(batch: Batch, raters: Mapping[str, Coded], now: datetime) -> dict[str, Rater]:
    """Nobody can come back as one of them: the secret behind each hash is thrown away."""
    people = {
        name: Rater(
            batch=batch,
            code=one.code,
            key_hash=secrets.token_hex(32),
            simulated=one.simulated,
            created_at=now,
        )
        for name, one in raters.items()
    }
    _create(people.values())
    return people


def _store_questionnaires(batch: Batch, rated: Sequence[RatedQuestionnaire]) -> list[Questionnaire]:
    documents = _by_key(Document.objects.filter(corpus=batch.corpus_id), "key")
    readers = _by_key(Reader.objects.filter(corpus=batch.corpus_id), "key")
    rows = [
        Questionnaire(
            batch=batch,
            number=int(one.number),
            document_id=documents[one.document],
            reader_a_id=readers[one.reader_a],
            reader_b_id=readers[one.reader_b],
            slots=len(one.pages),
            taken=len(one.pages),
        )
        for one in rated
    ]
    _create(rows)
    return rows


def _store_items(
    batch: Batch, rated: Sequence[RatedQuestionnaire], questionnaires: Sequence[Questionnaire]
) -> dict[tuple[str, str], Item]:
    systems = _by_key(System.objects.filter(corpus=batch.corpus_id), "name")
    items = {
        (one.number, system): Item(questionnaire=questionnaire, system_id=systems.get(system))
        for one, questionnaire in zip(rated, questionnaires, strict=True)
        for system in one.systems
    }
    _create(items.values())
    batch.systems.set(systems[name] for name in {system for _, system in items} - {GOLD})
    return items


def _store_assignments(
    rated: Sequence[RatedQuestionnaire],
    questionnaires: Sequence[Questionnaire],
    rows: Sequence[UploadedRating],
    people: dict[str, Rater],
    now: datetime,
) -> list[tuple[RatedQuestionnaire, RatedPage, Assignment]]:
    pages = [
        (one, page, _assignment(questionnaire, slot, people[page.rater], _submitted_at(page, rows) or now))
        for one, questionnaire in zip(rated, questionnaires, strict=True)
        for slot, page in enumerate(one.pages, start=1)
    ]
    _create(assignment for _one, _page, assignment in pages)
    return pages


def _submitted_at(page: RatedPage, rows: Sequence[UploadedRating]) -> datetime | None:
    """A page is submitted with its last rating; None where the file has no times."""
    times = (rows[index].columns.submitted_at for index in page.indices)
    return max((time for time in times if time), default=None)


def _assignment(questionnaire: Questionnaire, slot: int, rater: Rater, submitted: datetime) -> Assignment:
    """When a page was claimed nobody knows: it stands as claimed when it was submitted."""
    return Assignment(
        questionnaire=questionnaire,
        rater=rater,
        slot=slot,
        slots=questionnaire.slots,
        state=AssignmentState.SUBMITTED,
        claimed_at=submitted,
        expires_at=submitted,
        submitted_at=submitted,
    )


def _by_key(rows: "models.QuerySet[Any]", name: str) -> dict[str, int]:
    return dict(rows.values_list(name, "pk"))


def _create(rows: Iterable[ModelRow]) -> None:
    iterator: Iterator[ModelRow] = iter(rows)
    while chunk := list(islice(iterator, CHUNK)):
        type(chunk[0])._default_manager.bulk_create(chunk)
