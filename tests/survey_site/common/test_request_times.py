"""Requests are counted over all web processes, and no count falls when one of them ends."""

import fcntl
import signal
import subprocess
import sys

import pytest

from survey_site.common import request_times
from survey_site.common.request_times import BOUNDS, FOLDER, observe, read_times
from survey_site.settings.table import BASE_DIR

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path
    settings.CONCORD_METRICS = True
    return tmp_path


def counted():
    return {one.route: one.statuses for one in read_times()}


def request_of(client, path):
    return client.get(path).wsgi_request


def test_a_request_is_counted_by_route_and_status(client):
    client.get("/accounts/login/")
    client.get("/s/a-secret-token/")
    client.get("/nowhere/")
    assert counted() == {"none": {404: 1}, "accounts:login": {200: 1}, "survey:join": {404: 1}}


def test_nothing_is_counted_where_metrics_are_off(client, settings, data):
    settings.CONCORD_METRICS = False
    client.get("/accounts/login/")
    assert list(data.iterdir()) == []


def test_times_stand_in_their_buckets(client, settings):
    settings.CONCORD_METRICS = False
    request = request_of(client, "/accounts/login/")
    for seconds in (0.005, 0.0051, 0.3, 11, 12):
        observe(request, 418, seconds)
    (one,) = read_times()
    assert dict(zip((*BOUNDS, "more"), one.buckets, strict=True)) == dict.fromkeys(BOUNDS, 0) | {
        0.005: 1,
        0.01: 1,
        0.5: 1,
        "more": 2,
    }
    assert (round(one.seconds, 4), one.statuses) == (23.3101, {0: 5})


def test_files_of_other_versions_go_but_those_that_are_still_counted_in(client, settings, data):
    settings.CONCORD_METRICS = False
    request = request_of(client, "/accounts/login/")
    left, busy = (data / FOLDER / f"machine-{number}.0123456789ab" for number in (0, 1))
    left.parent.mkdir()
    left.write_bytes(b"")
    with busy.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        observe(request, 200, 0.1)
    assert (left.exists(), busy.exists(), counted()) == (False, True, {"accounts:login": {200: 1}})


def test_requests_are_counted_where_the_system_cannot_reserve_room(client, settings, monkeypatch):
    settings.CONCORD_METRICS = False
    request = request_of(client, "/accounts/login/")
    monkeypatch.delattr("os.posix_fallocate")
    observe(request, 200, 0.1)
    assert counted() == {"accounts:login": {200: 1}}


ANOTHER = """
import os, signal, sys
from pathlib import Path
from django.conf import settings
settings.configure(CONCORD_DATA_DIR=Path(sys.argv[1]))
from django.http import HttpRequest
from survey_site.common import request_times
request_times._rows = lambda: ({str(row): row for row in range(int(sys.argv[2]))}, sys.argv[3])
request_times.observe(HttpRequest(), 404, 0.1)
os.kill(os.getpid(), signal.SIGKILL)
"""


def another_process(folder):
    """One that counts a request without a route, and is killed."""
    names, version = request_times._rows()
    command = [sys.executable, "-c", ANOTHER, str(folder), str(len(names)), version]
    return subprocess.run(command, cwd=BASE_DIR, check=False).returncode


def test_processes_add_up_and_one_that_was_killed_leaves_its_file_to_the_next(client, data):
    client.get("/nowhere/")
    assert another_process(data) == -signal.SIGKILL
    assert counted() == {"none": {404: 2}}
    assert another_process(data) == -signal.SIGKILL
    assert counted() == {"none": {404: 3}}
    assert len(list((data / FOLDER).iterdir())) == 2


def test_a_disk_that_takes_nothing_stops_no_request(client, monkeypatch, caplog):
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(request_times.os, "posix_fallocate", full)
    assert client.get("/accounts/login/").status_code == 200
    assert counted() == {}
    assert "Times of requests are not counted" in caplog.text
