"""From corpus rows to `meta_eval.design.plan` and back: which pairs a batch will ask about."""

from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy

from django.core.exceptions import ValidationError
from django.db.models import F

from meta_eval.design.plan import (
    ItemPlacement,
    PlannableDocument,
    PlannedQuestionnaire,
    SurveyPlan,
    plan_survey,
    shuffle_items,
)
from meta_eval.design.positions import balance_positions
from meta_eval.errors import InputError
from survey_site.batches.controls import control_items, plan_controls
from survey_site.batches.models import Batch, Item, Questionnaire
from survey_site.corpus.models import Corpus, Document, Reader, Reference, Summary, System

Places = list[tuple[int, bool]]
"""Position from 1 and whether the texts are swapped, for each slot."""


def plannable_documents(corpus: Corpus, systems: Sequence[System]) -> list[PlannableDocument]:
    """Each document with its readers, and for each system the readers for whom it wrote a summary."""
    references: dict[int, list[str]] = defaultdict(list)
    rows = Reference.objects.filter(document__corpus=corpus).order_by("pk")
    for document_id, reader in rows.values_list("document_id", "reader__key").iterator():
        references[document_id].append(reader)
    written = _readers_by_system(systems)
    documents = Document.objects.filter(corpus=corpus).order_by("position").values_list("pk", "key")
    return [
        PlannableDocument(id=key, readers=tuple(references[pk]), readers_by_system=written.get(pk, {}))
        for pk, key in documents
    ]


def _readers_by_system(systems: Sequence[System]) -> dict[int, dict[str, frozenset[str]]]:
    readers: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    rows = Summary.objects.filter(system__in=systems)
    for document_id, system, reader in rows.values_list(
        "document_id", "system__name", "reader__key"
    ).iterator():
        readers[document_id][system].add(reader)
    return {
        document: {system: frozenset(keys) for system, keys in by_system.items()}
        for document, by_system in readers.items()
    }


def plan_settings(
    batch: Batch, systems: Sequence[System], documents: int | None, *, without: Container[str] = ()
) -> SurveyPlan:
    """The plan of a batch that need not be stored yet; ValidationError where its settings allow none.

    without: keys of documents that are not to be drawn.
    """
    available = plannable_documents(batch.corpus, systems)
    try:
        plan = plan_survey(
            [document for document in available if document.id not in without],
            systems=[system.name for system in systems],
            documents=batch.document_keys or documents,
            reader_pairs=batch.reader_pairs,
            readers=batch.readers,
            systems_per_questionnaire=batch.systems_per_questionnaire,
            raters=batch.raters,
            parts_together=batch.parts_together,
            seed=batch.seed,
        )
    except InputError as error:
        field = "document_keys" if batch.document_keys else "documents"
        raise ValidationError({field: _advice(str(error))}) from error
    return plan_controls(batch, plan, systems)


def _advice(message: str) -> str:
    return (
        f"{message[:1].upper()}{message[1:]}. Ask for fewer documents, readers or reader pairs, "
        "name other documents, or leave out the systems that wrote little."
    )


def plan_batch(batch: Batch) -> SurveyPlan:
    """The plan of a stored batch: seeded, so the same at every call, and the one that is launched."""
    return plan_settings(batch, list(batch.systems.order_by("position")), batch.documents)


def plan_more(batch: Batch, *, documents: int | None, keys: Sequence[str]) -> SurveyPlan:
    """The plan of further documents of a launched batch, by its own settings and seed.

    documents: how many to draw from those that the batch does not have; keys: which ones instead.
    """
    used = set(batch.questionnaires.values_list("document__key", flat=True))
    if doubled := sorted(used.intersection(keys)):
        raise ValidationError({"document_keys": f"Already in this batch: {', '.join(doubled)}."})
    more = copy(batch)
    more.document_keys = list(keys) or None
    return plan_settings(more, list(batch.systems.order_by("position")), documents, without=used)


def store_plan(batch: Batch, plan: SurveyPlan) -> list[Questionnaire]:
    """Write the questionnaires and items of a plan, numbered on; the caller holds the transaction.

    Positions are balanced over the questionnaires of this plan.
    """
    first = batch.questionnaires.count() + 1
    seed = batch.seed if first == 1 else f"{batch.seed}/{first}"
    questionnaires = Questionnaire.objects.bulk_create(
        _questionnaire_rows(batch, plan.questionnaires, first), batch_size=500
    )
    systems = {system.name: system for system in batch.systems.all()}
    pages = [_item_rows(planned, systems) for planned in plan.questionnaires]
    places = _places([_names(items) for items in pages], batch.raters, seed)
    for questionnaire, items, page in zip(questionnaires, pages, places, strict=True):
        for item, placed in zip(items, page, strict=True):
            item.questionnaire, item.places = questionnaire, placed
    Item.objects.bulk_create((item for items in pages for item in items), batch_size=1000)
    return questionnaires


def _item_rows(planned: PlannedQuestionnaire, systems: Mapping[str, System]) -> list[Item]:
    """The gold pair, the systems' pairs and the controls, without questionnaire or places."""
    pairs = [Item(system=systems[name]) for name in planned.systems]
    return [Item(), *pairs, *control_items(planned.controls)]


def _names(items: Iterable[Item]) -> list[tuple[str, int | None]]:
    """What positions are balanced over: gold, each system, and each kind of control."""
    return [(item.control, item.system_id) for item in items]


def _places(names: Sequence[Sequence[Hashable]], raters: int, seed: int | str) -> Iterator[list[Places]]:
    """For each questionnaire the `places` of its items, balanced over all of them."""
    for pages in balance_positions(names, raters=raters, seed=seed):
        by_item = zip(*(sorted(page, key=lambda one: one.item) for page in pages), strict=True)
        yield [[(one.position + 1, one.flipped) for one in item] for item in by_item]


def add_slots(batch: Batch, raters: int) -> None:
    """Give every questionnaire of a batch `raters` more slots; the caller holds the batch's lock.

    Under it no questionnaire is added, so positions are balanced before raters have to wait. Assignments
    repeat their questionnaire's number of slots for a constraint, so they follow.
    """
    items = _with_more_slots(batch, raters)
    list(batch.questionnaires.select_for_update().order_by("pk").values_list("pk"))
    # As rows that are there already: bulk_update takes ten times as long.
    Item.objects.bulk_create(
        items, batch_size=1000, update_conflicts=True, update_fields=["places"], unique_fields=["id"]
    )
    assignments = Questionnaire._meta.get_field("assignments").related_model
    for model, of_batch in ((Questionnaire, "batch"), (assignments, "questionnaire__batch")):
        model._default_manager.filter(**{of_batch: batch}).update(slots=F("slots") + raters)


def _with_more_slots(batch: Batch, raters: int) -> list[Item]:
    """All items of a batch, not stored, with positions for `raters` more slots, balanced over all."""
    by_questionnaire: dict[int, list[Item]] = defaultdict(list)
    for item in Item.objects.filter(questionnaire__batch=batch).order_by("questionnaire__number", "pk"):
        by_questionnaire[item.questionnaire_id].append(item)
    rows = list(by_questionnaire.values())
    added = _places([_names(items) for items in rows], raters, f"{batch.seed}/{batch.raters}")
    for items, pages in zip(rows, added, strict=True):
        for item, places in zip(items, pages, strict=True):
            item.places = [*item.places, *places]
    return [item for items in rows for item in items]


def place_items(items: Sequence[Item], *, slot: int, seed: str) -> tuple[ItemPlacement, ...]:
    """Where the rater in `slot` meets each item, as planned at the launch.

    Shuffled by `seed` in batches that were launched before positions were balanced.
    """
    if any(len(item.places) < slot for item in items):
        return shuffle_items(seed=seed, items=len(items))
    places = [item.places[slot - 1] for item in items]
    return tuple(
        ItemPlacement(index, position - 1, flipped) for index, (position, flipped) in enumerate(places)
    )


def _questionnaire_rows(
    batch: Batch, planned: Iterable[PlannedQuestionnaire], first: int = 1
) -> list[Questionnaire]:
    documents = dict(Document.objects.filter(corpus=batch.corpus).values_list("key", "pk"))
    readers = dict(Reader.objects.filter(corpus=batch.corpus).values_list("key", "pk"))
    return [
        Questionnaire(
            batch=batch,
            number=number,
            document_id=documents[one.document],
            reader_a_id=readers[one.reader_a],
            reader_b_id=readers[one.reader_b],
            slots=batch.raters,
        )
        for number, one in enumerate(planned, start=first)
    ]


def sketch_questionnaire(batch: Batch, number: int) -> tuple[Questionnaire, int, list[Item]]:
    """Questionnaire `number` (the nearest there is), how many there are, and its items.

    A draft's is planned but not stored, so that a preview leaves nothing behind.
    """
    if not batch.is_draft:
        return _stored_questionnaire(batch, number)
    planned = plan_batch(batch).questionnaires
    number = min(max(number, 1), len(planned))
    one = planned[number - 1]
    rows = _questionnaire_rows(batch, [one])
    rows[0].number = number
    return rows[0], len(planned), _item_rows(one, {system.name: system for system in batch.systems.all()})


def _stored_questionnaire(batch: Batch, number: int) -> tuple[Questionnaire, int, list[Item]]:
    total = batch.questionnaires.count()
    questionnaire = batch.questionnaires.select_related("document", "reader_a", "reader_b").get(
        number=min(max(number, 1), total)
    )
    return questionnaire, total, list(questionnaire.items.select_related("system").order_by("pk"))
