"""The page of a large run in a browser: parts under way, cancelling, and trying failed parts again."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from survey_site.corpus.queries import load_corpus
from survey_site.scoring import jobs
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import JobStatus, ScoreRun, ScoreShard
from survey_site.scoring.parts.cutting import cut, stream_of
from survey_site.scoring.parts.working import take_shard_of
from survey_site.scoring.services import request_automatic
from tests.browser.test_uploads import check_at_both_widths
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus


@pytest.fixture
def run(settings, tmp_path):
    """At work, with one part done and one under way."""
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 1, tmp_path
    choice = MeasureChoice(spec="rouge-l")
    row = request_automatic(corpus_row=make_scored_corpus(), choice=choice, now=NOW)
    jobs.take_up(row, now=timezone.now())
    row.refresh_from_db()
    assert cut(row, stream_of(row, load_corpus(row.corpus)))
    first = take_shard_of(row.pk, now=timezone.now())
    jobs.finish(first, now=timezone.now())
    take_shard_of(row.pk, now=timezone.now())
    alive = timezone.now() + jobs.STALE_AFTER * 60  # however long the browser takes
    ScoreRun.objects.update(done=first.pairs, heartbeat_at=alive)
    ScoreShard.objects.update(heartbeat_at=alive)
    return row


@pytest.fixture
def opened(page, login, researcher, live_server, run):
    """The page of the run."""
    login(page, researcher)
    page.goto(live_server.url + run.get_absolute_url())
    return page


def test_a_run_is_watched_cancelled_and_tried_again(opened, violations, problems):
    page = opened
    expect(page.get_by_text("1 of 3")).to_be_visible()
    expect(page.get_by_role("region", name="Parts under way")).to_be_visible()
    assert problems == []
    check_at_both_widths(page, violations)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Being cancelled once the parts under way are done")).to_be_visible()
    ScoreShard.objects.filter(number=1).update(status=JobStatus.FAILED, error="Document 7 has no text.")
    ScoreRun.objects.update(status=JobStatus.FAILED, error="It was cancelled before its end.")
    again = page.get_by_role("button", name="Try the failed parts again")
    expect(again).to_be_visible()  # the page looks again by itself
    expect(page.get_by_text("Document 7 has no text.")).to_be_visible()
    check_at_both_widths(page, violations)
    again.click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    assert ScoreShard.objects.filter(status=JobStatus.QUEUED).count() == 2
