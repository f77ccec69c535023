"""Control items of a batch: drawn from the corpus by the library, and found again for a page."""

from collections.abc import Iterable, Sequence
from itertools import chain

from django.core.exceptions import ValidationError

from meta_eval.corpus.documents import GOLD
from meta_eval.design.controls import add_controls
from meta_eval.design.plan import CONTROLS, PlannedControl, SurveyPlan, TextSource
from meta_eval.errors import InputError
from survey_site.batches.models import Batch, Item
from survey_site.corpus.models import Document, Reference, Summary, System


def plan_controls(batch: Batch, plan: SurveyPlan, systems: Sequence[System]) -> SurveyPlan:
    """The plan with the control items that the batch asks for; ValidationError where there can be none."""
    if not any(batch.control_shares):
        return plan
    keys = {planned.document for planned in plan.questionnaires}
    if batch.pk:  # documents that are added later may be paired with those that are there
        keys.update(batch.questionnaires.values_list("document__key", flat=True))
    documents = Document.objects.filter(corpus=batch.corpus, key__in=keys)
    languages = {key: own or batch.corpus.language for key, own in documents.values_list("key", "language")}
    texts = texts_on(batch.corpus_id, keys, [system.name for system in systems])
    try:
        shares = dict(zip(CONTROLS, batch.control_shares, strict=True))
        return add_controls(plan, texts, shares, languages=languages)
    except InputError as error:
        field = "unrelated_share" if batch.unrelated_share else "identical_share"
        message = f"{str(error)[:1].upper()}{str(error)[1:]}. Choose more documents, or no such pairs."
        raise ValidationError({field: message}) from error


def control_items(controls: Iterable[PlannedControl]) -> list[Item]:
    """Rows of planned controls, without questionnaire or places."""
    return [
        Item(control=one.kind, texts=[[text.document, text.author, text.reader] for text in one.texts])
        for one in controls
    ]


def control_texts(corpus_id: int, items: Sequence[Item]) -> list[tuple[str, str]]:
    """The two texts of each control item, in its order; a query for each text that is another one."""
    sources = [[TextSource(*text) for text in item.texts] for item in items]
    texts = {text: _text_of(corpus_id, text) for text in dict.fromkeys(chain.from_iterable(sources))}
    return [(texts[first], texts[second]) for first, second in sources]


def _text_of(corpus_id: int, source: TextSource) -> str:
    """Raises DoesNotExist without it, which the corpus of a batch never is."""
    known = {
        "document__corpus": corpus_id,
        "document__key": source.document,
        "reader__key": source.reader,
    }
    if source.author == GOLD:
        return Reference.objects.values_list("text", flat=True).get(**known)
    return Summary.objects.values_list("text", flat=True).get(**known, system__name=source.author)


def texts_on(corpus_id: int, documents: Iterable[str], systems: Iterable[str]) -> dict[TextSource, str]:
    """All references and these systems' summaries of some documents; two queries."""
    rows = {"document__corpus": corpus_id, "document__key__in": list(documents)}
    gold = Reference.objects.filter(**rows).values_list("document__key", "reader__key", "text")
    summaries = Summary.objects.filter(**rows, system__name__in=list(systems))
    columns = ("document__key", "system__name", "reader__key", "text")
    found = {TextSource(document, GOLD, reader): text for document, reader, text in gold.iterator()}
    return found | {TextSource(*row[:3]): row[3] for row in summaries.values_list(*columns).iterator()}
