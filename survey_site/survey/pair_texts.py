"""The two texts of each pair of a questionnaire, as raters see them."""

from collections.abc import Sequence

from django.db.models import BigIntegerField, Q, QuerySet, Value

from meta_eval.design.typography import in_one_typography
from survey_site.batches.controls import control_texts
from survey_site.batches.models import Batch, Item, Questionnaire
from survey_site.common.prepared import Parameter, prepared
from survey_site.corpus.models import Reference, Summary

Texts = tuple[str, str]


def item_texts(questionnaire: Questionnaire, items: Sequence[Item]) -> list[Texts]:
    """The two texts of each item, in its order; a query, and up to two more for each control."""
    pairs = _pairs_by_author(questionnaire)
    controls = [item for item in items if item.control]
    checks = iter(control_texts(questionnaire.document.corpus_id, controls))
    texts = [next(checks) if item.control else pairs[item.system_id] for item in items]
    return [shown_texts(questionnaire.batch, pair) for pair in texts]


def shown_texts(batch: Batch, texts: Texts) -> Texts:
    """As the batch shows them: as the corpus has them, or typed alike. Only eyes meet the latter."""
    if not batch.one_typography:
        return texts
    return in_one_typography(texts[0]), in_one_typography(texts[1])


def _pairs_by_author(questionnaire: Questionnaire) -> dict[int | None, Texts]:
    """What each system, and gold under None, wrote for both readers."""
    readers = (questionnaire.reader_a_id, questionnaire.reader_b_id)
    known = {"document": questionnaire.document_id, "a": readers[0], "b": readers[1]}
    texts = {(author, reader): text for author, reader, text in _texts.rows(**known)}
    both = [author for author, reader in texts if reader == readers[0] and (author, readers[1]) in texts]
    return {author: (texts[author, readers[0]], texts[author, readers[1]]) for author in both}


@prepared
def _texts(
    document: Parameter, a: Parameter, b: Parameter
) -> "QuerySet[Summary, tuple[int | None, int, str]]":
    """Author, reader and text of all systems, some of which the questionnaire asks about, and of gold."""
    known = {"document": document}
    summaries = Summary.objects.filter(Q(reader=a) | Q(reader=b), **known).order_by()
    references = Reference.objects.filter(Q(reader=a) | Q(reader=b), **known).order_by()
    gold = references.annotate(author=Value(None, BigIntegerField()))
    columns = ("reader_id", "text")
    texts = summaries.values_list("system_id", *columns)
    # Django 6.1 would order a union by its model's Meta.ordering.
    return texts.union(gold.values_list("author", *columns), all=True).order_by()


def order_texts(texts: Texts, *, flipped: bool) -> Texts:
    return (texts[1], texts[0]) if flipped else texts
