"""Pairs of the same two texts that a page shows once: which are left out, and what answers them.

Where a batch has `equal_pairs_once`, every item is placed on the page all the same, so that each pair has
its N ratings and nothing else need know. Those whose two texts an earlier pair of the page shows are not
shown: they stand behind the others and point to that pair (`AssignmentItem.same_as`). Whatever is answered to
a pair is stored for these too, in the same transaction. What judges raters passes them over.
"""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q

from meta_eval.design.plan import ItemPlacement
from survey_site.batches.equal_pairs import first_of_equals
from survey_site.batches.models import Batch, Item
from survey_site.batches.states import AssignmentState
from survey_site.common.prepared import PreparedInsert
from survey_site.survey.models import Assignment, AssignmentItem, Rating, make_code
from survey_site.survey.pair_texts import Texts, item_texts
from survey_site.survey.rating.answers import not_on_page
from survey_site.survey.rating.validators import Answers


def store_placements(
    assignment: Assignment, items: Sequence[Item], placed: Sequence[ItemPlacement], *, once: bool
) -> None:
    """Write down where a rater meets each item; once: equal pairs are shown once, the first of them."""
    placed = sorted(placed, key=lambda one: one.position)
    ordered = [items[one.item] for one in placed]
    texts = item_texts(assignment.questionnaire, ordered) if once else []
    first = first_of_equals(ordered, texts) if once else list(range(len(ordered)))
    shown = [index for index, same in enumerate(first) if same == index]
    _insert.many(
        [
            _row(assignment, ordered[index], position, flipped=placed[index].flipped)
            for position, index in enumerate(shown, start=1)
        ]
    )
    hidden = [index for index, same in enumerate(first) if same != index]
    if not hidden:
        return
    rows = {one.item_id: one for one in AssignmentItem.objects.filter(assignment=assignment)}
    copied = [(index, rows[ordered[first[index]].pk]) for index in hidden]
    _insert.many(
        [
            _row(
                assignment,
                ordered[index],
                position,
                flipped=_flipped_as(texts[first[index]], texts[index], flipped=same.flipped),
                same_as=same.pk,
            )
            for position, (index, same) in enumerate(copied, start=len(shown) + 1)
        ]
    )


_insert = PreparedInsert(
    AssignmentItem, ("assignment_id", "item_id", "position", "flipped", "same_as_id", "code")
)


def _row(
    assignment: Assignment, item: Item, position: int, *, flipped: bool, same_as: int | None = None
) -> dict[str, Any]:
    return {
        "assignment_id": assignment.pk,
        "item_id": item.pk,
        "position": position,
        "flipped": flipped,
        "same_as_id": same_as,
        "code": make_code(),
    }


def _flipped_as(shown: Texts, own: Texts, *, flipped: bool) -> bool:
    """Whether the second text of a pair that is not shown stands on the left of the pair that is."""
    return flipped if own == shown else not flipped


def with_copies(batch: Batch, page: str, answers: Answers) -> Answers:
    """The answers, and the same for each equal pair that the page with this code does not show.

    Raises NotFoundError for the code of a pair that is not shown: no page ever sent it.
    """
    if not batch.equal_pairs_once:
        return answers
    given = [*answers.ratings, *answers.marks]
    rows = AssignmentItem.objects.filter(
        Q(same_as__code__in=given) | Q(code__in=given), assignment__code=page, same_as__isnull=False
    )
    copies = list(rows.order_by("pk").values_list("code", "same_as__code"))
    if foreign := sum(code in given for code, _ in copies):
        raise not_on_page(foreign)
    ratings = {code: answers.ratings[shown] for code, shown in copies if shown in answers.ratings}
    marks = {code: answers.marks[shown] for code, shown in copies if shown in answers.marks}
    return Answers({**answers.ratings, **ratings}, {**answers.marks, **marks})


def describe_copies(batch: Batch) -> list[str]:
    """At most one sentence for reports: how many of the ratings that count were given to an equal pair."""
    if not batch.equal_pairs_once:
        return []
    counted = Rating.objects.filter(
        assignment_item__assignment__questionnaire__batch=batch,
        assignment_item__assignment__state=AssignmentState.SUBMITTED,
        assignment_item__assignment__exclusion=None,
        assignment_item__assignment__rater__exclusion=None,
        assignment_item__item__control="",
    )
    copies = counted.filter(assignment_item__same_as__isnull=False).count()
    return [
        "Pairs of the same two texts were shown once on a page, and the answer was stored for each: "
        f"{copies:,} of {counted.count():,} ratings are such copies."
    ]
