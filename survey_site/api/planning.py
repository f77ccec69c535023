"""From what a program asks to a draft: the settings of the planning page, with its presets and its limit."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.presets import PRESETS, preset_values
from survey_site.batches.primary import PrimaryChoice
from survey_site.batches.services import BatchSettings, create_batch, update_batch
from survey_site.batches.standing import settings_of
from survey_site.common.errors import InvalidInputError
from survey_site.corpus.models import Corpus, System
from survey_site.projects.access import visible
from survey_site.survey.people.participation import limit_questionnaires

SETTINGS = {one.name for one in fields(BatchSettings)}


def plan_batch_asked(asked: Mapping[str, Any], *, by: User, now: datetime) -> Batch:
    """The draft. What is asked for comes before what the preset says.

    Raises ValidationError by field, InvalidInputError for a corpus or a system that there is not.
    """
    corpus = visible(Corpus.objects.filter(pk=asked["corpus"]), by).first()
    if corpus is None:
        raise _unknown("corpus", "There is no such corpus.")
    values = preset_values(PRESETS[asked["preset"]], corpus) if "preset" in asked else {}
    values |= {name: value for name, value in asked.items() if name in {*SETTINGS, "limit"}}
    if "systems" in asked:
        values["systems"] = _systems(corpus, asked["systems"])
    _choose(values, asked)
    given = {name: value for name, value in values.items() if name in SETTINGS}
    given["primary"] = primary_asked(asked)
    with transaction.atomic():
        batch = create_batch(corpus=corpus, settings=BatchSettings(**given), created_by=by, now=now)
        limit_questionnaires(batch=batch, limit=values.get("limit"), by=by, now=now)
        return batch


def change_plan_asked(batch: Batch, asked: Mapping[str, Any], *, by: User, now: datetime) -> Batch:
    """The draft with what is asked for in place of what stood; the rest stays.

    Raises ValidationError by field, ConflictError where it is launched, InvalidInputError for a system that
    there is not.
    """
    values = {**vars(settings_of(batch)), **{name: asked[name] for name in asked if name in SETTINGS}}
    if "systems" in asked:
        values["systems"] = _systems(batch.corpus, asked["systems"])
    if "documents" in asked and not asked.get("document_keys"):
        values["document_keys"] = None
    _choose(values, asked)
    values["primary"] = primary_asked(asked, standing=values["primary"])
    with transaction.atomic():
        changed = update_batch(batch=batch, settings=BatchSettings(**values), by=by, now=now)
        if "limit" in asked:
            limit_questionnaires(batch=changed, limit=asked["limit"], by=by, now=now)
        return changed


def _choose(values: dict[str, Any], asked: Mapping[str, Any]) -> None:
    """Of two settings that exclude each other let the one that is asked for stand: which documents or how
    many, how many reader pairs or all among so many readers.
    """
    if values.get("document_keys"):
        values["documents"] = None
    elif not values.get("documents"):
        raise _unknown("documents", "Say how many documents, or which.")
    if "reader_pairs" in asked and "readers" not in asked:
        values["readers"] = None


def primary_asked(asked: Mapping[str, Any], *, standing: PrimaryChoice | None = None) -> PrimaryChoice:
    """The primary coefficient that is asked for; of what is left out, that which stands."""
    kept = vars(standing or PrimaryChoice())
    choice = PrimaryChoice(**{name: asked.get(f"primary_{name}", value) for name, value in kept.items()})
    return choice if choice.coefficient else replace(choice, score="degress")


def _systems(corpus: Corpus, names: list[str]) -> list[System]:
    found = {system.name: system for system in corpus.systems.filter(name__in=names)}
    if missing := sorted(set(names) - set(found)):
        raise _unknown("systems", f"Not systems of this corpus: {', '.join(missing)}.")
    return [found[name] for name in names]


def _unknown(field: str, words: str) -> InvalidInputError:
    return InvalidInputError(words, action="Change it, and send it again.", fields={field: [words]})
