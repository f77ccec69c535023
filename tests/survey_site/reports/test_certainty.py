"""What the page says of how sure a report is: every cell in its place, nothing made up."""

import html
from dataclasses import replace

import pytest
from django.urls import reverse

from meta_eval.publish.figures.drawing import FIGURES
from meta_eval.publish.figures.rows import forest_rows
from meta_eval.publish.figures.style import render_figure
from meta_eval.report.numbers import percent_text
from meta_eval.report.tables.grid import Cell
from meta_eval.report.view import choose_view
from survey_site.reports.models import Report
from survey_site.reports.sections.background import studies
from survey_site.reports.sections.scores import certainty_rows
from survey_site.reports.templatetags.report_numbers import (
    certainty_in_words,
    coefficient,
    group_letter,
    interval,
    p_value,
    spread,
)
from tests.factories.reports import make_report, without_statistics

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(lambda: make_report(surrogates=["rouge-l", "jsd"]))


def page(client, report, **query):
    response = client.get(reverse("reports:detail", args=[report.pk], query=query))
    assert response.status_code == 200
    return html.unescape(response.content.decode())


@pytest.mark.parametrize(("kind", "bare"), [("perseval", 0), ("degress", 2 * 3), ("egises", 2 * 3)])
def test_rows_are_all_cells_of_the_score_with_their_matched_ones(kind, bare, report):
    view = choose_view(report.read(), {"score": kind})
    rows = certainty_rows(report.read(), view)
    own = [row for row in report.read().correlations if row.automatic == kind]
    assert [row.paper for row in rows[: len(own)]] == own
    assert len(rows) == 2 * 2 * 3 + bare
    for row in rows[: len(own)]:
        assert row.matched.key == row.paper.key
    without = {(row.paper.surrogate, row.matched) for row in rows[len(own) :]}
    assert without == ({(None, None)} if bare else set())


def test_significance_is_seen_without_colour_and_read_without_a_pointer(report, researcher_client):
    for cell in report.result["correlations"]:
        cell["p_adjusted"] = 0.01
    report.save()
    text = page(researcher_client, report, score="degress")
    assert text.count("</strong><sup>∗</sup>") >= 2 * 2 * 3 * 2  # in the heat map and in the table
    assert "Every coefficient with interval, p and ceiling" in text
    assert "beyond chance at 5 % after adjustment over all coefficients of this score (Holm)." in text
    assert "no surrogate</th>" in text


def test_nothing_significant_is_said(report, researcher_client):
    for cell in (*report.result["correlations"], *report.result["inference"]["bare"]):
        cell["p_adjusted"] = 1.0
    report.save()
    text = page(researcher_client, report)
    assert "None of these is." in text
    assert "<sup>∗</sup></a>" not in text


def test_the_forest_is_of_the_surrogate_in_view_best_first(report):
    view = choose_view(report.read(), {"score": "degress", "surrogate": "jsd"})
    cells = {
        cell["measure"]: cell
        for cell in report.result["correlations"]
        if (cell["automatic"], cell["surrogate"], cell["coefficient"]) == ("degress", "jsd", "kendall")
    }
    rows = forest_rows(report.read(), view)
    assert [row.estimate for row in rows] == sorted(
        (cell["estimate"] for cell in cells.values() if cell["estimate"] is not None), reverse=True
    )
    assert {row.title for row in rows} <= {"ROUGE-L", "Jensen-Shannon†"}
    assert {(row.null_mean, row.null_high, row.p_raters) for row in rows} == {
        (cell["null_mean"], cell["null_high"], cell["p_raters"])
        for cell in cells.values()
        if cell["estimate"] is not None
    }


def test_shuffled_ratings_stand_beside_p_of_the_forest(report, researcher_client):
    """Both columns, each with the numbers of the first measure."""
    view = choose_view(report.read(), {"score": "degress", "surrogate": "jsd"})
    first = forest_rows(report.read(), view)[0]
    page = researcher_client.get(
        report.get_absolute_url(), {"score": "degress", "surrogate": "jsd"}
    ).content.decode()
    table = page.partition('aria-label="Numbers of the forest plot"')[2].partition("</table>")[0]
    heads = [part.partition("</th>")[0].rpartition(">")[2] for part in table.split("<th ")[1:8]]
    assert heads[:7] == [
        f"{view.title} by",
        *("τ-b", "Interval", "Ceiling", "p adj.", "Shuffled ratings", "p of raters"),
    ]
    null = f"{coefficient(first.null_mean)}, {coefficient(first.null_high)}"
    assert f"{null}</td>" in table.partition("</tr>")[2].partition("</tr>")[0]
    assert f'<td class="num">{p_value(first.p_raters)}</td></tr>' in table


def test_studies_are_those_of_the_view(report):
    result = report.read()
    view = choose_view(result, {"score": "egises", "measure": "jsd", "surrogate": "jsd"})
    inference = result.inference
    section = studies(result, view)
    assert [line.heads[0] for line in section.stability.lines] == ["ROUGE-L", "Jensen-Shannon"]
    assert section.systems == next(
        row.systems for row in inference.stability if (row.score, row.measure) == ("degress", "jsd")
    )
    assert [len(line.cells) for line in section.paradox.lines] == [2, 2]
    assert [[cell.value for cell in line.cells] for line in section.aggregation.lines] == [
        [row.metric, row.accuracy_alone, row.combined]
        for row in inference.aggregation
        if (row.measure, row.surrogate, row.coefficient) == ("jsd", "jsd", "kendall")
    ]
    betas = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0]
    assert {
        line.heads[0]: [cell.row.beta for cell in line.cells] for line in section.ablation.lines
    } == dict.fromkeys(("ROUGE-L", "Jensen-Shannon†"), betas)


def test_further_questions_are_folded_at_the_end_of_the_studies(report, researcher_client):
    result = report.read()
    view = choose_view(result, {"score": "degress"})
    text = page(researcher_client, report, score="degress")
    grids = studies(result, view).further
    assert [grid.name for grid in grids][:2] == ["soft_accuracy", "calibrated_ties"]
    for grid in grids:
        folded = text.split(f'id="further-{grid.name}"')[1].split("</details>")[0]
        assert grid.title in folded
        assert grid.note in folded
        assert folded.count("<tr>") == 1 + len(grid.lines)


def test_a_report_made_without_inference_still_opens(report, researcher_client):
    report.result = without_statistics(report.result)
    report.save()
    text = page(researcher_client, report)
    assert "This report was made without intervals and p-values." in text
    assert "Every coefficient with interval" not in text


def test_a_part_that_failed_is_named_and_can_be_tried_again(report, researcher_client):
    report.result["inference"]["problems"] = [{"part": "stability", "reason": "no memory", "failed": True}]
    report.result["inference"]["stability"] = []
    report.save()
    text = page(researcher_client, report)
    assert "Not all of the statistics could be computed; the rest stands" in text
    assert '<span class="strong">Stability:</span> no memory' in text
    assert reverse("reports:retry", args=[report.pk]) in text
    assert "Ablation of beta" in text


def test_a_part_that_the_inputs_do_not_allow_offers_no_second_try(report, researcher_client):
    report.result["inference"]["problems"] = [{"part": "bare", "reason": "no ratings", "failed": False}]
    report.save()
    text = page(researcher_client, report)
    assert "no ratings" in text
    assert reverse("reports:retry", args=[report.pk]) not in text


@pytest.mark.parametrize("name", ["stability", "ablation", "deviations"])
def test_a_figure_is_the_same_on_the_page_and_as_a_file(name, report, researcher_client):
    response = researcher_client.get(reverse("reports:file", args=[report.pk, f"figures/{name}.svg"]))
    assert response.headers["Content-Type"] == "image/svg+xml"
    result = report.read()
    drawn = FIGURES[name](result, choose_view(result, {}))
    assert drawn.startswith("<svg")
    assert response.content == render_figure(drawn, "svg")
    assert drawn in researcher_client.get(reverse("reports:detail", args=[report.pk])).content.decode()


def test_a_figure_that_is_not_there_is_not_found(report, researcher_client):
    pie, forest = (
        reverse("reports:file", args=[report.pk, f"figures/{name}.svg"]) for name in ("pie", "forest")
    )
    assert researcher_client.get(pie).status_code == 404
    Report.objects.update(result=without_statistics(report.result))
    assert researcher_client.get(forest).status_code == 404


def test_figures_ask_for_a_login(report, client):
    assert client.get(reverse("reports:file", args=[report.pk, "figures/forest.svg"])).status_code == 302


def test_the_old_address_of_a_figure_leads_to_its_file(report, researcher_client):
    old = reverse("reports:old-figure", args=[report.pk, "forest"])
    response = researcher_client.get(old, {"score": "degress"})
    assert (response.status_code, response.url) == (
        301,
        f"/reports/{report.pk}/figures/forest.svg?score=degress",
    )
    shown = researcher_client.get(old, {"score": "degress"}, follow=True)
    assert (shown.status_code, shown.headers["Content-Type"]) == (200, "image/svg+xml")


def test_the_agreement_of_the_raters_is_shown(report, researcher_client):
    text = page(researcher_client, report)
    assert "Do the raters agree?" in text
    found = report.result["inference"]["agreement"]
    assert all(row["title"] in text for row in found["coefficients"])
    assert f"{found['units']} pairs with two ratings or more, {found['ratings']} ratings" in text


def test_accuracy_stands_with_its_forerunners(report, researcher_client):
    response = researcher_client.get(reverse("reports:detail", args=[report.pk]))
    table = response.context["sections"][0].accuracies.grid
    assert [column.title for column in table.columns] == [
        "ROUGE-L",
        "Jensen-Shannon",
        "P-Acc, ROUGE-L",
        "P-Acc, Jensen-Shannon",
        "P-ROUGE, ROUGE-L",
        "P-ROUGE, ROUGE-L, EGISES by Jensen-Shannon",
    ]
    values = {
        (row["score"], row["measure"], row["system"]): row["value"] for row in report.result["leaderboard"]
    }
    for line in table.lines:
        assert [cell.value for cell in line.cells] == [
            values[score, measure, line.key]
            for score, measure in (
                ("accuracy", "rouge-l"),
                ("accuracy", "jsd"),
                ("p_acc", "rouge-l"),
                ("p_acc", "jsd"),
                ("p_rouge", "rouge-l"),
                ("p_rouge_jsd", "rouge-l"),
            )
        ]


def test_a_cell_in_words(report):
    row = replace(
        report.read().correlations[0],
        estimate=0.6,
        n=10,
        ci_low=-0.2,
        ci_high=0.9,
        ci_level=0.95,
        p_value=0.0164,
        p_adjusted=0.2,
        ceiling=0.83,
        carried_by=("T5",),
        null_high=0.31,
        p_raters=0.002,
        p_within=0.54,
    )
    assert certainty_in_words(row) == (
        "0.60 over 10 systems; 95 % interval −0.20 to 0.90; p 0.016, adjusted 0.200; "
        "shuffled ratings below 0.31, p 0.002; ceiling 0.83; p within families 0.540; hangs on T5"
    )
    nothing = dict.fromkeys(("ci_low", "p_value", "ceiling", "p_raters", "p_within"))
    bare = replace(row, **nothing, carried_by=())
    assert certainty_in_words(bare) == "0.60 over 10 systems"


def test_numbers_are_never_rounded_to_a_promise():
    assert (p_value(0.0001), p_value(0.0005), p_value(1.0), p_value(None)) == (
        "< 0.001",
        "0.001",
        "1.000",
        "–",
    )
    assert (spread(1.5e-16), spread(0.00234), spread(None)) == ("0", "0.0023", "–")
    assert (percent_text(0.95), group_letter(1), group_letter(27)) == ("95 %", "A", "27")
    assert interval(Cell(kind="interval")) == "–"
