"""What a rater's page shows of a questionnaire, and nothing else: texts, opaque codes, the values given."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet
from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe

from meta_eval.design.plan import shuffle_items
from survey_site.batches.equal_pairs import first_of_equals
from survey_site.batches.models import Item, Questionnaire
from survey_site.common.languages import text_attributes
from survey_site.common.prepared import Parameter, prepared
from survey_site.survey.models import MAX_REASON, Assignment, AssignmentItem, Mark, MarkReason, Rating
from survey_site.survey.pair_texts import Texts, item_texts, order_texts
from survey_site.survey.queries import shown_items
from survey_site.survey.rating.validators import CannotJudge

LONG_TEXT = 400
"""Characters of a text from which it may not fit on a phone's screen beside the other one and the scale."""
LONG_ARTICLE = 1500
"""Characters of an article from which it stands folded where there is no room beside the pairs."""


@dataclass(frozen=True)
class PairView:
    """One pair as shown; `left` and `right` are already in this rater's order.

    value: the rating; mark: why there is none. stored: the row of the one that stands, if any.
    """

    code: str
    position: int
    left: str
    right: str
    value: int | None = None
    missing: bool = False
    mark: CannotJudge | None = None
    stored: Rating | Mark | None = None

    @property
    def is_answered(self) -> bool:
        return self.value is not None or self.mark is not None

    @property
    def is_long(self) -> bool:
        """Whether its texts scroll, each for itself, so that both can be read together."""
        return max(len(self.left), len(self.right)) > LONG_TEXT


@dataclass(frozen=True)
class QuestionnaireView:
    """`language` is that of all the texts; empty where nobody said.

    reasons: value and words of each for which a rater may leave a pair unrated; none where they may not.
    """

    title: str
    body: str
    pairs: tuple[PairView, ...]
    language: str = ""
    reasons: tuple[tuple[str, object], ...] = ()  # the words come in the language of who shows them

    @property
    def attributes(self) -> str:
        """`lang` and `dir` for every element that holds one of the texts."""
        return text_attributes(self.language)

    @cached_property
    def said_reasons(self) -> tuple[tuple[str, str], ...]:
        """The reasons in the words of the language that is active when they are first shown."""
        return tuple((value, str(words)) for value, words in self.reasons)

    @property
    def longest_reason(self) -> int:
        """Characters of a reason in a rater's own words."""
        return MAX_REASON

    @property
    def has_article(self) -> bool:
        return bool(self.title or self.body)

    @property
    def paragraphs(self) -> SafeString:
        """The article as HTML."""
        return mark_safe(linebreaks(self.body, autoescape=True))  # noqa: S308 - which it escapes

    @property
    def has_body(self) -> bool:
        """Whether there is an article to go back to from a pair, and not a headline alone."""
        return bool(self.body)

    @property
    def is_long(self) -> bool:
        return len(self.body) > LONG_ARTICLE

    @property
    def rated(self) -> int:
        return sum(pair.value is not None for pair in self.pairs)

    @property
    def missing(self) -> list[PairView]:
        return [pair for pair in self.pairs if pair.missing]


def assignment_view(assignment: Assignment, *, missing: Iterable[int] = ()) -> QuestionnaireView:
    """The page of an assignment with its stored answers; `missing` are positions to point out."""
    questionnaire = assignment.questionnaire
    placements = _placements.rows(assignment=assignment.pk)
    texts = item_texts(questionnaire, [one.item for one in placements])
    marked = set(missing)
    pairs = tuple(
        _pair_view(one, pair, missing=one.position in marked)
        for one, pair in zip(placements, texts, strict=True)
    )
    return _questionnaire_view(questionnaire, pairs)


@prepared
def _placements(assignment: Parameter) -> QuerySet[AssignmentItem]:
    return shown_items(assignment).select_related("item", "rating", "mark").order_by("position")


def _questionnaire_view(questionnaire: Questionnaire, pairs: tuple[PairView, ...]) -> QuestionnaireView:
    """Without the document where the batch does not show it: then no byte of it leaves the server."""
    document, batch = questionnaire.document, questionnaire.batch
    shown = (document.title, document.body) if batch.document_shown else ("", "")
    reasons = tuple(MarkReason.choices) if batch.marks_allowed else ()
    return QuestionnaireView(*shown, pairs, document.text_language, reasons)


def _pair_view(placement: AssignmentItem, texts: Texts, *, missing: bool) -> PairView:
    left, right = order_texts(texts, flipped=placement.flipped)
    rating: Rating | None = getattr(placement, "rating", None)
    marked: Mark | None = getattr(placement, "mark", None)
    value = rating.value if rating else None
    mark = CannotJudge(marked.reason, marked.words) if marked else None
    return PairView(placement.code, placement.position, left, right, value, missing, mark, rating or marked)


def sketch_order(items: Sequence[Item], *, seed: str) -> list[tuple[Item, bool]]:
    """The items as some rater might meet them, each with whether its texts are swapped."""
    return [(items[one.item], one.flipped) for one in shuffle_items(seed=seed, items=len(items))]


def sketch_view(questionnaire: Questionnaire, order: Sequence[tuple[Item, bool]]) -> QuestionnaireView:
    """The page in this order, for a preview; nothing is stored."""
    items = [item for item, _ in order]
    texts = item_texts(questionnaire, items)
    once = questionnaire.batch.equal_pairs_once
    shown = dict.fromkeys(first_of_equals(items, texts) if once else range(len(items)))
    pairs = tuple(
        PairView(f"preview-{position}", position, *order_texts(texts[index], flipped=order[index][1]))
        for position, index in enumerate(shown, start=1)
    )
    return _questionnaire_view(questionnaire, pairs)
