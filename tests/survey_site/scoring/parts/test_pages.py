"""The page of a run: how far it is, who is at work, ending it and trying failed parts again."""

import csv
import re
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from meta_eval.report.numbers import PAGE, score_text
from survey_site.accounts.audit import audit_entries
from survey_site.corpus.queries import load_corpus
from survey_site.keeping.dependents import rows_of
from survey_site.scoring import jobs
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import JobStatus, RunKind, ScoreRun, ScoreShard
from survey_site.scoring.parts.cutting import cut, stream_of
from survey_site.scoring.parts.queries import SystemRow, scores_of
from survey_site.scoring.parts.working import take_shard_of, this_worker
from survey_site.scoring.services import execute_run, request_automatic
from survey_site.scoring.tasks import execute_run_task
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(settings, tmp_path):
    """At work: the first part done, the second under way."""
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 1, tmp_path
    row = request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="jsd"), now=NOW)
    jobs.take_up(row, now=timezone.now())
    row.refresh_from_db()
    stream = stream_of(row, load_corpus(row.corpus))
    assert cut(row, stream)
    first = take_shard_of(row.pk, now=timezone.now())
    stream.compute(stream.shards[0])
    jobs.finish(first, now=timezone.now())
    take_shard_of(row.pk, now=timezone.now())
    alive = timezone.now() + jobs.STALE_AFTER * 60  # however long the test takes
    ScoreRun.objects.update(done=first.pairs, heartbeat_at=alive)
    ScoreShard.objects.update(heartbeat_at=alive)
    row.refresh_from_db()
    return row


@pytest.fixture
def finished(settings, tmp_path):
    """Computed in one piece."""
    settings.CONCORD_DATA_DIR = tmp_path
    row = request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="rouge-l"), now=NOW)
    return execute_run(run=row)


def shown(client, run, name="detail"):
    answer = client.get(reverse(f"runs:{name}", args=[run.pk]))
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_the_page_says_how_far_it_is_and_who_is_at_work(researcher_client, run):
    for name in ("detail", "progress"):
        page = shown(researcher_client, run, name)
        assert "33 %" in page
        assert "<dt>Parts done</dt><dd>1 of 3</dd>" in page
        assert "<dt>Pairs of texts compared</dt><dd>65 of 195</dd>" in page
        assert "<dt>Parts that wait</dt><dd>1, for workers that serve the queue celery</dd>" in page
        assert f'<th scope="row">2</th><td>{this_worker()}</td>' in page


def test_a_run_is_cancelled_and_tried_again(researcher_client, run, monkeypatch):
    sent = []
    monkeypatch.setattr(execute_run_task, "delay", sent.append)
    assert ">Cancel</button>" in shown(researcher_client, run)
    researcher_client.post(reverse("runs:cancel", args=[run.pk]))
    assert "Being cancelled" in shown(researcher_client, run)
    ScoreRun.objects.update(status=JobStatus.FAILED, error="It was cancelled before its end.")
    ScoreShard.objects.filter(number=1).update(status=JobStatus.FAILED, error="no such text")
    page = shown(researcher_client, run)
    assert ">Try the failed parts again</button>" in page
    assert '<th scope="row">2</th><td>no such text</td>' in page
    researcher_client.post(reverse("runs:retry", args=[run.pk]))
    run.refresh_from_db()
    assert (run.status, run.cancelled_at) == ("queued", None)
    assert list(run.shards.values_list("status", flat=True)) == ["done", "queued", "queued"]


def test_a_run_that_is_done_shows_its_scores_the_best_first(researcher_client, finished):
    table = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', shown(researcher_client, finished))
    shown_rows = [
        (system, [unescape(one) for one in re.findall(r">([^<>]+)</td>", cells)]) for system, cells in table
    ]
    best_first = sorted(finished.records, key=lambda one: -one["degress"])
    assert shown_rows == [
        (
            one["system"],
            [
                *(score_text(one[name], PAGE) for name in ("degress", "perseval", "egises", "accuracy")),
                str(one["documents"]),
                str(one["pairs"]),
            ],
        )
        for one in best_first
    ]
    assert len({one["degress"] for one in best_first}) == len(best_first) == 3


def test_scores_of_people_have_no_accuracy_and_a_missing_one_says_why():
    records = [
        {"system": "a", "degress_hj": None, "documents": 0, "pairs": 0, "reason": "no pair was rated"},
        {
            "system": "b",
            "degress_hj": 0.25,
            "perseval_hj": 0.125,
            "egises_hj": 0.75,
            "documents": 2,
            "pairs": 6,
        },
    ]
    scores = scores_of(ScoreRun(kind=RunKind.HUMAN, records=records))
    assert scores.titles == ["DEGRESS", "PerSEval", "EGISES"]
    assert scores.rows == [
        SystemRow("b", ["0.250", "0.125", "0.750"], 2, 6, ""),
        SystemRow("a", ["–", "–", "–"], 0, 0, "no pair was rated"),
    ]


def test_scores_are_downloaded_once_they_are_there(researcher_client, researcher, run, finished):
    answer = researcher_client.get(reverse("runs:scores", args=[finished.pk]))
    rows = list(csv.DictReader(answer.content.decode().splitlines()))
    assert [float(row["degress"]) for row in rows] == [one["degress"] for one in finished.records]
    entry = audit_entries(action="scores downloaded").get()
    assert (entry.actor, entry.subject_id) == (researcher, finished.pk)
    assert researcher_client.get(reverse("runs:scores", args=[run.pk])).status_code == 409


def test_a_name_of_a_system_is_no_formula_and_no_html(researcher_client, finished):
    name = '=HYPERLINK("//evil","<b>")'
    first, *others = finished.records
    ScoreRun.objects.filter(pk=finished.pk).update(records=[first | {"system": name}, *others])
    answer = researcher_client.get(reverse("runs:scores", args=[finished.pk]))
    rows = list(csv.DictReader(answer.content.decode().splitlines()))
    assert [row["system"] for row in rows] == [f"'{name}", *(one["system"] for one in others)]
    assert f'<th scope="row">{escape(name)}</th>' in shown(researcher_client, finished)


def test_the_order_of_scores_is_said_outside_the_table_that_phones_scroll(researcher_client, finished):
    before, _table = shown(researcher_client, finished).split("<table", 1)
    assert "Systems by DEGRESS, the best first." in before


def test_parts_go_with_their_corpus(run):
    gone = {one.rows.model: one.rows.count() for one in rows_of(run.corpus)}
    assert gone[ScoreShard] == 3
