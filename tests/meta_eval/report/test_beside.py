"""Published tables laid out: every number in its place, ranks and what does not match in words."""

from meta_eval.report.beside import difference_text, lay_out, number_text, rank_text
from meta_eval.report.published import compare_published
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report
COPY, LONG = "Copy", "Theirs"
SAME = {"Long & wide": LONG}


def laid_out(kind, values):
    """Our report beside a table of these (score, system, surrogate, measure, number)."""
    options = {
        **REPORT["options"],
        "published": [{"kind": kind, "name": f"{kind}.csv", "values": [list(value) for value in values]}],
        "same_systems": SAME,
    }
    (table,) = compare_published({**REPORT, "options": options})
    return table, lay_out(table)


def test_systems_stand_in_lines_and_measures_in_columns():
    values = [
        ("egises", COPY, None, "rouge-l", 0.5),
        ("egises", COPY, None, "jsd", 0.25),
        ("egises", LONG, None, "jsd", 0.75),
        ("egises", "Elsewhere", None, "meteor", 0.5),
    ]
    table, (found,) = laid_out("egises", values)
    assert (found.naming, found.columns) == (("System",), ("ROUGE-L", "Jensen-Shannon"))
    rows = {(row["system"], row["measure"]): row for row in table["rows"]}
    assert {line.names: line.cells for line in found.lines} == {
        (COPY,): (rows[COPY, "rouge-l"], rows[COPY, "jsd"]),
        (f"Long & wide ({LONG})",): (None, rows["Long & wide", "jsd"]),
    }
    ranks = {(row["coefficient"], row["measure"]): row for row in table["agreement"]}
    assert [(line.names, line.cells) for line in found.ranks] == [
        (("Ranks: Spearman’s ρ",), (ranks["spearman", "rouge-l"], ranks["spearman", "jsd"])),
        (("Ranks: Kendall’s τ-b",), (ranks["kendall", "rouge-l"], ranks["kendall", "jsd"])),
    ]
    assert found.remarks == ()
    assert found.only == (
        "Only in ours: system Same_50%.",
        "Only in the published table: system Elsewhere; measure METEOR.",
    )


def test_coefficients_stand_together_by_surrogate_and_ranks_are_of_all_their_numbers():
    values = [
        (coefficient, None, surrogate, measure, number / 10)
        for number, (surrogate, coefficient, measure) in enumerate(
            (surrogate, coefficient, measure)
            for surrogate in ("rouge-l", "jsd")
            for coefficient in ("kendall", "pearson")
            for measure in ("rouge-l", "jsd")
        )
    ]
    table, (found,) = laid_out("correlations", values)
    assert found.naming == ("Coefficient", "Surrogate")
    assert sorted(line.names for line in found.lines) == sorted(
        (coefficient, surrogate)
        for coefficient in ("Kendall’s τ-b", "Pearson’s r")
        for surrogate in ("ROUGE-L", "Jensen-Shannon")
    )
    assert [line.names[0] for line in found.lines] == sorted(
        (line.names[0] for line in found.lines), key=found.lines[0].names[0].__ne__
    )
    assert found.ranks == ()
    rho, tau = [row for row in table["agreement"] if row["score"] == "pearson"]
    assert (
        f"Ranks of ours with theirs over the 4 numbers of Pearson’s r: Spearman’s ρ "
        f"{rho['estimate']:.2f}; Kendall’s τ-b {tau['estimate']:.2f}.".replace("-0", "−0")
    ) in found.remarks


def test_a_table_without_measures_is_a_table_for_each_of_ours():
    values = [(score, COPY, None, None, 0.1) for score in ("100", "80", "bias", "variance")]
    table, parts = laid_out("stability", values)
    assert [part.title.rpartition(", by ")[2] for part in parts] == ["ROUGE-L", "Jensen-Shannon"]
    assert {part.columns for part in parts} == {("100 %", "80 %", "Bias", "Variance")}
    assert [cell for part in parts for line in part.lines for cell in line.cells] == table["rows"]
    assert [bool(part.only) for part in parts] == [False, True]


def test_a_table_of_several_scores_names_them():
    values = [("egises", COPY, None, "jsd", 0.5), ("accuracy", COPY, None, "rouge-l", 0.5)]
    _, (found,) = laid_out("thesis", values)
    assert sorted(found.columns) == ["Accuracy by ROUGE-L", "EGISES by Jensen-Shannon"]


def test_numbers_keep_what_counts():
    def row(score, ours, published):
        return {"score": score, "ours": ours, "published": published, "difference": ours - published}

    plain, small = row("egises", 0.4, 0.39999), row("variance", 1e-16, 5.81e-6)
    assert (number_text(plain, 0.4), number_text(plain, None)) == ("0.400", "–")
    assert (number_text(small, 1e-16), number_text(small, 5.81e-6)) == ("0", "5.8e-06")
    assert (difference_text(plain), difference_text(small)) == ("+1e-05", "-5.8e-06")
    assert difference_text(row("egises", 0.25, 0.5)) == "-0.250"
    assert difference_text({"score": "egises", "difference": None}) == "–"
    assert rank_text({"estimate": 0.5, "n": 4}) == "0.50 (n 4)"
    assert rank_text({"estimate": None, "n": 1}) == "– (n 1)"
