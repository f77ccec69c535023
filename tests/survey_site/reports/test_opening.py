"""The first thing on a report's page: headline, picture, its numbers, and what the ratings can carry."""

import html
import re
from dataclasses import replace

import pytest
from django.urls import reverse

from meta_eval.publish.figures.describing import figure_alt
from meta_eval.publish.figures.picture import draw_picture, picture_rows
from meta_eval.report.opening import what_ratings_carry
from meta_eval.report.schema import report_record
from meta_eval.report.view import choose_view
from survey_site.quality.checks import check_raters, count_flagged
from tests.factories.reports import make_report

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_report)


@pytest.fixture
def report(made_once):
    made_once.refresh_from_db()
    return made_once


def page_of(report, client):
    return client.get(reverse("reports:detail", args=[report.pk])).content.decode()


def test_the_page_opens_with_the_picture_and_all_its_numbers(report, researcher_client):
    text = page_of(report, researcher_client)
    result = report.read()
    opening = text[text.index('class="card answer') : text.index('class="stat-grid"')]
    assert draw_picture(result) in opening
    assert draw_picture(result, narrow=True) in opening
    said = figure_alt("answer", result, choose_view(result, {}))
    assert f'aria-label="{html.escape(said)} All numbers are in the table that follows."' in opening
    table = html.unescape(re.search(r"<table.*?</table>", opening, flags=re.DOTALL)[0])
    for row in picture_rows(result):
        assert row.title in table
    for one in what_ratings_carry(result):
        assert one.title in html.unescape(opening)
        assert one.text in html.unescape(opening)
    assert text.index("The numbers behind it") < text.index('id="leaderboard"')


def test_where_nothing_is_claimed_the_headline_and_the_picture_say_so(report, researcher_client):
    result = report.read()
    headline = "These ratings cannot answer it yet: it is odd."
    answer = replace(result.answer, claimed=None, headline=headline, sentence=f"{headline} Why & how.")
    report.result = report_record(replace(result, answer=answer))
    report.save(update_fields=["result"])
    text = page_of(report, researcher_client)
    assert '<p class="answer__sentence">These ratings cannot answer it yet: it is odd.</p>' in text
    assert '<p class="answer__why">Why &amp; how.</p>' in text
    assert "answer--open" in text
    assert "; drawn pale, because the ratings support none of the measures. All numbers are" in text
    assert 'opacity="0.4"' in text


def test_the_page_says_first_why_a_survey_of_few_systems_carries_no_answer(report, researcher_client):
    answer = report.read().answer
    assert [reason.what for reason in answer.reasons] == ["flagged", "systems", "shuffled"]
    text = html.unescape(page_of(report, researcher_client))
    opening = text[text.index('class="answer__sentence"') :]
    assert opening.index("These ratings cannot answer it yet: ") < opening.index("picture__wide")


def test_of_an_older_report_nobody_judged_whether_its_ratings_carry_an_answer(report, researcher_client):
    stored = dict(report.result)
    stored["answer"] = {
        name: value for name, value in stored["answer"].items() if name not in ("answerable", "reasons")
    }
    report.result = {**stored, "schema_version": 6}
    report.save(update_fields=["result"])
    read = report.read().answer
    assert (read.answerable, read.reasons) == (None, ())
    assert "An answer</dt><dd>was not judged when this report was made; a new report" in page_of(
        report, researcher_client
    )


def test_the_site_counts_the_raters_whom_a_check_flags(report):
    flagged = count_flagged(check_raters(report.batch))
    assert report.read().subject["raters_flagged"] == flagged == 2


def test_nothing_in_the_picture_is_styled_or_run_in_place(report):
    for narrow in (False, True):
        svg = draw_picture(report.read(), narrow=narrow)
        assert not re.search(r"style=|<style|<script|\son\w+=", svg)
