"""The picture of the answer: what of the report it shows, and that each mark means one thing."""

import re
from dataclasses import replace

import pytest

from meta_eval.publish.figures.drawing import FIGURES, figure_caption, figure_picture, report_pictures
from meta_eval.publish.figures.picture import PictureRow, draw_picture, picture_rows, picture_spec
from meta_eval.publish.figures.style import render_svg
from meta_eval.report.schema import SentinelRow
from meta_eval.report.view import View
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report
ROWS = (
    PictureRow("InfoLM", 0.6, 0.31, 0.84, 0.05, 0.24, 0.86, "A"),
    PictureRow("BLEU", 0.1, 0.2, 0.7, 0.0, 0.3, None, "B"),
    PictureRow("METEOR", 0.05),
    PictureRow("Length of the summary", 0.2, sentinel=True),
)
TITLE = ("Mean tau", "of DEGRESS")


def draw(rows=ROWS, **asked):
    return render_svg(picture_spec(rows, title=TITLE, **asked))


def marks(svg, name):
    """The marks of one name, as SVG."""
    group = re.search(rf'<g class="[^"]*\b{name}_marks"[^>]*>(.*?)</g>', svg)
    return re.findall(r"<(?:path|line|text)[^>]*>", group[1]) if group else []


def test_each_kind_of_mark_stands_where_there_is_a_number_for_it():
    svg = draw()
    counted = {
        name: len(marks(svg, name))
        for name in ("estimate", "interval", "band", "ceiling", "sentinel", "group")
    }
    assert counted == {"estimate": 3, "interval": 2, "band": 2, "ceiling": 1, "sentinel": 1, "group": 3}
    assert re.findall(r">([AB])</text>", svg) == ["A", "B"]


@pytest.mark.parametrize("narrow", [False, True])
def test_every_row_has_its_name_in_order(narrow):
    names = [row.title for row in ROWS]
    assert re.findall(rf">({'|'.join(names)})</text>", draw(narrow=narrow)) == names


def test_a_pale_picture_keeps_its_names_dark():
    pale, dark = draw(pale=True), draw()
    assert 'opacity="0.4"' in marks(pale, "estimate")[0]
    assert 'opacity="0.4"' not in marks(dark, "estimate")[0]
    name = r"<text[^>]*>InfoLM</text>"
    assert re.search(name, pale)[0] == re.search(name, dark)[0]


def test_the_axis_holds_all_that_is_drawn():
    def domain(*rows):
        spec = picture_spec(rows, title=TITLE)
        return spec["layer"][0]["encoding"]["x"]["scale"]["domain"]

    assert domain(*ROWS) == [-0.25, 1]
    assert domain(replace(ROWS[0], null_low=-0.3)) == [-0.5, 1]
    assert domain(replace(ROWS[3], estimate=-0.9)) == [-1.0, 1]


def test_the_rows_are_those_of_the_answer_and_the_highest_sentinels():
    rows = picture_rows(REPORT)
    ranking = REPORT.answer.ranking
    assert [
        (row.title, row.estimate, row.low, row.high, row.ceiling) for row in rows if not row.sentinel
    ] == [(one.title, one.mean, one.ci_low, one.ci_high, one.ceiling) for one in ranking]
    assert [(row.null_low, row.null_high) for row in rows if not row.sentinel] == [
        (one.null_mean, one.null_high) for one in ranking
    ]
    shown = {row.title: row.estimate for row in rows if row.sentinel}
    wanted = [
        row
        for row in REPORT.inference.sentinels
        if (row.human, row.surrogate, row.coefficient) == (REPORT.answer.score, None, "kendall")
    ]
    for name, start in (("penalty", "Penalty EDP alone"), ("accuracy", "Accuracy alone")):
        (title,) = [title for title in shown if title.startswith(start)]
        assert shown[title] == max(row.estimate for row in wanted if row.sentinel == name)
    (random,) = [row.quantile for row in wanted if row.sentinel == "random"]
    assert shown["Random scores, 95 %"] == random
    assert not any("constant" in title for title in shown)


def test_of_one_kind_the_measure_that_agrees_most_is_shown():
    def penalty(measure, estimate):
        return SentinelRow(
            human=REPORT.answer.score,
            surrogate=None,
            sentinel="penalty",
            measure=measure,
            shared_input=False,
            coefficient="kendall",
            n=3,
            surrogates=2,
            estimate=estimate,
            reason=None,
        )

    inference = replace(
        REPORT.inference, sentinels=(penalty("jsd", -0.2), penalty("rouge-l", 0.1), penalty("bleu", 0.0))
    )
    shown = [row for row in picture_rows(replace(REPORT, inference=inference)) if row.sentinel]
    assert [(row.title, row.estimate) for row in shown] == [("Penalty EDP alone, ROUGE-L", 0.1)]


def test_only_what_the_ratings_do_not_support_is_pale():
    given = (
        ({"claimed": True, "answerable": True}, False),
        ({"claimed": None, "answerable": None}, False),
        ({"claimed": False, "answerable": True}, True),
        ({"claimed": None, "answerable": False}, True),
    )
    for changes, pale in given:
        svg = draw_picture(replace(REPORT, answer=replace(REPORT.answer, **changes)))
        assert ('opacity="0.4"' in marks(svg, "estimate")[0]) is pale


def test_without_a_measure_there_is_no_picture():
    report = replace(REPORT, answer=replace(REPORT.answer, ranking=()))
    view = View("degress", "jsd", "jsd")
    assert (picture_rows(report), draw_picture(report), figure_picture("answer", report, view)) == (
        [],
        "",
        None,
    )


def test_it_is_a_figure_like_the_others_and_opens_the_pdf_once():
    view = View("degress", "jsd", "jsd")
    assert FIGURES["answer"](REPORT, view) == draw_picture(REPORT)
    picture = figure_picture("answer", REPORT, view)
    assert picture.svg.startswith("<svg")
    assert "currentColor" not in picture.svg
    assert picture.caption == figure_caption("answer", REPORT, view)
    assert picture not in report_pictures(REPORT, view)
