"""Figures are drawn when a report is built: its page opens without drawing any."""

import pytest
from django.urls import reverse

from meta_eval.publish.figures import keeping
from meta_eval.publish.figures.keeping import drawn_once, shelf_of_drawings
from survey_site.reports import drawing
from survey_site.reports.models import Report


@pytest.fixture
def shelves(monkeypatch):
    """The drawings that each page was given, and those that it had to add."""
    given = []

    def watched(shelf):
        given.append(shelf)
        return shelf_of_drawings(shelf)

    monkeypatch.setattr(drawing, "shelf_of_drawings", watched)
    return given


@pytest.mark.parametrize("score", ["degress", "egises", "perseval"])
def test_the_first_view_of_a_report_draws_nothing(researcher_client, report, shelves, score):
    response = researcher_client.get(report.get_absolute_url(), {"score": score})
    assert response.status_code == 200
    assert shelves == [report.drawings]
    assert response.content.count(b"<svg") > 2


@pytest.mark.parametrize(
    ("address", "score"),
    [("report.pdf", "perseval"), ("figures/answer.svg", "egises"), ("figures/scatter.svg", "degress")],
)
def test_what_is_taken_of_the_first_view_draws_nothing(researcher_client, report, shelves, address, score):
    taken = researcher_client.get(reverse("reports:file", args=[report.pk, address]), {"score": score})
    assert taken.status_code == 200
    assert shelves == [report.drawings]


def test_each_drawing_is_kept_with_the_report(report):
    assert len(report.drawings) > 2
    assert [svg for svg in report.drawings.values() if not svg.startswith("<svg")] == []


def test_a_report_without_drawings_draws_at_its_first_view(researcher_client, report):
    kept = researcher_client.get(report.get_absolute_url()).content
    Report.objects.update(drawings={})
    assert researcher_client.get(report.get_absolute_url()).content.count(b"<svg") == kept.count(b"<svg")


def test_drawings_that_other_code_made_are_not_taken(monkeypatch):
    shelf = {}
    draw = drawn_once(lambda words: f"<svg>{words}</svg>")
    with shelf_of_drawings(shelf):
        draw("a")
        assert len(shelf) == 1
        draw("a")
        assert len(shelf) == 1
        monkeypatch.setattr(keeping, "_code", lambda: "other")
        draw("a")
        assert len(shelf) == 2


@pytest.mark.parametrize("changed", ["altair", "vl-convert-python", "numbers.py"])
def test_a_drawing_is_known_by_its_libraries_and_by_how_numbers_read(monkeypatch, changed):
    before = keeping._code.__wrapped__()
    if changed == "numbers.py":
        monkeypatch.setattr(keeping.numbers, "__file__", __file__)
    else:
        installed = keeping.library_versions
        monkeypatch.setattr(keeping, "library_versions", lambda *names: installed(*names) | {changed: "0"})
    assert keeping._code.__wrapped__() != before


def test_a_figure_that_cannot_be_drawn_loses_no_report(monkeypatch):
    def fail(_report):
        raise RuntimeError("no font")

    monkeypatch.setattr(drawing, "open_report", fail)
    monkeypatch.setattr(drawing, "read_report", lambda record: record)
    assert drawing.draw_ahead({}) == {}
