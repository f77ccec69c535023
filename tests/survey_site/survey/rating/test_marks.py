"""“Cannot judge this pair”: stored beside ratings, never both, and no rating is silently missing."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from survey_site.batches.services import add_raters, close_batch
from survey_site.common.errors import ConflictError, InvalidInputError, NotFoundError
from survey_site.quality.freezing import freeze_batch
from survey_site.quality.services import exclude_questionnaire, exclude_rater, undo_exclusion
from survey_site.survey.models import Assignment, Mark, Rating, RatingHistory
from survey_site.survey.queries import rater_progress
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.marks import given_up_items
from survey_site.survey.rating.services import claim_questionnaire, save_ratings, submit_questionnaire
from survey_site.survey.rating.turns import Turn
from survey_site.survey.rating.validators import CannotJudge
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, submit_all, submit_marked

pytestmark = pytest.mark.django_db
UNCLEAR, CUT_OFF = CannotJudge("unclear"), CannotJudge("cut-off")
LATER = NOW + timedelta(minutes=5)


@pytest.fixture
def batch():
    """One questionnaire of three pairs, for two raters."""
    return make_batch(corpus=make_corpus(documents=1), raters=2)


def states():
    return list(Assignment.objects.order_by("pk").values_list("state", "slot"))


def history(code):
    rows = RatingHistory.objects.filter(assignment_item__code=code).order_by("pk")
    return list(rows.values_list("value", "reason", "words"))


def give(held, code, answer, turn=None):
    return save_ratings(assignment=held, answers={code: answer}, now=NOW, turn=turn)


def test_a_mark_and_a_rating_take_each_other_back_and_the_history_has_all(batch):
    held = make_assignment(batch)
    code = next(iter(answers_for(held)))
    other = CannotJudge("other", "  both texts are tables ")
    for answer in (3, UNCLEAR, UNCLEAR, other, 3):
        give(held, code, answer)
        assert Rating.objects.count() + Mark.objects.count() == 1
    told = "both texts are tables"
    assert history(code) == [(3, "", ""), (None, "unclear", ""), (None, "other", told), (3, "", "")]
    assert Rating.objects.get().value == 3


def test_only_another_reason_has_words(batch):
    held = make_assignment(batch)
    code = next(iter(answers_for(held)))
    give(held, code, CannotJudge("language", "Dutch"))
    assert Mark.objects.values_list("reason", "words").get() == ("language", "")
    give(held, code, CannotJudge("other", "x" * 400))
    assert Mark.objects.get().words == "x" * 300


@pytest.mark.parametrize(("answer", "error"), [("maybe", InvalidInputError), (None, NotFoundError)])
def test_what_is_no_mark_of_this_page_is_refused_and_nothing_is_saved(batch, answer, error):
    held = make_assignment(batch)
    code = next(iter(answers_for(held)))
    answers = {code: 4, **({"elsewhere": UNCLEAR} if answer is None else {code: CannotJudge(answer)})}
    with pytest.raises(error):
        save_ratings(assignment=held, answers=answers, now=NOW)
    assert (Rating.objects.count(), Mark.objects.count()) == (0, 0)


def test_a_batch_without_marks_refuses_them():
    held = make_assignment(make_batch(marks_allowed=False))
    with pytest.raises(InvalidInputError):
        give(held, next(iter(answers_for(held))), UNCLEAR)


@pytest.mark.parametrize(("first", "second"), [(4, UNCLEAR), (UNCLEAR, 4), (CUT_OFF, UNCLEAR)])
def test_what_arrives_after_a_later_answer_of_its_tab_changes_nothing(batch, first, second):
    held = make_assignment(batch)
    code = next(iter(answers_for(held)))
    give(held, code, second, Turn("tab", 2))
    before = history(code)
    give(held, code, first, Turn("tab", 1))
    assert history(code) == before
    give(held, code, first, Turn("another", 1))
    assert len(history(code)) == 2


def test_a_page_with_a_mark_is_done_for_its_rater_and_its_place_reopens(batch):
    first = submit_marked(make_assignment(batch), {0: UNCLEAR})
    assert (first.state, first.slot, first.is_submitted) == ("marked", None, True)
    assert rater_progress(first.rater, now=NOW).done == 1
    assert claim_questionnaire(rater=first.rater, now=NOW) is None
    for _ in range(2):
        submit_all(make_assignment(batch))
    assert states() == [("marked", None), ("submitted", 1), ("submitted", 2)]
    assert claim_questionnaire(rater=make_rater(batch), now=NOW) is None


def test_a_pair_that_as_many_as_the_places_could_not_judge_is_given_up(batch):
    submit_marked(make_assignment(batch), {0: UNCLEAR})
    questionnaires = batch.questionnaires.all()
    assert list(given_up_items(questionnaires)) == []
    last = submit_marked(make_assignment(batch), {0: CUT_OFF})
    assert [item.label for item in given_up_items(questionnaires)] == ["Gold reference"]
    assert (states(), last.state) == ([("submitted", 2), ("submitted", 1)], "submitted")
    assert claim_questionnaire(rater=make_rater(batch), now=NOW) is None


def test_pages_with_marks_on_other_pairs_go_on_waiting(batch):
    submit_marked(make_assignment(batch), {0: UNCLEAR})
    submit_marked(make_assignment(batch), {1: UNCLEAR})
    submit_marked(make_assignment(batch), {0: UNCLEAR, 2: UNCLEAR})
    assert states() == [("submitted", 1), ("marked", None), ("marked", None)]
    submit_marked(make_assignment(batch), {0: UNCLEAR})
    assert states()[3] == ("submitted", 2)
    assert batch.questionnaires.get().taken == 2


def test_who_marks_a_pair_given_up_while_others_hold_the_places_is_surplus(batch):
    held = [make_assignment(batch), make_assignment(batch)]
    submit_marked(held[0], {0: UNCLEAR})
    third = make_assignment(batch)
    submit_marked(held[1], {0: UNCLEAR})
    submit_all(third)
    assert states() == [("surplus", None), ("submitted", 2), ("submitted", 1)]


def test_a_mark_taken_back_later_fills_a_place_and_a_later_mark_gives_it_up(batch):
    page = submit_marked(make_assignment(batch), {0: UNCLEAR})
    code = Mark.objects.get().assignment_item.code
    give(page, code, 5)
    assert states() == [("submitted", 1)]
    give(page, code, UNCLEAR)
    assert (states(), batch.questionnaires.get().taken) == ([("marked", None)], 0)
    for _ in range(2):
        submit_all(make_assignment(batch))
    give(page, code, 5)
    assert states()[0] == ("surplus", None)


def test_who_withdraws_gives_no_pair_up_and_leaves_no_mark(batch):
    first, second = (submit_marked(make_assignment(batch), {0: UNCLEAR}) for _ in range(2))
    withdraw_rater(rater=first.rater, now=LATER)
    assert states() == [("withdrawn", None), ("marked", None)]
    assert list(Mark.objects.values_list("assignment_item__assignment", flat=True)) == [second.pk]
    assert RatingHistory.objects.filter(assignment_item__assignment=first).count() == 0
    assert batch.questionnaires.get().taken == 0


@pytest.mark.parametrize("by_rater", [True, False])
def test_marks_of_an_excluded_rater_do_not_count_until_the_exclusion_is_undone(batch, by_rater):
    first, _ = (submit_marked(make_assignment(batch), {0: UNCLEAR}) for _ in range(2))
    if by_rater:
        exclusion = exclude_rater(rater=first.rater, reason="bot", now=LATER)
    else:
        exclusion = exclude_questionnaire(assignment=first, reason="bot", now=LATER)
    assert states() == [("marked", None), ("marked", None)]
    undo_exclusion(exclusion=exclusion, now=LATER)
    assert states() == [("submitted", 1), ("submitted", 2)]


def test_in_a_closed_batch_an_exclusion_takes_nobody_else_s_ratings_away(batch):
    first, _ = (submit_marked(make_assignment(batch), {0: UNCLEAR}) for _ in range(2))
    late = make_assignment(make_batch(corpus=make_corpus(name="Other", documents=1), raters=2))
    close_batch(batch=batch, now=LATER)
    exclude_rater(rater=first.rater, reason="bot", now=LATER)
    assert states()[:2] == [("submitted", 2), ("submitted", 1)]
    close_batch(batch=late.questionnaire.batch, now=LATER)
    late = submit_marked(late, {0: UNCLEAR})  # nobody else gives this pair up
    assert (late.state, late.slot) == ("marked", None)


def test_an_excluded_page_takes_no_place_that_others_could_fill(batch):
    excluded = submit_marked(make_assignment(batch), {0: UNCLEAR})
    exclude_rater(rater=excluded.rater, reason="bot", now=LATER)
    for _ in range(2):
        submit_marked(make_assignment(batch), {0: UNCLEAR})
    assert states() == [("marked", None), ("submitted", 2), ("submitted", 1)]


def test_a_line_break_makes_no_other_answer_of_words(batch):
    held = make_assignment(batch)
    code = next(iter(answers_for(held)))
    for words in ("a\nb", "a\r\nb"):
        give(held, code, CannotJudge("other", words))
    assert history(code) == [(None, "other", "a\nb")]


def test_where_more_raters_are_asked_it_takes_more_to_give_a_pair_up(batch):
    for _ in range(2):
        submit_marked(make_assignment(batch), {0: UNCLEAR})
    add_raters(batch=batch, raters=1, now=LATER)
    assert states() == [("marked", None), ("marked", None)]
    submit_marked(make_assignment(batch), {0: UNCLEAR})
    assert states() == [("submitted", 2), ("submitted", 3), ("submitted", 1)]


def test_a_closed_batch_fixes_marks_and_a_frozen_one_settles_nothing(batch):
    first, second = (submit_marked(make_assignment(batch), {0: UNCLEAR}) for _ in range(2))
    late = Assignment.objects.get(pk=make_assignment(make_batch()).pk)
    close_batch(batch=batch, now=LATER)
    code = first.placements.get(position=3).code
    with pytest.raises(ConflictError):
        give(first, code, UNCLEAR)
    assert history(code) == [(4, "", "")]
    freeze_batch(batch=batch, clock=lambda: LATER)
    withdraw_rater(rater=second.rater, now=LATER)
    assert states()[:2] == [("submitted", 2), ("withdrawn", None)]
    assert late.state == "open"


def test_a_page_needs_a_rating_or_a_mark_for_every_pair(batch):
    held = make_assignment(batch)
    first, second, _ = answers_for(held)
    submission = submit_questionnaire(assignment=held, answers={first: 2, second: UNCLEAR}, now=NOW)
    assert (submission.missing, submission.assignment.state) == ((3,), "open")


def test_the_schema_knows_the_reasons_and_takes_no_place_for_a_marked_page(batch):
    page = submit_marked(make_assignment(batch), {0: UNCLEAR})
    for change in (
        lambda: Mark.objects.update(reason="bored"),
        lambda: Mark.objects.update(words="why"),
        lambda: Assignment.objects.filter(pk=page.pk).update(slot=1),
        lambda: RatingHistory.objects.update(value=None, reason=""),
        lambda: RatingHistory.objects.update(value=3, reason="other"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()
