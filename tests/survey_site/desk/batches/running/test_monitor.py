"""The monitor: what comes next, how far it is, its plots, and times with their zone."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from survey_site.batches.queries import batch_pace, batch_progress
from survey_site.batches.services import close_batch, pause_batch
from survey_site.batches.timing import Completion, completions_of, median_time
from survey_site.desk.batches.running.next_step import Situation, next_step
from survey_site.desk.batches.running.plots import plot_answers, plot_coverage, plot_times
from survey_site.quality.freezing import freeze_batch
from survey_site.reports.models import Report
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.reports import make_report
from tests.factories.survey import make_assignment, make_rater, submit_all

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def step_of(batch, *, now=NOW, flagged=0):
    progress = batch_progress(batch, now=now)
    pace = batch_pace(batch, progress, completions_of(batch), now=now)
    return next_step(Situation(batch, progress, pace, flagged, now))


def complete(batch, times=4):
    for hour in range(1, times + 1):
        submit_all(make_assignment(batch, now=NOW + hour * HOUR), now=NOW + hour * HOUR + 3 * MINUTE)
    return batch


def ms(moment):
    return round(moment.timestamp() * 1000)


def completion(minutes, took=None):
    return Completion(ms(NOW + minutes * MINUTE), 3, None if took is None else round(took * 60_000))


@pytest.mark.django_db
def test_one_thing_comes_next_from_the_launch_to_the_report():
    batch, later = make_batch(), NOW + 9 * HOUR
    assert step_of(batch).address == "#link-title"
    make_rater(batch)
    assert (step_of(batch).title, step_of(batch).label) == ("Raters are at work", "")
    flagged = step_of(batch, flagged=5)
    assert flagged.title == "5 raters are flagged: look at them"
    assert flagged.address == reverse("quality:detail", args=[batch.pk]) + "#raters"
    assert step_of(batch, flagged=1).title == "1 rater is flagged: look at this one"
    paused = step_of(pause_batch(batch=batch, now=NOW))
    assert (paused.address, paused.posts) == (reverse("batches:resume", args=[batch.pk]), True)
    whole = complete(make_batch())
    assert step_of(whole, now=later).address == reverse("batches:close", args=[whole.pk])
    whole = close_batch(batch=whole, now=later)
    assert step_of(whole, now=later, flagged=None).address == reverse("quality:detail", args=[whole.pk])
    assert step_of(whole, now=later).title == "All is rated: freeze the batch"
    assert step_of(whole, now=later, flagged=2).title == "2 raters are flagged: look at them"
    freeze_batch(batch=whole, clock=lambda: later)
    whole.refresh_from_db()
    assert step_of(whole, now=later, flagged=2).title == "Build the report"


@pytest.mark.django_db
def test_the_time_window_decides_what_comes_next():
    opens = make_batch(opens_at=NOW + HOUR)
    assert step_of(opens).title == "It opens on 2 March 2026, 10:00 (UTC)"
    assert step_of(opens).address.endswith("/extend/#window-title")
    ended = make_batch(closes_at=NOW + HOUR)
    assert step_of(ended, now=NOW + 2 * HOUR).title == "The time window has ended"
    slow = complete(make_batch(corpus=make_corpus(documents=3), closes_at=NOW + 5 * HOUR))
    assert step_of(slow, now=NOW + 4.5 * HOUR).title == "Not all will be rated in time"
    assert step_of(complete(make_batch(corpus=make_corpus(documents=3)))).title == "Raters are at work"


@pytest.mark.django_db
def test_a_closed_batch_without_answers_has_nothing_to_press():
    assert step_of(close_batch(batch=make_batch(), now=NOW)).label == ""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("status", "made", "is_read"),
    [("done", 1, True), ("done", -1, False), ("failed", 1, False), ("running", 1, False)],
)
def test_a_report_on_the_frozen_ratings_is_read_and_no_other(status, made, is_read):
    report = make_report()
    batch = close_batch(batch=report.batch, now=NOW)
    freeze_batch(batch=batch, clock=lambda: NOW)
    batch.refresh_from_db()
    Report.objects.update(status=status, created_at=NOW + made * HOUR)
    assert (step_of(batch).address == report.get_absolute_url()) is is_read
    assert (step_of(batch).title == "Build the report") is not is_read


@pytest.mark.django_db
def test_who_may_not_act_is_told_whom_to_ask(admin_client, researcher_client):
    address = close_batch(batch=complete(make_batch()), now=NOW + 9 * HOUR).get_absolute_url()
    freeze = ">Freeze …</a>"
    step = re.compile(r'<section class="next.*?</section>', re.DOTALL)
    admin_client.get(f"{address}?quality=now")  # which comes before freezing
    by_admin, by_researcher = (
        step.search(client.get(address).content.decode()).group()
        for client in (admin_client, researcher_client)
    )
    assert (freeze in by_admin, "Ask an admin" in by_admin) == (True, False)
    assert (freeze in by_researcher, "Ask an admin" in by_researcher) == (False, True)


@pytest.mark.django_db
def test_completions_have_their_times_but_not_of_simulated_raters():
    batch = make_batch()
    complete(batch, times=2)
    submit_all(make_assignment(batch, rater=make_rater(batch, simulated=True)), now=NOW + MINUTE)
    make_assignment(batch)
    assert completions_of(batch) == [
        Completion(ms(NOW + MINUTE), 3, None),
        Completion(ms(NOW + HOUR + 3 * MINUTE), 3, 180_000),
        Completion(ms(NOW + 2 * HOUR + 3 * MINUTE), 3, 180_000),
    ]
    assert median_time(completions_of(batch)) == "3 min"


def test_nobody_has_no_median_time():
    assert median_time([completion(1)]) == ""
    assert median_time([completion(1, 2), completion(2, 6), completion(3)]) == "4 min"
    assert median_time([completion(1, 0.75)]) == "45 s"


def test_answers_add_up_from_the_first_to_the_last():
    line = plot_answers([completion(0), completion(30), completion(60)])
    points = [tuple(map(float, point.split(","))) for point in line.points.split()]
    assert (points[0], points[-1]) == ((0.0, 100.0), (600.0, 0.0))
    assert sorted({y for _, y in points}) == [0.0, 50.0, 100.0]
    assert (line.start, line.end, line.answers) == (NOW, NOW + 60 * MINUTE, 9)
    assert line.rows[-1] == (NOW + 60 * MINUTE, 9)
    assert line.rows[0][1] == 3
    assert plot_answers([]) is None
    assert plot_answers([completion(5), completion(5)]) is None


def test_times_fall_into_bars_of_equal_width():
    bars = plot_times([completion(i, took) for i, took in enumerate([0.4, 1.2, 1.4, 1.9, 3.1])])
    assert [(bar.label, bar.count) for bar in bars][:4] == [
        ("0 to 0.5", 1),
        ("0.5 to 1", 0),
        ("1 to 1.5", 2),
        ("1.5 to 2", 1),
    ]
    assert sum(bar.count for bar in bars) == 5
    assert max(bar.height for bar in bars) == 150
    assert plot_times([completion(1)]) == []


def test_one_who_takes_very_long_does_not_flatten_the_rest():
    bars = plot_times([completion(i, 2) for i in range(40)] + [completion(99, 900)])
    assert len(bars) <= 12
    assert (bars[-1].label.endswith("or more"), bars[-1].count) == (True, 1)


@pytest.mark.django_db
@pytest.mark.parametrize("raters", [2, 12])
def test_coverage_is_one_bar_without_zeros(raters, researcher_client):
    batch = make_batch(corpus=make_corpus(documents=4), raters=raters)
    empty = plot_coverage(batch_progress(batch, now=NOW), raters)
    assert [(one.kind, one.count, one.width) for one in empty] == [("none", 4, 100.0)]
    submit_all(make_assignment(batch))
    found = plot_coverage(batch_progress(batch, now=NOW), raters)
    assert [(one.kind, one.count, one.x, one.width) for one in found] == [
        ("part", 1, 0.0, 25.0),
        ("none", 3, 25.0, 75.0),
    ]
    page = researcher_client.get(batch.get_absolute_url()).content.decode()
    legend = re.search(r'id="coverage-words">.*?</ul>', page, re.DOTALL).group()
    assert legend.count("<li>") == 2


@pytest.mark.django_db
def test_every_time_on_the_monitor_names_its_zone(researcher_client, settings):
    settings.TIME_ZONE = "Europe/Berlin"
    batch = complete(make_batch(closes_at=datetime(2099, 7, 1, 9, tzinfo=UTC)), times=3)
    page = researcher_client.get(f"{batch.get_absolute_url()}?quality=now").content.decode()
    times = re.findall(r"<time [^>]*>([^<]*)</time>", page)
    assert "1 July 2099, 11:00 (Europe/Berlin)" in times
    assert {re.search(r"\((.*)\)$", one).group(1) for one in times} == {"Europe/Berlin"}
    bare = re.sub(r"<time.*?</time>|<details class=.disclosure.*?</details>", "", page, flags=re.DOTALL)
    assert re.findall(r"\b\d{2}:\d{2}\b", bare) == []
