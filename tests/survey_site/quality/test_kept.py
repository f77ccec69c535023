"""Findings that are kept: what makes them stale, who computes them, and that no change is missed."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from threadpoolctl import threadpool_info, threadpool_limits

from survey_site.quality import checks, findings, kept
from survey_site.quality.kept import (
    AFTER_A_FAULT,
    LEAST_PAUSE,
    compute_kept,
    find_in_time,
    known_of,
    look_into,
    requeue_stale_findings,
)
from survey_site.quality.models import KeptFindings
from survey_site.quality.services import exclude_questionnaire, exclude_rater, undo_exclusion
from survey_site.scoring import jobs
from survey_site.survey.rating.leaving import stop_rating, withdraw_rater
from survey_site.survey.rating.services import save_ratings
from survey_site.survey.rating.validators import CannotJudge
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, submit_all

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=2)


@pytest.fixture
def many(monkeypatch):
    """So that every batch has too many pages to be read at once."""
    monkeypatch.setattr(kept, "FEW_PAGES", 0)


@pytest.fixture
def asked():
    return []


def rated_batch():
    batch = make_batch(corpus=make_corpus(documents=4), raters=3)
    page = submit_all(make_assignment(batch))
    submit_all(make_assignment(batch))
    return batch, page


def look(batch, asked=None, now=NOW):
    return look_into(batch, now=now, ask=(asked if asked is not None else []).append)


def work(row, now=NOW):
    return compute_kept(row, clock=lambda: now)


def answer(page, value):
    save_ratings(assignment=page, answers=answers_for(page, value), now=LATER)


CHANGES = {
    "a submission": lambda page: submit_all(make_assignment(page.rater.batch)),
    "another answer": lambda page: answer(page, 2),
    "a mark": lambda page: answer(page, CannotJudge("unclear", "")),
    "a rater is excluded": lambda page: exclude_rater(rater=page.rater, reason="r", now=LATER),
    "a page is excluded": lambda page: exclude_questionnaire(assignment=page, reason="r", now=LATER),
    "a withdrawal": lambda page: withdraw_rater(rater=page.rater, now=LATER),
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_kind_of_change_makes_what_is_kept_stale(change):
    batch, page = rated_batch()
    look(batch)
    assert known_of(batch).is_fresh
    CHANGES[change](page)
    assert not known_of(batch).is_fresh
    assert look(batch).is_fresh


@pytest.mark.parametrize("what", ["rater", "assignment"])
def test_an_exclusion_that_is_undone_makes_it_stale(what):
    batch, page = rated_batch()
    exclude = {"rater": exclude_rater, "assignment": exclude_questionnaire}[what]
    exclusion = exclude(**{what: {"rater": page.rater}.get(what, page)}, reason="r", now=NOW)
    look(batch)
    undo_exclusion(exclusion=exclusion, now=LATER)
    assert not known_of(batch).is_fresh


def test_what_counts_nowhere_leaves_it_fresh():
    batch, _ = rated_batch()
    look(batch)
    claim = make_assignment(batch)
    answer(claim, 3)
    stop_rating(rater=claim.rater)
    assert known_of(batch).is_fresh


def test_few_pages_are_read_at_once_and_once(monkeypatch):
    batch, _ = rated_batch()
    assert look(batch).is_fresh
    monkeypatch.setattr(kept, "find_out", None)
    assert [one.submitted for one in look(batch).findings.raters] == [1, 1]


def test_a_submission_while_few_are_read_leaves_the_findings_whole_and_stale(monkeypatch):
    batch, page = rated_batch()
    met_items = checks.met_items

    def read_before_another_submits(batch, **of_whom):
        found = met_items(batch, **of_whom)
        submit_all(make_assignment(batch))
        return found

    monkeypatch.setattr(checks, "met_items", read_before_another_submits)
    known = look(batch)
    assert [sum(one.points) for one in known.raters] == [page.placements.count()] * 2
    assert (known.is_fresh, known.since) == (False, 1)


def test_who_withdraws_while_the_pages_are_read_is_no_rater_without_answers(monkeypatch):
    batch, page = rated_batch()
    met_items = checks.met_items

    def read_after_a_withdrawal(batch, **of_whom):
        withdraw_rater(rater=page.rater, now=LATER)
        return met_items(batch, **of_whom)

    monkeypatch.setattr(checks, "met_items", read_after_a_withdrawal)
    assert page.rater.code not in [one.rater.code for one in checks.check_raters(batch)]


def test_many_are_left_to_a_worker_whoever_asks(many, asked):
    batch, _ = rated_batch()
    known = [look(batch, asked), look(batch, asked)]
    assert [(one.findings, one.awaited, one.since) for one in known] == [(None, True, 2)] * 2
    (row,) = asked
    assert work(row)
    known = look(batch, asked)
    assert (len(known.findings.raters), known.is_fresh, known.awaited, known.at) == (2, True, False, NOW)
    assert not work(row)


def test_newer_ratings_are_shown_with_their_age_and_read_after_a_pause(many, asked):
    batch, _ = rated_batch()
    look(batch, asked)
    work(asked.pop())
    submit_all(make_assignment(batch))
    known = look(batch, asked, now=NOW + LEAST_PAUSE / 2)
    assert (len(known.findings.raters), known.since, known.awaited, asked) == (2, 1, False, [])
    known = look(batch, asked, now=NOW + LEAST_PAUSE)
    assert (len(known.findings.raters), known.since, known.awaited, known.at) == (2, 1, True, NOW)
    work(asked.pop(), now=LATER)
    known = look(batch, asked)
    assert (len(known.findings.raters), known.since, known.is_fresh, known.at) == (3, 0, True, LATER)


def test_a_rating_that_comes_while_they_are_read_leaves_nothing_that_claims_to_be_fresh(
    many, asked, monkeypatch
):
    batch, _ = rated_batch()
    look(batch, asked)
    find_out = kept.find_out

    def find_out_slowly(batch):
        found = find_out(batch)
        submit_all(make_assignment(batch))
        return found

    monkeypatch.setattr(kept, "find_out", find_out_slowly)
    assert work(asked.pop())
    known = known_of(batch)
    assert (len(known.findings.raters), known.is_fresh, known.since) == (2, False, 1)


def test_two_workers_compute_once(many, asked, monkeypatch):
    batch, _ = rated_batch()
    look(batch, asked)
    find_out, second = kept.find_out, []

    def find_out_beside_another(batch):
        second.append(work(asked[0]))
        return find_out(batch)

    monkeypatch.setattr(kept, "find_out", find_out_beside_another)
    assert (work(asked[0]), second) == (True, [False])


def test_what_a_killed_worker_left_is_handed_over_and_taken_up(many, asked):
    batch, _ = rated_batch()
    look(batch, asked)
    (row,) = asked
    jobs.take_up(row, now=NOW)
    assert (requeue_stale_findings(now=NOW), work(row)) == ([], False)
    dead = NOW + 2 * jobs.STALE_AFTER
    assert [one.pk for one in requeue_stale_findings(now=dead)] == [row.pk]
    assert work(row, now=dead)
    assert known_of(batch).is_fresh


@pytest.mark.django_db(transaction=True)
def test_a_fault_of_the_machinery_is_tried_again(many, asked, monkeypatch):
    batch, _ = rated_batch()
    look(batch, asked)
    find_out, faults = kept.find_out, iter([OperationalError("terminating connection")])

    def find_out_at_the_second_try(batch):
        for fault in faults:
            raise fault
        return find_out(batch)

    monkeypatch.setattr(kept, "find_out", find_out_at_the_second_try)
    monkeypatch.setattr(jobs, "PAUSES", (0,))
    assert work(asked.pop())
    assert (known_of(batch).is_fresh, known_of(batch).error) == (True, "")


def test_another_fault_is_said_and_asked_again_later(many, asked, monkeypatch):
    batch, _ = rated_batch()
    look(batch, asked)
    with monkeypatch.context() as patch:
        patch.setattr(kept, "find_out", lambda _batch: 1 / 0)
        assert not work(asked.pop())
    known = look(batch, asked)
    assert (known.error, known.awaited) == ("Unexpected error (ZeroDivisionError): division by zero", False)
    assert look(batch, asked, now=NOW + AFTER_A_FAULT).awaited
    assert work(asked.pop())
    assert known_of(batch).is_fresh


def test_who_withdraws_is_deleted_from_what_is_kept(many, asked):
    batch, page = rated_batch()
    look(batch, asked)
    work(asked.pop())
    stays = [one.code for one in known_of(batch).raters if one.code != page.rater.code]
    withdraw_rater(rater=page.rater, now=LATER)
    assert [one.code for one in known_of(batch).raters] == stays
    assert page.rater.code.encode() not in bytes(KeptFindings.objects.get().packed)


def test_who_withdraws_while_they_are_read_is_not_written_down(many, asked, monkeypatch):
    batch, page = rated_batch()
    look(batch, asked)
    find_out = kept.find_out

    def find_out_slowly(batch):
        found = find_out(batch)
        withdraw_rater(rater=page.rater, now=LATER)
        return found

    monkeypatch.setattr(kept, "find_out", find_out_slowly)
    work(asked.pop())
    assert page.rater.code.encode() not in bytes(KeptFindings.objects.get().packed)


def test_what_an_older_version_kept_is_found_out_anew():
    batch, _ = rated_batch()
    look(batch)
    KeptFindings.objects.update(packed=b"\x80")
    assert look(batch).is_fresh


def test_a_look_for_notices_finds_out_and_keeps_it_for_the_pages(many, asked):
    batch, _ = rated_batch()
    assert len(find_in_time(batch, now=NOW).raters) == 2
    assert look(batch, asked).is_fresh
    assert asked == []
    submit_all(make_assignment(batch))
    assert find_in_time(batch, now=NOW) is None  # very many ratings were read only just before
    assert len(find_in_time(batch, now=NOW + LEAST_PAUSE).raters) == 3


def test_a_look_for_notices_leaves_it_to_a_worker_that_is_at_it(many, asked):
    batch, _ = rated_batch()
    look(batch, asked)
    jobs.take_up(asked[0], now=NOW)
    assert find_in_time(batch, now=NOW) is None


def test_a_look_for_notices_does_not_wait_for_workers_that_are_not_there(many, asked):
    batch, _ = rated_batch()
    look(batch, asked)
    assert find_in_time(batch, now=NOW) is None  # a worker may be about to take it
    assert len(find_in_time(batch, now=NOW + timedelta(minutes=5)).raters) == 2


def test_findings_are_made_with_one_thread_of_linear_algebra(monkeypatch):
    """On a busy machine two threads had taken several times the processor, waiting for one another."""
    assess, seen = findings.assess_batch, []

    def assess_and_look(batch):
        seen.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return assess(batch)

    monkeypatch.setattr(findings, "assess_batch", assess_and_look)
    batch, _page = rated_batch()
    with threadpool_limits(2, user_api="blas"):
        findings.find_out(batch)
    assert set(seen) == {1}
