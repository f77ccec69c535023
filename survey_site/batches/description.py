"""A batch as plain values, for whatever is written down and sealed: its plan and what raters were asked."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from meta_eval.corpus.documents import GOLD
from survey_site.batches.models import Batch, Item
from survey_site.batches.primary import describe_primary
from survey_site.batches.translations import shown_wording
from survey_site.batches.wording import LABELS, MIDDLE_LABELS


def describe_plan(batch: Batch) -> dict[str, Any]:
    """The plan and all that it was made from."""
    return {**describe_design(batch), "questionnaires": list(_planned(batch))}


def describe_design(batch: Batch) -> dict[str, Any]:
    """All that the plan was made from, which is short, without what it came to."""
    return {
        "seed": batch.seed,
        "options": {
            "documents": batch.documents,
            "document_keys": batch.document_keys,
            "reader_pairs": batch.reader_pairs,
            "readers": batch.readers,
            "systems_per_questionnaire": batch.systems_per_questionnaire,
            "raters": batch.raters,
            "parts_together": batch.parts_together,
            "identical_share": batch.identical_share,
            "unrelated_share": batch.unrelated_share,
        },
        "systems": list(batch.systems.order_by("position").values_list("name", flat=True)),
        "notes": batch.plan_notes,
        **_primary(batch),
    }


def _primary(batch: Batch) -> dict[str, Any]:
    """The primary coefficient and when it was declared, where one was."""
    primary = describe_primary(batch)
    return {"primary": primary} if primary else {}


def _planned(batch: Batch) -> Iterator[dict[str, Any]]:
    """Each questionnaire with what it asks. Read as plain rows: there may be very many."""
    asked: dict[int, list[tuple[Any, ...]]] = {}
    items = Item.objects.filter(questionnaire__batch=batch).order_by("pk")
    as_text = [Cast(name, TextField()) for name in ("texts", "places")]
    for key, *item in items.values_list("questionnaire_id", "control", "system__name", *as_text).iterator():
        asked.setdefault(key, []).append(tuple(item))
    rows = batch.questionnaires.order_by("number")
    columns = ("pk", "number", "document__key", "reader_a__key", "reader_b__key", "slots")
    for key, number, document, reader_a, reader_b, slots in rows.values_list(*columns).iterator():
        found = asked.get(key, [])
        yield {
            "number": number,
            "document": document,
            "reader_a": reader_a,
            "reader_b": reader_b,
            "raters": slots,
            "items": [
                {"system": system or GOLD, "places": _loaded(places)}
                for control, system, _, places in found
                if not control
            ],
            "controls": [
                {"control": control, "texts": _loaded(texts), "places": _loaded(places)}
                for control, _, texts, places in found
                if control
            ],
        }


@lru_cache(maxsize=4096)
def _loaded(text: str) -> Any:
    """The same few lists stand in very many items; nobody changes them."""
    return json.loads(text)


def _wording(batch: Batch, language: str) -> dict[str, str]:
    """What those read who chose this language."""
    shown = vars(shown_wording(batch, language)).items()
    return _said({part: text.words for part, text in shown})


def _labels(batch: Batch) -> dict[str, str]:
    """The words of both ends, and those of the points between them where they have some."""
    return _said({part: getattr(batch, part) for part in LABELS})


def _said(words: Mapping[str, str]) -> dict[str, str]:
    """Without the points between the ends that have no words."""
    return {part: word for part, word in words.items() if word or part not in MIDDLE_LABELS}


def describe_study(batch: Batch) -> dict[str, Any]:
    """What raters were asked, in the words that they read."""
    return {
        "batch": batch.name,
        "scale": batch.scale,
        "question": batch.question,
        **_labels(batch),
        "instructions": batch.instructions,
        "document_shown": batch.document_shown,
        # Only where they are: the study of a report that is sealed already stays as it was.
        **({"marks_allowed": True} if batch.marks_allowed else {}),
        **({"equal_pairs_once": True} if batch.equal_pairs_once else {}),
        **({"one_typography": True} if batch.one_typography else {}),
        "language": batch.language,
        "further_wordings": {code: _wording(batch, code) for code in batch.languages[1:]},
        "raters": batch.raters,
        "claim_minutes": batch.claim_minutes,
    }
