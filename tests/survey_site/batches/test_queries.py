"""What the monitor counts."""

from datetime import timedelta

import pytest

from survey_site.batches.effort import Effort, ReadingLoad, estimate_effort, reading_load
from survey_site.batches.item_counts import SystemCount
from survey_site.batches.queries import batch_effort, batch_progress, rater_totals
from survey_site.corpus.services import measure_texts
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, save_rating, submit_all

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def test_progress_of_a_batch_in_which_everything_has_happened():
    batch = make_batch(corpus=make_corpus(documents=3), raters=2, claim_minutes=60)
    both = [make_assignment(batch), make_assignment(batch, rater=make_rater(batch, simulated=True))]
    for claim in both:
        submit_all(claim)
    lost = make_assignment(batch)
    late = make_assignment(batch)
    for _ in range(2):  # two others take the places of the second questionnaire
        submit_all(make_assignment(batch, now=NOW + 2 * HOUR), now=NOW + 2 * HOUR)
    submit_all(late, now=NOW + 3 * HOUR)
    make_assignment(batch, now=NOW + 2 * HOUR)
    make_assignment(batch, now=NOW + 2.9 * HOUR)
    progress = batch_progress(batch, now=NOW + 3.1 * HOUR)
    assert (progress.questionnaires, progress.by_completed) == (3, (1, 0, 2))
    assert (progress.completions, progress.completions_wanted, round(progress.percent, 1)) == (4, 6, 66.7)
    assert (progress.active, progress.stale, progress.expired, progress.surplus) == (1, 1, 1, 1)
    assert (progress.ratings, progress.ratings_wanted) == (12, 18)
    assert (progress.raters, progress.simulated, progress.simulated_completions) == (8, 1, 1)
    assert progress.systems == tuple(SystemCount(name, 3, 4, 6) for name in (None, "System1", "System2"))
    lost.refresh_from_db()
    assert lost.state == "expired"


def test_ratings_of_unfinished_questionnaires_do_not_count():
    batch = make_batch()
    held = make_assignment(batch)
    save_rating(assignment=held, code=next(iter(answers_for(held))), value=3, now=NOW)
    assert batch_progress(batch, now=NOW).ratings == 0


@pytest.mark.parametrize("documents", [1, 3])
def test_progress_takes_five_queries_whatever_the_size(documents, django_assert_num_queries):
    batch = make_batch(corpus=make_corpus(documents=documents))
    for _ in range(documents):
        submit_all(make_assignment(batch))
    with django_assert_num_queries(5):
        batch_progress(batch, now=NOW)


def test_totals_of_each_rater():
    batch = make_batch(corpus=make_corpus(documents=2))
    busy = make_rater(batch)
    submit_all(make_assignment(batch, rater=busy), now=NOW + HOUR)
    second = make_assignment(batch, rater=busy)
    save_rating(assignment=second, code=next(iter(answers_for(second))), value=3, now=NOW + 2 * HOUR)
    make_rater(batch, simulated=True)
    rows = [
        (
            rater.completed,
            rater.unfinished,
            rater.surplus,
            rater.ratings,
            rater.loose_ratings,
            rater.last_answer,
        )
        for rater in rater_totals(batch)
    ]
    assert rows == [(1, 1, 0, 3, 1, NOW + 2 * HOUR), (0, 0, 0, 0, 0, None)]


def test_effort_of_the_paper_s_design():
    """PerSEval: ten systems in two questionnaires of 1 + 5 pairs, two raters each."""
    load = ReadingLoad(document=400, text=10)
    effort = estimate_effort(
        load, documents=50, systems=10, reader_pairs=1, systems_per_questionnaire=5, raters=2
    )
    assert (effort.questionnaires, effort.items, effort.completions, effort.ratings) == (100, 600, 200, 1200)
    assert effort.minutes_each == pytest.approx((400 + 12 * 10) / 200 + 6 * 10 / 60)
    assert effort.hours == pytest.approx(200 * effort.minutes_each / 60)


def test_effort_is_that_of_the_launched_plan():
    batch = make_batch(
        corpus=make_corpus(documents=3, systems=5), systems_per_questionnaire=2, reader_pairs=2, raters=3
    )
    effort = batch_effort(batch)
    progress = batch_progress(batch, now=NOW)
    assert (effort.questionnaires, effort.ratings, effort.completions) == (
        progress.questionnaires,
        progress.ratings_wanted,
        progress.completions_wanted,
    )


def test_reading_load_is_estimated_from_characters():
    corpus = make_corpus(documents=1, readers=2)
    corpus.documents.update(title="t" * 60, body="b" * 540)
    measure_texts(corpus)
    shown, hidden = (reading_load(corpus, document_shown=shown) for shown in (True, False))
    assert (shown.document, shown.text) == (100, len("reference 1 1") / 6)
    assert (hidden.document, hidden.text) == (0, shown.text)


def test_the_texts_are_not_read_to_say_how_long_they_are(django_assert_num_queries):
    batch = make_batch(corpus=make_corpus(documents=3))
    with django_assert_num_queries(1):  # how many systems there are
        effort = batch_effort(batch)
    assert effort.minutes_each == pytest.approx((26 / 6 + 2 * 3 * 13 / 6) / 200 + 3 * 10 / 60)


def test_minutes_told_to_raters_are_whole_and_at_least_one():
    assert [Effort(1, 3, 2, minutes).minutes_rounded for minutes in (0.2, 1, 3.1)] == [1, 1, 4]


def test_who_answered_last_stands_first_and_who_never_did_last():
    batch = make_batch()
    silent = make_rater(batch)
    early, late = make_assignment(batch), make_assignment(batch)
    submit_all(early, now=NOW)
    submit_all(late, now=NOW + timedelta(minutes=5))
    order = [one.pk for one in rater_totals(batch)]
    assert order == [late.rater_id, early.rater_id, silent.pk]
