"""A store that is away, a disk that is full: runs are tried again, a few times, and say why they end."""

import errno
import os

import pytest
from django.utils import timezone

from survey_site.corpus.queries import load_corpus
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus, ScoreRun
from survey_site.scoring.parts.cutting import cut, stream_of
from survey_site.scoring.parts.waking import wake_joiner
from survey_site.scoring.parts.working import work_on
from survey_site.scoring.services import execute_run
from tests.factories.machinery import fill_disk, lose_store
from tests.survey_site.scoring.test_services import request_rouge

pytestmark = pytest.mark.django_db(transaction=True)
IN_ONE_PIECE, EACH_A_PART = 10**6, 1


@pytest.fixture(autouse=True)
def _apart(settings, tmp_path):
    settings.CONCORD_DATA_DIR, settings.CONCORD_SHARD_PAIRS = tmp_path, IN_ONE_PIECE


@pytest.fixture
def noted(monkeypatch):
    """What a run's page says of each interruption."""
    notes, update = [], jobs._update

    def note(job, **values):
        notes.extend([values["error"]] if values.get("interruptions") else [])
        return update(job, **values)

    monkeypatch.setattr(jobs, "_update", note)
    return notes


def end():
    return ScoreRun.objects.values_list("status", "error", "interruptions").get()


def test_a_run_in_one_piece_goes_on_once_the_store_is_back(monkeypatch, pauses, noted, tmp_path):
    run = request_rouge()
    lose_store(monkeypatch, times=1)
    execute_run(run=run)
    assert noted == [
        f"Interrupted 1 time, the last time by StoreError: The distance store '{tmp_path}/distances' cannot "
        f"be listed: {os.strerror(errno.ESTALE)}. Check the place, its permissions and its free space, or "
        "name another store."
    ]
    assert (end(), pauses) == ((JobStatus.DONE, "", 1), [1])


def test_a_run_that_is_joined_goes_on_once_the_store_is_back(monkeypatch, pauses, settings):
    settings.CONCORD_SHARD_PAIRS = EACH_A_PART
    run = request_rouge()
    jobs.take_up(run, now=timezone.now())
    run.refresh_from_db()
    assert cut(run, stream_of(run, load_corpus(run.corpus)))
    work_on("celery", clock=timezone.now, ended=wake_joiner)
    ScoreRun.objects.update(status=JobStatus.QUEUED)
    lose_store(monkeypatch, times=2)
    execute_run(run=run)
    assert (end(), pauses) == ((JobStatus.DONE, "", 2), [1, 2])
    assert set(run.shards.values_list("status", "interruptions")) == {(JobStatus.DONE, 0)}


def test_a_store_that_stays_away_fails_the_run_with_what_to_do(monkeypatch, pauses, tmp_path):
    run = request_rouge()
    lose_store(monkeypatch, times=jobs.MOST_INTERRUPTIONS)
    execute_run(run=run)
    assert end() == (
        JobStatus.FAILED,
        f"Interrupted 5 times, the last time by StoreError: The distance store '{tmp_path}/distances' cannot "
        f"be listed: {os.strerror(errno.ESTALE)}. Check the place, its permissions and its free space, or "
        f"name another store. {jobs.LOOK}",
        5,
    )
    assert pauses == [1, 2, 4, 4]


def test_an_address_where_no_store_can_be_is_not_tried_again(settings, pauses):
    settings.CONCORD_DISTANCES_URL = "nowhere://x"
    execute_run(run=request_rouge())
    said = "The distance store 'nowhere://x' cannot be used: Protocol not known: nowhere"
    assert (end(), pauses) == ((JobStatus.FAILED, said, 0), [])


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ESTALE])
def test_a_run_goes_on_once_the_disk_takes_its_file(number, monkeypatch, pauses, noted):
    run = request_rouge()
    fill_disk(monkeypatch, times=1, number=number)
    execute_run(run=run)
    said = f"Interrupted 1 time, the last time by OSError: [Errno {number}] {os.strerror(number)}."
    assert (noted, end(), pauses) == ([said], (JobStatus.DONE, "", 1), [1])


def test_a_disk_that_stays_full_fails_the_run_with_what_to_do(monkeypatch, pauses):
    run = request_rouge()
    fill_disk(monkeypatch, times=jobs.MOST_INTERRUPTIONS)
    execute_run(run=run)
    said = f"[Errno {errno.ENOSPC}] {os.strerror(errno.ENOSPC)}"
    assert end() == (
        JobStatus.FAILED,
        f"Interrupted 5 times, the last time by OSError: {said}. {jobs.LOOK}",
        5,
    )
    assert pauses == [1, 2, 4, 4]


def test_a_folder_that_may_not_be_written_is_not_tried_again(monkeypatch, pauses):
    run = request_rouge()
    fill_disk(monkeypatch, times=1, number=errno.EACCES)
    execute_run(run=run)
    said = f"Unexpected error (PermissionError): [Errno {errno.EACCES}] {os.strerror(errno.EACCES)}"
    assert (end(), pauses) == ((JobStatus.FAILED, said, 0), [])
