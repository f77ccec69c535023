"""Pairs of the same two texts, shown once where a batch says so: one answer, stored for each of them."""

import csv
import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.urls import reverse

from meta_eval.errors import InputError
from meta_eval.publish.methods import methods_details, methods_paragraph
from survey_site.batches.queries import batch_progress, rater_totals
from survey_site.batches.services import close_batch
from survey_site.common.errors import NotFoundError
from survey_site.corpus.models import Summary
from survey_site.corpus.services import measure_texts
from survey_site.quality.assessment import assess_batch
from survey_site.quality.checks import check_pages
from survey_site.quality.freezing import freeze_batch
from survey_site.survey.exports import rating_lines
from survey_site.survey.models import AssignmentItem, Mark, Rating, RatingHistory
from survey_site.survey.pages.questionnaire import assignment_view
from survey_site.survey.queries import missing_positions
from survey_site.survey.rating.copies import describe_copies
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.marked import summarise_marks
from survey_site.survey.rating.services import save_open_ratings, save_ratings, submit_questionnaire
from survey_site.survey.rating.turns import Turn
from survey_site.survey.rating.validators import CannotJudge
from survey_site.survey.rating_rows import rating_rows
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.reports import make_report
from tests.factories.survey import make_assignment
from tests.survey_site.uploads.examples import export_ratings, read, upload, write_rows

pytestmark = pytest.mark.django_db
SAME, OTHER_WAY_ROUND, ALONE = "System1", "System2", "System3"


def make_equal_batch(*, documents=1, once=True, **settings):
    """Gold, three systems: the first two wrote the same two texts, each for the other's reader."""
    corpus = make_corpus(documents=documents, readers=2, systems=3)
    texts = {(SAME, 1): "one", (SAME, 2): "two", (OTHER_WAY_ROUND, 1): "two", (OTHER_WAY_ROUND, 2): "one"}
    for (system, reader), text in texts.items():
        Summary.objects.filter(system__name=system, reader__key=f"reader{reader}").update(text=text)
    measure_texts(corpus)
    return make_batch(corpus=corpus, equal_pairs_once=once, **settings)


@pytest.fixture
def held():
    return make_assignment(make_equal_batch())


def shown(held):
    """Code of the pair with the equal texts, as the page shows it, and the codes of the others."""
    equal = [one.code for one in assignment_view(held).pairs if {one.left, one.right} == {"one", "two"}]
    others = [one.code for one in assignment_view(held).pairs if one.code not in equal]
    assert (len(equal), len(others)) == (1, 2)
    return equal[0], others


def answer_all(held, equal, others=3):
    code, rest = shown(held)
    return {code: equal, **dict.fromkeys(rest, others)}


def ratings_by_system(held):
    rows = Rating.objects.filter(assignment_item__assignment=held)
    return dict(rows.values_list("assignment_item__item__system__name", "value"))


def test_equal_texts_are_shown_once_and_rated_for_each(held):
    assert [one.position for one in assignment_view(held).pairs] == [1, 2, 3]
    submission = submit_questionnaire(assignment=held, answers=answer_all(held, 5), now=NOW)
    assert (submission.complete, submission.assignment.state) == (True, "submitted")
    assert ratings_by_system(held) == {SAME: 5, OTHER_WAY_ROUND: 5, ALONE: 3, None: 3}
    progress = batch_progress(held.questionnaire.batch, now=NOW)
    assert (progress.completions, progress.ratings, progress.ratings_wanted) == (1, 4, 8)


def test_without_the_option_they_are_shown_twice():
    held = make_assignment(make_equal_batch(once=False))
    assert len(assignment_view(held).pairs) == 4
    assert not AssignmentItem.objects.exclude(same_as=None).exists()


def test_each_answer_that_follows_is_stored_for_each_too(held):
    code, rater = shown(held)[0], held.rater
    assert rater.batch.equal_pairs_once
    for number, answer in enumerate((2, CannotJudge("unclear"), 6), start=1):
        turn = Turn("tab", number)
        assert (
            save_open_ratings(rater=rater, code=held.code, answers={code: answer}, turn=turn, now=NOW)
            is not None
        )
    assert ratings_by_system(held) == {SAME: 6, OTHER_WAY_ROUND: 6}
    late = Turn("tab", 1)
    save_ratings(assignment=held, answers={code: 1}, turn=late, now=NOW)
    assert ratings_by_system(held) == {SAME: 6, OTHER_WAY_ROUND: 6}
    histories = [
        list(RatingHistory.objects.filter(assignment_item=one).values_list("value", "reason"))
        for one in held.placements.filter(item__system__name__in=[SAME, OTHER_WAY_ROUND])
    ]
    assert histories == [[(2, ""), (None, "unclear"), (6, "")]] * 2


def test_only_what_is_shown_can_be_missing_or_answered(held):
    code, others = shown(held)
    save_ratings(assignment=held, answers=dict.fromkeys(others, 3), now=NOW)
    position = AssignmentItem.objects.get(code=code).position
    assert missing_positions(held) == (position,)
    hidden = held.placements.exclude(same_as=None).get()
    for answers in ({hidden.code: 4}, {code: 4, hidden.code: 5}, {hidden.code: CannotJudge("unclear")}):
        with pytest.raises(NotFoundError):
            save_ratings(assignment=held, answers=answers, now=NOW)
    assert Rating.objects.count() == 2


def test_a_mark_is_stored_for_each_and_said_once(held):
    submit_questionnaire(assignment=held, answers=answer_all(held, CannotJudge("unclear")), now=NOW)
    assert (Mark.objects.count(), summarise_marks(held.questionnaire.batch).marks) == (2, 1)
    assert rater_totals(held.questionnaire.batch).get().marks == 1


def test_the_export_says_which_answers_are_copies(held):
    batch = held.questionnaire.batch
    submit_questionnaire(assignment=held, answers=answer_all(held, 5), now=NOW)
    rows = list(csv.DictReader("".join(rating_lines(batch)).splitlines()))
    position = AssignmentItem.objects.get(code=shown(held)[0]).position
    found = sorted((row["rating"], row["position"], row["flipped"], row["copied_from"]) for row in rows)
    copies = [row for row in found if row[3]]
    assert copies == [("5", "", "", str(position))]
    assert sorted(row[1] for row in found if not row[3]) == ["1", "2", "3"]
    assert describe_copies(batch)[0].endswith("1 of 4 ratings are such copies.")


def test_the_side_of_a_copy_is_that_of_the_texts_on_the_page(held):
    hidden = held.placements.exclude(same_as=None).get()
    assert hidden.flipped is not hidden.same_as.flipped  # its readers' texts are the other way round
    assert {hidden.item.system.name, hidden.same_as.item.system.name} == {SAME, OTHER_WAY_ROUND}


def test_checks_of_raters_do_not_count_copies(held):
    submit_questionnaire(assignment=held, answers=answer_all(held, 5), now=NOW + timedelta(seconds=30))
    (page,) = check_pages(held.questionnaire.batch)[held.rater.code]
    assert (sorted(page.values), page.seconds_per_pair) == ([3, 3, 5], 10)
    assert sorted(page.gold_first) == [3, 3, 5, 5]  # all texts are ordered against gold
    assert len(page.marked) == 3
    assert assess_batch(held.questionnaire.batch).ratings == 4


def test_positions_are_judged_by_what_was_shown():
    batch = make_equal_batch(documents=12)
    for _ in range(12):
        held = make_assignment(batch)
        submit_questionnaire(assignment=held, answers=answer_all(held, 5), now=NOW)
    assert assess_batch(batch).positions.pages == 12


def test_who_withdraws_takes_all_back_and_a_frozen_batch_knows_of_copies():
    batch = make_equal_batch()
    first, second = make_assignment(batch), make_assignment(batch)
    for held in (first, second):
        submit_questionnaire(assignment=held, answers=answer_all(held, 5), now=NOW)
    withdraw_rater(rater=first.rater, now=NOW)
    assert Rating.objects.count() == 4
    close_batch(batch=batch, now=NOW)
    snapshot = freeze_batch(batch=batch, clock=lambda: NOW)
    assert snapshot.head["copies"] == describe_copies(batch)
    assert snapshot.head["study"]["equal_pairs_once"] is True


def test_a_report_and_its_methods_say_how_many_answers_are_copies():
    batch = make_equal_batch(raters=1)
    held = make_assignment(batch)
    submit_questionnaire(assignment=held, answers=answer_all(held, 5), now=NOW)
    result = make_report(batch=batch).read()
    assert describe_copies(batch)[0] in result.notes
    assert result.subject["equal_pairs_once"] is True
    assert "Pairs of the same two texts were shown once and rated alike." in methods_paragraph(result)
    assert "Pairs of the same two texts were shown once and rated alike." in methods_details(result)


def test_a_sealed_report_holds_the_copies(researcher_client):
    batch = make_equal_batch(raters=1)
    held = make_assignment(batch)
    submit_questionnaire(assignment=held, answers=answer_all(held, 5), now=NOW)
    address = reverse("reports:bundle", args=[make_report(batch=batch).pk])
    sealed = b"".join(researcher_client.get(address).streaming_content)
    with zipfile.ZipFile(io.BytesIO(sealed)) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("ratings.csv").decode())))
        study = json.loads(archive.read("study.json"))
    position = AssignmentItem.objects.get(code=shown(held)[0]).position
    assert [row["copied_from"] for row in rows if not row["position"]] == [str(position)]
    assert (len(rows), study["equal_pairs_once"]) == (4, True)


def test_an_export_with_copies_uploaded_again_says_which_they_are(held, tmp_path):
    batch = held.questionnaire.batch
    submit_questionnaire(assignment=held, answers=answer_all(held, 5), now=NOW)
    exported = list(csv.DictReader(export_ratings(batch, tmp_path / "ours.csv").read_text().splitlines()))
    exported.sort(key=lambda row: row["position"])  # the copy comes first, before what it is a copy of
    again = upload(write_rows(tmp_path / "sorted.csv", exported), batch.corpus).batch
    assert (again.upload.knows_positions, again.equal_pairs_once) == (True, True)
    found, rows = (
        sorted((row["system"], row["position"], row["flipped"], row["copied_from"]) for row in rows)
        for rows in (rating_rows(again), rating_rows(batch))
    )
    assert found == rows
    assert describe_copies(again) == describe_copies(batch)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("copied_from", "9", "names no pair of its page with the rating 5"),
        ("rating", "4", "names no pair of its page with the rating 4"),
        ("position", "4", "leave its position and flipped empty"),
    ],
)
def test_an_uploaded_copy_must_be_one(held, tmp_path, column, value, said):
    batch = held.questionnaire.batch
    submit_questionnaire(assignment=held, answers=answer_all(held, 5), now=NOW)
    rows = list(csv.DictReader(export_ratings(batch, tmp_path / "ours.csv").read_text().splitlines()))
    next(row for row in rows if row["copied_from"])[column] = value
    with pytest.raises(InputError, match=said):
        read(write_rows(tmp_path / "changed.csv", rows), batch.corpus)
