"""The rows of an uploaded batch: its questionnaires and items, and what raters did in them."""

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from django.db import models

from meta_eval.corpus.documents import GOLD
from survey_site.batches.models import Batch, Item, Questionnaire
from survey_site.batches.states import AssignmentState
from survey_site.corpus.models import Document, Reader, System
from survey_site.survey.models import Assignment, AssignmentItem, Rater, Rating, make_rater_code
from survey_site.uploads.files import UploadedRating
from survey_site.uploads.grouping import Group, Page

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


def store_groups(
    batch: Batch, groups: Sequence[Group], raters: Mapping[str, Coded], *, now: datetime
) -> None:
    """Write all rows below the batch's own, and its systems."""
    people = _store_raters(batch, raters, now)
    questionnaires = _store_questionnaires(batch, groups)
    items = _store_items(batch, groups, questionnaires)
    pages = [(group, page) for group in groups for page in group.pages]
    assignments = _store_assignments(groups, questionnaires, people, now)
    placements = [
        (
            AssignmentItem(
                assignment=assignment,
                item=items[group.number, row.rating.system],
                position=row.columns.position or number,
                flipped=_flipped(row, group),
            ),
            row.rating.rating,
        )
        for (group, page), assignment in zip(pages, assignments, strict=True)
        for number, row in enumerate(page.rows, start=1)
    ]
    _create(placement for placement, _ in placements)
    _create(
        Rating(assignment_item=placement, value=value, created_at=now, updated_at=now)
        for placement, value in placements
    )


def _flipped(row: UploadedRating, group: Group) -> bool:
    """As the questionnaire names the readers: the file may name them the other way round."""
    return bool(row.columns.flipped) != (row.rating.reader_a != group.reader_a)


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


def _store_questionnaires(batch: Batch, groups: Sequence[Group]) -> list[Questionnaire]:
    documents = _by_key(Document.objects.filter(corpus=batch.corpus_id), "key")
    readers = _by_key(Reader.objects.filter(corpus=batch.corpus_id), "key")
    rows = [
        Questionnaire(
            batch=batch,
            number=group.number,
            document_id=documents[group.document],
            reader_a_id=readers[group.reader_a],
            reader_b_id=readers[group.reader_b],
            slots=len(group.pages),
        )
        for group in groups
    ]
    _create(rows)
    return rows


def _store_items(
    batch: Batch, groups: Sequence[Group], questionnaires: Sequence[Questionnaire]
) -> dict[tuple[int, str], Item]:
    systems = _by_key(System.objects.filter(corpus=batch.corpus_id), "name")
    items = {
        (group.number, system): Item(questionnaire=questionnaire, system_id=systems.get(system))
        for group, questionnaire in zip(groups, questionnaires, strict=True)
        for system in group.systems
    }
    _create(items.values())
    batch.systems.set(systems[name] for name in {system for _, system in items} - {GOLD})
    return items


def _store_assignments(
    groups: Sequence[Group],
    questionnaires: Sequence[Questionnaire],
    people: dict[str, Rater],
    now: datetime,
) -> list[Assignment]:
    rows = [
        _assignment(page, questionnaire, slot, people[page.rater], now)
        for group, questionnaire in zip(groups, questionnaires, strict=True)
        for slot, page in enumerate(group.pages, start=1)
    ]
    _create(rows)
    return rows


def _assignment(
    page: Page, questionnaire: Questionnaire, slot: int, rater: Rater, now: datetime
) -> Assignment:
    """A page is submitted with its last rating; when it was claimed nobody knows."""
    times = [row.columns.submitted_at for row in page.rows if row.columns.submitted_at]
    submitted = max(times, default=now)
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
