"""The page "As in the papers" and its files: the grids of the library, for researchers."""

import html
import json

import pytest
from django.test import Client
from django.urls import reverse

from meta_eval.publish.papers import PAPER_TABLES, papers_latex, render_paper
from meta_eval.report.view import choose_view
from survey_site.accounts.models import AuditEntry
from survey_site.reports.models import Report
from tests.factories.reports import make_report, without_statistics

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]

FILLED = [name for name in PAPER_TABLES if not name.startswith("icopernicus")]


def page(report, **query):
    return reverse("reports:papers", args=[report.pk], query=query)


def file(report, name, **query):
    return reverse("reports:file", args=[report.pk, name], query=query)


def text_of(response):
    return html.unescape(response.content.decode())


def test_the_page_and_its_files_ask_for_a_login(report):
    for address in (page(report), file(report, "papers.pdf"), file(report, "papers/perseval-table-1.csv")):
        response = Client().get(address)
        assert (response.status_code, response.url) == (302, f"{reverse('accounts:login')}?next={address}")


def test_the_page_shows_every_grid_and_says_what_is_missing(
    researcher_client, django_assert_num_queries, report
):
    with django_assert_num_queries(6):
        response = researcher_client.get(page(report))
    text, result = text_of(response), report.read()
    view = choose_view(result, {})
    assert [one.table.name for one in response.context["filled"]] == FILLED
    for name, table in PAPER_TABLES.items():
        grid = table.lay_out(result, view)
        assert table.place in text
        assert [words for words in (grid.missing, grid.note, *grid.remarks) if words not in text] == []
        assert (f'href="{file(report, f"papers/{name}.csv")}"' in text) == bool(grid.lines)
        heads = [head for line in grid.lines for head in line.heads]
        assert [head for head in heads if f">{head}</th>" not in text] == []
    assert "style=" not in text


def test_the_report_leads_to_the_page_and_its_files(researcher_client, report):
    text = text_of(researcher_client.get(report.get_absolute_url()))
    assert text.count(f'href="{page(report)}"') == 2
    assert f'href="{file(report, "papers.pdf")}"' in text
    assert f'href="{file(report, "papers.tex")}"' in text


def test_the_query_chooses_of_what_tables_and_their_files_are(researcher_client, report):
    query = {"measure": "jsd", "surrogate": "rouge-l"}
    text = text_of(researcher_client.get(page(report, **query)))
    assert "Stability: PerSEval by Jensen-Shannon of each system from fewer documents" in text
    assert f'href="{file(report, "papers/perseval-table-4.tex", **query)}"' in text.replace("&amp;", "&")
    result = report.read()
    view, table = choose_view(result, query), PAPER_TABLES["perseval-table-4"]
    for ending, form in (("tex", "latex"), ("csv", "csv")):
        response = researcher_client.get(file(report, f"papers/perseval-table-4.{ending}", **query))
        assert response.content.decode() == render_paper(table, table.lay_out(result, view), form)


def test_all_tables_are_one_document_and_who_takes_it_is_written_down(researcher_client, report):
    response = researcher_client.get(file(report, "papers.tex"))
    result = report.read()
    assert response.content.decode() == papers_latex(result, choose_view(result, {}))
    assert researcher_client.get(file(report, "papers.pdf")).content.startswith(b"%PDF")
    taken = AuditEntry.objects.filter(action="report exported").values_list("detail__file", flat=True)
    assert sorted(taken) == ["papers.pdf", "papers.tex"]


def test_a_table_without_numbers_is_no_file(researcher_client, report):
    for ending in ("tex", "csv"):
        response = researcher_client.get(file(report, f"papers/icopernicus-table-3.{ending}"))
        assert response.status_code == 404


def test_without_statistics_the_page_says_which_tables_need_them(researcher_client, report):
    Report.objects.update(result=without_statistics(report.result))
    response = researcher_client.get(page(report))
    assert [one.table.name for one in response.context["filled"]] == [
        "perseval-table-1",
        "perseval-table-2",
        "perseval-table-7",
        "perseval-table-8",
        "thesis-table-5.4",
    ]
    assert text_of(response).count("This report was made without statistics, so it has no") == 5


def test_an_unfinished_report_shows_how_far_it_is(researcher_client):
    report = make_report(built=False)
    response = researcher_client.get(page(report))
    assert (response.status_code, response.url) == (302, report.get_absolute_url())


def test_systems_that_are_named_after_prompts_fill_the_tables_of_prompts(researcher_client, report):
    named = {"Copy": "M: C-0-shot", "Same": "M: C-2-shot w/", "Mixed": "Other"}
    text = json.dumps(report.result)
    for old, new in named.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    Report.objects.update(result=json.loads(text))
    response = researcher_client.get(page(report))
    shown = {one.table.name: one.grid for one in response.context["filled"]}
    assert list(shown)[-4:] == [name for name in PAPER_TABLES if name.startswith("icopernicus")]
    assert [line.heads for line in shown["icopernicus-table-5"].lines] == [("M",), ("Other",)]
    page_text = text_of(response)
    assert '<td class="num">C-0-shot</td>' in page_text
    assert '<tr class="table__ruled"><th scope="row" class="nowrap">Alike</th>' in page_text
    assert "Not in this report" not in page_text
    rows = researcher_client.get(file(report, "papers/icopernicus-table-4.csv")).content.decode().splitlines()
    assert rows[1] == "M,,,,,yes"
