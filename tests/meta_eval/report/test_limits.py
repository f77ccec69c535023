"""What does not hold: one text, by what was resampled, in every output of a report."""

import io
import re
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from meta_eval.publish.latex import latex_tables
from meta_eval.publish.methods import methods_details
from meta_eval.publish.pdf import correlations_caption
from meta_eval.publish.xlsx import write_xlsx
from meta_eval.report.limits import (
    CEILING_LIMIT,
    LEVELS_LIMIT,
    NOTICED_LIMIT,
    RANKS_LIMIT,
    SOFT_LIMIT,
    difference_limits,
    interval_limits,
    limits_of,
    limits_of_comparisons,
    limits_of_report,
)
from meta_eval.report.reliability import infer_records
from meta_eval.report.schema import FurtherQuestions
from meta_eval.report.schema.stored import read_report, report_record
from meta_eval.report.tables.agreement import lay_out_comparisons
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content()).report
DOCS = Path(__file__).parents[3] / "docs" / "performance.md"


def rows(method, coefficient="spearman", ceiling=None, n=5):
    row = replace(REPORT.correlations[0], n=n)
    given = {"ci_method": method, "coefficient": coefficient, "ci_low": 0.1, "ci_high": 0.2}
    return [replace(row, **given, ceiling=ceiling)]


@pytest.mark.parametrize(
    ("method", "coefficient", "resampled", "words"),
    [
        ("fisher", "spearman", "systems", "hold in about 92 of 100"),
        ("fisher", "pearson", "systems", ""),
        ("esscher", "kendall", "systems", ""),
        ("bca", "pearson", "systems", "over four to ten systems hold in 85 to 94 of 100"),
        ("bca", "pearson", "documents and systems", "about 90 of 100 for Pearson's r"),
    ],
)
def test_intervals_about_other_systems_say_where_they_are_too_narrow(method, coefficient, resampled, words):
    said = interval_limits(rows(method, coefficient, n=5), resampled)
    assert (words in " ".join(said)) if words else said == []


@pytest.mark.parametrize(
    ("method", "coefficient", "words"),
    [
        (
            "hierarchical",
            "pearson",
            ["98 of 100", "with one population", "they hold in about 93", "84 to 91 of 100", "93 to 98"],
        ),
        (
            "hierarchical",
            "kendall",
            ["98 of 100", "two standard errors", "82 to 84 of 100", "84 to 91 of 100", "93 to 98"],
        ),
        (
            "hierarchical-by-family",
            "kendall",
            ["98 of 100", "with named families, for ranks", "about 87 of 100", "84 to 91 of 100", "93 to 98"],
        ),
        (
            "hierarchical-wider",
            "kendall",
            ["98 of 100", "lie eight deviations apart", "87 to 92 of 100", "84 to 91 of 100", "93 to 98"],
        ),
    ],
)
def test_intervals_of_true_scores_say_how_often_they_hold_where_they_do_not(method, coefficient, words):
    said = interval_limits(rows(method, coefficient), "documents")
    assert [word in sentence for word, sentence in zip(words, said, strict=True)] == [True] * 5
    assert "hold in 98 to 99 of 100" in said[1]


@pytest.mark.parametrize(
    ("method", "coefficient", "resampled", "words"),
    [
        (
            "hierarchical",
            "kendall",
            "documents",
            ["about these systems", "one normal population", "they hold in 98 of 100"],
        ),
        (
            "hierarchical",
            "pearson",
            "raters",
            ["about these systems", "one normal population", "hold in 98", "about 92 of 100"],
        ),
        ("percentile", "pearson", "systems", ["hold in 92 to 94 of 100"]),
        ("percentile", "kendall", "systems", ["hold in 97 to 99 of 100"]),
        ("percentile", "kendall", "documents and systems", ["Nobody measured"]),
        (None, "kendall", "documents", []),
    ],
)
def test_intervals_of_differences_say_what_they_are_about(method, coefficient, resampled, words):
    said = difference_limits(method, coefficient, resampled)
    assert [word in sentence for word, sentence in zip(words, said, strict=True)] == [True] * len(words)


def test_ceilings_say_where_they_are_too_high():
    assert interval_limits(rows("esscher", "kendall", ceiling=0.8), "systems") == [CEILING_LIMIT]


def test_a_report_keeps_its_limits_and_an_older_one_has_them_made():
    inference = replace(REPORT.inference, limits=("as it was said then",))
    kept = read_report(report_record(replace(REPORT, inference=inference)))
    assert limits_of_report(kept) == ["as it was said then"]
    older = replace(REPORT, inference=replace(REPORT.inference, limits=()))
    made = limits_of(REPORT.correlations, REPORT.inference)
    assert limits_of_report(older) == made == list(REPORT.inference.limits)
    assert made
    assert limits_of_report(replace(REPORT, inference=None)) == []


def test_four_systems_are_said_to_be_few():
    few = interval_limits(rows("esscher", "kendall", n=4), "systems")
    assert ["92 to 97 of 100" in sentence for sentence in few] == [True]


@pytest.mark.parametrize(
    ("without", "sentences"),
    [
        ({"comparisons": ()}, difference_limits("hierarchical", "kendall", "documents")),
        ({"levels": ()}, [LEVELS_LIMIT]),
        ({"further": FurtherQuestions()}, [SOFT_LIMIT, NOTICED_LIMIT, RANKS_LIMIT]),
    ],
)
def test_each_part_with_limits_has_them_in_the_report(without, sentences):
    made = limits_of(REPORT.correlations, REPORT.inference)
    assert {*sentences} <= {*made}
    fewer = limits_of(REPORT.correlations, replace(REPORT.inference, **without))
    assert {*made} - {*fewer} == {*sentences}


def test_differences_say_what_they_do_not_hold_below_their_table():
    said = " ".join(limits_of_comparisons(REPORT.inference))
    assert "one normal population, whether families were named or not" in said
    assert lay_out_comparisons(REPORT).note == said


def test_every_output_says_them():
    said = "of all things too narrow"
    report = replace(REPORT, inference=replace(REPORT.inference, limits=(said,)))
    kind = report.correlations[0].automatic
    book = io.BytesIO()
    write_xlsx(book, report)
    sheets = openpyxl.load_workbook(book)
    assert said in [cell.value for cell in sheets["limits"]["B"]]
    assert said not in [cell.value for cell in sheets["about"]["B"]]
    assert said in methods_details(report)
    assert said in latex_tables(report)
    assert said in correlations_caption(report, kind)
    assert report_record(report)["inference"]["limits"] == [said]


def test_records_of_two_files_of_scores_say_them():
    human, machine = (
        [
            {"system": f"s{n}", name: "x", **dict.fromkeys(scores, value), "normalise": "document"}
            for n, value in enumerate(values)
        ]
        for name, scores, values in (
            ("surrogate", ("degress_hj", "egises_hj", "perseval_hj"), (1.0, 2.0, 3.0, 4.0, 5.0)),
            ("measure", ("degress", "egises", "perseval"), (1.0, 3.0, 2.0, 5.0, 4.0)),
        )
    )
    records = infer_records(human, machine, resamples=50)
    found = {record["coefficient"]: record["ci_limits"] for record in records}
    assert "hold in about 92 of 100" in found["spearman"]
    assert (found["pearson"], found["kendall"]) == (None, None)


METHODS = {"pearson": "hierarchical", "unnamed": "hierarchical-wider", "named": "hierarchical-by-family"}
TOO_NARROW = {
    r"gap 4, rho (-\.5|0), [12] unnamed|gap 8, rho -\.5, 1 unnamed": "hold in 87 to 92 of 100",
    r"one text for all, .* pearson": "hold in 90 to 93 of 100",
    r"a fifth of the noise, .*rho \.95, 2 named": "hold in about 87 of 100",
    r"the five PENS systems alone, .* unnamed": "95 % ones in 84 to 91 of 100",
}
TOO_WIDE = {
    r", 1 (pearson|unnamed|named)": "no farther apart than the noise of their scores, most are too wide",
    r"gap 8, .*, 2 unnamed": "groups that nobody named lie eight deviations apart",
    r"five baselines .* unnamed": "writes one text for all readers or has little noise",
    r"a fifth of the noise, .*rho \.95, 2 pearson": "agreement is high (0.9) and systems lie two",
    r"the ten released pairs, .* named": "for ranks of scores like the ten published pairs",
}
"""By setting and column of the docs' table: what an output says of it."""


def measured():
    """Setting and column, and the shares, of each interval of a report in the docs' table of families."""
    text = DOCS.read_text(encoding="utf-8")
    table = text[text.index("| setting | Pearson | one population") :].split("\n\n", 1)[0]
    for line in table.splitlines()[2:]:
        setting, pearson, _, _, unnamed, named = (cell.strip() for cell in line.strip("|").split("|"))
        for column, cell in (("pearson", pearson), ("unnamed", unnamed), ("named", named)):
            yield f"{setting} {column}", [float(share) for share in re.findall(r"(?<!\d)\.\d{3}", cell)]


def test_each_share_in_the_docs_outside_93_to_98_is_said_in_the_output():
    found = dict(measured())
    assert (len(found), sum(map(len, found.values()))) == (207, 333)
    used = set()
    for setting, shares in found.items():
        column = setting.rpartition(" ")[2]
        coefficient = "pearson" if column == "pearson" else "kendall"
        said = " ".join(interval_limits(rows(METHODS[column], coefficient), "documents"))
        for outside, known in (
            ([one for one in shares if one < 0.93], TOO_NARROW),
            (
                [one for one in shares if one > 0.98],
                TOO_WIDE,
            ),
        ):
            if outside:
                pattern = next((one for one in known if re.fullmatch(f".*({one})", setting)), None)
                assert pattern, f"{setting}: {outside} is said nowhere"
                assert known[pattern] in said
                used.add(pattern)
    assert used == {*TOO_NARROW, *TOO_WIDE}
