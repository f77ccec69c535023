"""Worked examples and practice pairs that an admin writes for a batch, in each of its languages."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from django.db import transaction
from django.db.models import Q
from django.utils.translation import get_language

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.translations import require_offered
from survey_site.batches.validators import require_draft
from survey_site.common.errors import InvalidInputError
from survey_site.common.locking import lock_row
from survey_site.corpus.models import Reference, Summary
from survey_site.survey.models import ExamplePair, PairUse
from survey_site.survey.pages.practice import (
    Example,
    ExampleSet,
    WorkedExample,
    built_in_examples,
    worked_examples,
)
from survey_site.survey.rating.validators import HIGHEST, LOWEST

MOST_PAIRS = 6


def written_examples(batch: Batch, use: str) -> dict[str, tuple[Example, ...]]:
    """What an admin wrote, by language, in order; the built-in ones stand where there is nothing."""
    written: dict[str, tuple[Example, ...]] = {}
    for one in ExamplePair.objects.filter(batch=batch, use=use).order_by("position"):
        example = Example(one.left, one.right, one.low, one.high, one.why)
        written[one.language] = (*written.get(one.language, ()), example)
    return written


def shown_examples(batch: Batch, language: str, use: str) -> ExampleSet:
    """What a rater who reads `language` is shown.

    What an admin wrote in the batch's language stands for all others too until it is written in them.
    """
    written = written_examples(batch, use)
    for code in (language, batch.language):
        if code in written:
            return ExampleSet(code, written[code])
    return built_in_examples(use, language)


def page_examples(batch: Batch) -> tuple[WorkedExample, ...]:
    """The examples of the instructions on a page in the language that is active.

    Those of a launched batch stay as they are, so they are read once for all of its raters.
    """
    language = get_language() or batch.language
    if batch.is_draft:
        return _page_examples(batch, "", language)
    return _kept_page_examples(batch, str(batch.token), language)


def _page_examples(batch: Batch, _token: str, language: str) -> tuple[WorkedExample, ...]:
    """The token, too, is what they are kept by: no other batch ever has it."""
    return tuple(worked_examples(batch.scale, shown_examples(batch, language, PairUse.EXAMPLE)))


_kept_page_examples = lru_cache(200)(_page_examples)


def save_examples(
    *,
    batch: Batch,
    language: str,
    use: str,
    pairs: Sequence[Example],
    now: datetime,
    by: User | None = None,
) -> None:
    """Replace the pairs of a draft in one language; none brings the built-in ones back."""
    _check_pairs(batch, pairs)
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        require_draft(batch)
        require_offered(batch, language)
        if tuple(pairs) == written_examples(batch, use).get(language, ()):
            return
        batch.example_pairs.filter(language=language, use=use).delete()
        ExamplePair.objects.bulk_create(
            ExamplePair(
                batch=batch,
                language=language,
                use=PairUse(use),
                position=position,
                left=one.left,
                right=one.right,
                low=one.low,
                high=one.high,
                why=one.why,
            )
            for position, one in enumerate(pairs, 1)
        )
        detail = {"language": language, "kind": PairUse(use).label, "pairs": len(pairs)}
        record_action(action="examples changed", subject=batch, by=by, now=now, detail=detail)


def _check_pairs(batch: Batch, pairs: Sequence[Example]) -> None:
    if len(pairs) > MOST_PAIRS:
        raise InvalidInputError(f"Up to {MOST_PAIRS} pairs are possible, not {len(pairs)}.")
    for number, one in enumerate(pairs, 1):
        if not (one.left.strip() and one.right.strip() and one.why.strip()):
            raise InvalidInputError(f"Pair {number} needs both texts and a reason.")
        if not LOWEST <= one.low <= one.high <= HIGHEST:
            raise InvalidInputError(
                f"Pair {number} is rated {one.low} to {one.high}: both lie between {LOWEST} and {HIGHEST}, "
                "the first no higher than the second."
            )
    if told := _texts_of_corpus(batch, pairs):
        raise InvalidInputError(
            f"“{told[:60]}” is a text of this batch's corpus: raters would be told how to rate it.",
            action="Write a text of your own.",
        )


def _texts_of_corpus(batch: Batch, pairs: Sequence[Example]) -> str | None:
    """The first text that raters may meet in the survey itself."""
    texts = Q(text__in=[text for one in pairs for text in (one.left, one.right)])
    found = Reference.objects.filter(texts, document__corpus=batch.corpus_id).first()
    found_in_summaries = Summary.objects.filter(texts, document__corpus=batch.corpus_id).first()
    row = found or found_in_summaries
    return row.text if row else None
