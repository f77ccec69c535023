"""Waiting for runs and reports, and the files of a report, with a site that does as the script says."""

import httpx2
import pytest

from meta_eval.client import ClientError, JobFailedError, StillRunningError
from meta_eval.client.frames import csv_frame
from meta_eval.client.reports import inside
from tests.meta_eval.client.test_sending import MOMENT, Script, said

REPORT = {
    **{"id": 4, "batch": 1, "batch_name": "Pilot", "answer": "", "error": "", "created_at": MOMENT},
    **{"started_at": None, "finished_at": None, "archived_at": None, "options": {}, "failures": []},
}


def report(state, scores=0, inference=0, **more):
    parts = [{"kind": "automatic", "measure": "jsd", "percent": scores, "run": None}]
    return said({**REPORT, "state": state, "parts": parts, "inference_percent": inference, **more})


def test_a_report_is_waited_for_in_longer_and_longer_steps():
    site, seen = (
        Script(report("queued"), report("running", 100), report("running", 100, 50), report("done")),
        [],
    )
    done = site.concord().reports.get(4).wait(progress=lambda one: seen.append(one.percent))
    assert (done.state, seen, site.waits) == ("done", [0, 50, 75, 100], [0.5, 0.75, 1.125])


def test_progress_is_told_once_for_each_change(capsys):
    site = Script(report("queued"), report("queued"), report("done"))
    site.concord().reports.get(4).wait(progress=True)
    assert capsys.readouterr().err == "Report 4: queued, 0 %\nReport 4: done, 100 %\n"


def test_what_fails_and_what_takes_too_long_are_errors():
    failed = Script(report("queued"), report("failed", error="no model"))
    with pytest.raises(JobFailedError, match="Report 4 failed: no model"):
        failed.concord().reports.get(4).wait()
    slow = Script(report("running", 40))
    with pytest.raises(StillRunningError, match=r"Report 4 is running at 20 % after 0.1 seconds"):
        slow.concord().reports.get(4).wait(timeout=0.1)
    waiting = Script(report("queued"))
    with pytest.raises(StillRunningError, match="no worker has taken it up: is one running"):
        waiting.concord().reports.get(4).wait(timeout=0.1)


def test_a_file_is_whole_or_not_there(tmp_path):
    def broken():
        yield b"half"
        raise httpx2.ReadError("gone")

    files = [
        {"address": one, "title": "t", "content_type": "c"} for one in ("a.csv", "tables/b.csv", "bundle.zip")
    ]
    site = Script(
        report("done"),
        said(files),
        httpx2.Response(200, content=broken()),
        httpx2.Response(200, content=b"whole"),
        said({"title": "No", "status": 404, "detail": "Nothing.", "action": ""}, 404),
    )
    (path,) = site.concord().reports.get(4).save(tmp_path)
    assert (path, path.read_bytes()) == (tmp_path / "a.csv", b"whole")
    assert sorted(one.name for one in tmp_path.rglob("*") if one.is_file()) == ["a.csv"]


@pytest.mark.parametrize("address", ["../x", "/etc/x", "a/../../x", "..\\x", "c:x", ""])
def test_no_file_is_written_elsewhere(address):
    with pytest.raises(ClientError, match="lies in no folder"):
        inside(address)


def test_only_an_empty_cell_of_a_table_is_missing():
    frame = csv_frame(b"system,score\nNA,0.1\nnull,\n")
    assert frame["system"].tolist() == ["NA", "null"]
    assert (frame["score"][0], frame["score"].isna().tolist()) == (0.1, [False, True])
