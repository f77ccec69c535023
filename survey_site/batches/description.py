"""A batch as plain values, for whatever is written down and sealed: its plan and what raters were asked."""

from collections.abc import Iterable, Mapping
from typing import Any

from meta_eval.corpus.documents import GOLD
from survey_site.batches.models import Batch, Item, Questionnaire
from survey_site.batches.primary import describe_primary
from survey_site.batches.translations import shown_wording
from survey_site.batches.wording import LABELS, MIDDLE_LABELS


def describe_plan(batch: Batch) -> dict[str, Any]:
    """The plan and all that it was made from."""
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
        "questionnaires": [_planned(questionnaire) for questionnaire in _questionnaires(batch)],
    }


def _primary(batch: Batch) -> dict[str, Any]:
    """The primary coefficient and when it was declared, where one was."""
    primary = describe_primary(batch)
    return {"primary": primary} if primary else {}


def _questionnaires(batch: Batch) -> Iterable[Questionnaire]:
    rows = batch.questionnaires.order_by("number").select_related("document", "reader_a", "reader_b")
    return rows.prefetch_related("items__system")


def _planned(questionnaire: Questionnaire) -> dict[str, Any]:
    items = sorted(questionnaire.items.all(), key=lambda item: item.pk)
    return {
        "number": questionnaire.number,
        "document": questionnaire.document.key,
        "reader_a": questionnaire.reader_a.key,
        "reader_b": questionnaire.reader_b.key,
        "raters": questionnaire.slots,
        "items": [
            {"system": _system_name(item), "places": item.places} for item in items if not item.control
        ],
        "controls": [
            {"control": item.control, "texts": item.texts, "places": item.places}
            for item in items
            if item.control
        ],
    }


def _system_name(item: Item) -> str:
    return item.system.name if item.system else GOLD


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
        "language": batch.language,
        "further_wordings": {code: _wording(batch, code) for code in batch.languages[1:]},
        "raters": batch.raters,
        "claim_minutes": batch.claim_minutes,
    }
