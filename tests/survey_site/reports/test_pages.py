"""Pages of the reports: what they say, for whom, and at what cost."""

import html
import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from meta_eval.publish.figures.drawing import draw_scatter
from meta_eval.publish.figures.style import render_figure
from meta_eval.publish.tables import report_table, table_csv
from meta_eval.report.tables.agreement import lay_out_ranking
from meta_eval.report.view import choose_view
from survey_site.reports.models import Report
from survey_site.scoring.models import JobStatus, ScoreRun
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch, make_scored_corpus, rate_batch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]

FILES = ("leaderboard.csv", "correlations.csv", "report.json", "figures/scatter.svg")
PAGES = ("detail", "progress", *FILES)


def page_text(response):
    return html.unescape(response.content.decode())


def url(name, report, **query):
    if "." in name:
        return reverse("reports:file", args=[report.pk, name], query=query)
    return reverse(f"reports:{name}", args=[report.pk], query=query)


@pytest.mark.parametrize("name", PAGES)
def test_pages_ask_for_a_login(name, report):
    address = url(name, report)
    response = Client().get(address)
    assert (response.status_code, response.url) == (302, f"{reverse('accounts:login')}?next={address}")


def test_an_unfinished_report_shows_its_parts_and_renews_itself(researcher_client):
    report = make_report(built=False)
    text = page_text(researcher_client.get(url("detail", report)))
    assert f'data-report-progress="{url("progress", report)}"' in text
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in text
    assert text.count("Not begun") == 4
    assert "0 %" in text
    assert "No worker has taken this up yet" in text  # it was requested in 2026-03, long ago


def test_a_report_that_waits_for_a_moment_gives_no_alarm(researcher_client):
    report = make_report(built=False, now=timezone.now())
    assert "No worker has taken this up yet" not in page_text(researcher_client.get(url("detail", report)))


def test_progress_is_the_mean_of_the_parts(researcher_client, report):
    Report.objects.update(status=JobStatus.RUNNING)
    runs = list(report.runs.order_by("pk"))
    ScoreRun.objects.filter(pk=runs[0].pk).update(status=JobStatus.RUNNING, done=1, total=2)
    ScoreRun.objects.filter(pk=runs[1].pk).update(status=JobStatus.FAILED, error="no memory left", done=0)
    text = page_text(researcher_client.get(url("progress", report)))
    assert "<span>Computing</span><span>87 %</span>" in text
    assert "no memory left" in text
    assert "data-finished" not in text


@pytest.mark.parametrize("status", [JobStatus.DONE, JobStatus.FAILED])
def test_the_progress_of_an_ended_report_ends_the_waiting(status, researcher_client, report):
    Report.objects.update(status=status)
    assert "data-finished" in page_text(researcher_client.get(url("progress", report)))


def test_a_finished_report_starts_with_the_answer(researcher_client, django_assert_num_queries, report):
    with django_assert_num_queries(6):
        text = page_text(researcher_client.get(url("detail", report)))
    answer = report.result["answer"]
    assert answer["headline"] in text
    assert answer["sentence"].removeprefix(answer["headline"]).strip() in text
    assert answer["cautions"][0] in text
    assert "simulated" not in text.lower()
    assert "Raters judged similarity: 1 is low, 6 is very high." in text
    assert "The document stood beside the pairs." in text
    assert report.result["signatures"][0]["digest"] in text
    assert text.count('<figcaption class="heat-figure__title"') == 3


@pytest.mark.parametrize(
    ("simulated", "title"), [(6, "All ratings are simulated"), (2, "Some ratings are simulated")]
)
def test_simulated_ratings_are_announced(simulated, title, researcher_client):
    batch = make_rated_batch(completions=simulated, simulated=True)
    if simulated < 6:
        rate_batch(batch, completions=6 - simulated)
    assert title in page_text(researcher_client.get(url("detail", make_report(batch=batch))))


def test_the_query_chooses_score_measure_surrogate_and_order(researcher_client):
    report = make_report(surrogates=["rouge-l", "jsd"])
    query = {"score": "egises", "measure": "jsd", "surrogate": "jsd", "sort": "automatic:jsd"}
    response = researcher_client.get(url("detail", report, **query))
    text = page_text(response)
    assert "Leaderboard: EGISES" in text
    assert "Automatic: EGISES by Jensen-Shannon (lower is better)" in text
    assert 'aria-sort="ascending"' in text
    ranks = [
        row["system"]
        for row in report.result["leaderboard"]
        if (row["score"], row["measure"]) == ("egises", "jsd")
    ]
    assert [line.key for line in response.context["sections"][0].scores.grid.lines] == ranks


def test_a_query_that_means_nothing_shows_the_usual_page(researcher_client, report):
    query = {"score": "x", "measure": "<script>", "surrogate": "", "sort": "human:y"}
    response = researcher_client.get(url("detail", report, **query))
    assert response.status_code == 200
    assert response.context["view"].kind == "degress"
    assert "<script>" not in response.content.decode().replace('<script type="module"', "")


def test_a_missing_score_is_a_dash_with_its_reason_and_no_zero(researcher_client):
    corpus = make_scored_corpus()
    batch = make_rated_batch(corpus=corpus, systems=list(corpus.systems.exclude(name="Mixed")))
    response = researcher_client.get(url("detail", make_report(batch=batch, measures=["jsd"])))
    scores = response.context["sections"][0].scores
    (line,) = [line for line in scores.grid.lines if line.key == "Mixed"]
    human, automatic = line.cells
    assert (human.value, human.reason, scores.notes) == (
        None,
        "not in this survey",
        {"not in this survey": "a"},
    )
    assert automatic.value is not None
    text = page_text(response)
    assert 'title="not in this survey">–<sup>a</sup>' in text
    assert "<sup>a</sup> not in this survey</li>" in text


def test_an_undefined_coefficient_is_a_hatched_dash(researcher_client):
    corpus = make_scored_corpus()
    batch = make_rated_batch(corpus=corpus, systems=[corpus.systems.get(name="Copy")])
    text = page_text(researcher_client.get(url("detail", make_report(batch=batch))))
    reason = "fewer than two systems have both scores"
    assert f'<td class="heat heat--missing" title="{reason}">–<sup>a</sup></td>' in text
    assert f"No measure could be compared with the raters on DEGRESS: {reason}." in text


def test_a_failed_part_is_shown_with_the_rest(researcher_client):
    report = make_report(measures=["jsd", "bleu:n=many"])
    text = page_text(researcher_client.get(url("detail", report)))
    assert "Not everything could be computed; the rest stands" in text
    assert "'n' of measure 'bleu' is 'many'" in text
    assert "Leaderboard: DEGRESS" in text


def test_without_human_scores_the_page_still_stands(researcher_client):
    report = make_report(surrogates=["bleu:n=many"])
    text = page_text(researcher_client.get(url("detail", report)))
    assert "There are no human scores, so nothing can be correlated." in text
    assert researcher_client.get(url("figures/scatter.svg", report)).status_code == 404


def test_downloads_are_the_exports_of_the_library(researcher_client, report):
    names = ("leaderboard.csv", "correlations.csv", "report.json")
    downloads = {name: researcher_client.get(url(name, report)) for name in names}
    for name in ("leaderboard", "correlations"):
        expected = table_csv(report_table(report.read(), name))
        assert downloads[f"{name}.csv"].content.decode() == expected
    assert json.loads(downloads["report.json"].content) == report.result
    assert [response["Content-Disposition"] for response in downloads.values()] == [
        f'attachment; filename="concord-report-{report.pk}-{name}"' for name in names
    ]


def test_the_plot_is_the_same_on_the_page_and_as_a_file(researcher_client, report):
    query = {"score": "degress", "measure": "jsd", "surrogate": "rouge-l"}
    file = researcher_client.get(url("figures/scatter.svg", report, **query))
    page = researcher_client.get(url("detail", report, **query))
    drawn = draw_scatter(report.read(), choose_view(report.read(), query))
    assert file["Content-Type"] == "image/svg+xml"
    assert file.content == render_figure(drawn, "svg")
    assert drawn in page.content.decode()


def test_an_unfinished_report_has_nothing_to_download(researcher_client):
    response = researcher_client.get(url("report.json", make_report(built=False)))
    assert response.status_code == 409
    assert "This report is not finished." in page_text(response)


@pytest.mark.parametrize(
    "name", ["detail", "report.json", "report.pdf", "bundle.zip", "figures/forest.pdf", "retry", "compare"]
)
def test_a_report_too_old_to_be_read_says_so_and_what_to_do(name, researcher_client, report):
    Report.objects.update(result={**report.result, "schema_version": 3})
    if name == "compare":
        response = researcher_client.get(reverse("reports:compare"), {"a": report.pk, "b": report.pk})
    elif name == "retry":
        response = researcher_client.post(url(name, report))
    else:
        response = researcher_client.get(url(name, report))
    assert response.status_code == 409
    text = page_text(response)
    assert f"Report No. {report.pk} was made by an older version of this site" in text
    assert f"Make it again: request a new report on the batch “{report.batch}”." in text


def test_the_page_needs_no_inline_style_or_script(researcher_client, report):
    text = researcher_client.get(url("detail", report)).content.decode()
    assert "style=" not in text
    assert "<style" not in text
    assert text.count("<script") == text.count('<script type="module" src="')


def test_downloads_stand_on_top_pdf_first_and_in_the_navigation(researcher_client, report):
    text = researcher_client.get(report.get_absolute_url()).content.decode()
    top = text[text.index('class="page-header"') : text.index('class="card answer')]
    assert re.findall(r'/reports/\d+/(report\.\w+)"', top) == ["report.pdf", "report.xlsx"]
    assert 'href="#take-away"' in top
    navigation = text[text.index('class="report-nav__sections"') :]
    assert re.findall(r'href="#([\w-]+)"', navigation[: navigation.index("</ul>")])[::100] == ["answer"]
    assert '<li><a href="#take-away">Downloads</a></li>' in navigation
    below = text[text.index('id="take-away"') :]
    assert re.findall(r'/reports/\d+/([\w.]+)"', below)[0] == "report.pdf"


def test_groups_have_letters_in_every_table(report):
    grid = lay_out_ranking(report.read())
    rows = report_table(report.read(), "ranking").rows
    assert {line.cells[-1] for line in grid.lines} == {row["group"] for row in rows}
    assert {row["group"] for row in rows} <= {"A", "B", "C", "D"}
