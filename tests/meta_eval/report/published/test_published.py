"""Published tables: what is read of them, and ours beside them."""

import io
from types import SimpleNamespace

import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.pens import read_pens
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.report import published as library
from meta_eval.report.assembling import ReportFacts
from meta_eval.report.published.comparing import check_same_systems, name_tables
from meta_eval.report.published.reading import KINDS, PublishedTable, read_published
from meta_eval.report.schema import row_record
from meta_eval.scores.automatic import score_systems
from tests.meta_eval.records import assemble_report


def table(text, kind="egises"):
    return read_published(io.BytesIO(text.encode()), kind, name="table.csv")


def report(scores, *tables, **parts):
    """The parts of a report that are compared: EGISES of systems by rouge-l, unless `parts` say otherwise."""
    options = {"published": [one.as_record() for one in tables], **parts.pop("options", {})}
    rows = {
        "leaderboard": [
            {"side": "automatic", "score": "egises", "measure": "rouge-l", "system": name, "value": value}
            for name, value in scores.items()
        ],
        "correlations": [],
        "inference": None,
        **parts,
    }
    return SimpleNamespace(options=options, **{name: as_rows(value) for name, value in rows.items()})


def as_rows(value):
    """Mappings as values with attributes, as the rows of a report are."""
    if isinstance(value, dict):
        rows = {"stability": [], "paradox": []} if "stability" in value or "paradox" in value else {}
        return SimpleNamespace(**{name: as_rows(inner) for name, inner in (rows | value).items()})
    return [as_rows(inner) for inner in value] if isinstance(value, list) else value


def compare_published(made):
    return [row_record(table) for table in library.compare_published(made)]


def test_a_wide_table_becomes_one_value_a_cell_that_holds_a_number():
    found = table("system, rouge-l,jsd\nA,0.5,\n B ,1e-1, 0.25\n")
    assert found.values == (
        ("egises", "A", None, "rouge-l", 0.5),
        ("egises", "B", None, "rouge-l", 0.1),
        ("egises", "B", None, "jsd", 0.25),
    )
    assert PublishedTable.from_record(found.as_record()) == found


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (
            "correlations",
            "surrogate,coefficient,jsd\nbleu,kendall,0.4\n",
            ("kendall", None, "bleu", "jsd", 0.4),
        ),
        ("paradox", "coefficient,jsd\nspearman,0.9\n", ("spearman", None, None, "jsd", 0.9)),
        ("stability", "system,80\nA,0.15\n", ("80", "A", None, None, 0.15)),
        ("thesis", "system,egises_jsd\nA,0.65\n", ("egises", "A", None, "jsd-oov", 0.65)),
        ("thesis", "system,rougeL\nA,44.5\n", ("accuracy", "A", None, "rouge-l", 0.445)),
        ("p_acc", "system,bleu\nA,0.5\n", ("p_acc", "A", None, "bleu", 0.5)),
    ],
)
def test_each_kind_knows_its_columns(kind, text, value):
    assert table(text, kind).values == (value,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,rouge-l\nA,0.5\n", "table.csv:1: the header lacks the columns system"),
        ("system,jsd,jsd\nA,1,2\n", "table.csv:1: the header names jsd twice"),
        ("system,jsd\nA,half\n", "table.csv:2: column jsd: 'half' is not a number"),
        ("system,jsd\nA,nan\n", "table.csv:2: column jsd: 'nan' is not a number"),
        ("system,jsd\nA,1\nA,2\n", "table.csv:3: A stands in the table before"),
        ("system,jsd\n,1\n", "table.csv:2: column system is empty"),
        ("system,jsd\nA,\n", "table.csv: holds no numbers"),
        ("", "table.csv:1: the header lacks the columns system"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text, message):
    with pytest.raises(InputError) as caught:
        table(text)
    assert message in str(caught.value)


def test_a_kind_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="there is no kind of published table 'rouge'; there are perseval"):
        table("system,jsd\nA,1\n", "rouge")


def test_ours_stand_beside_published_numbers_where_names_match():
    published = table("system,rouge-l,meteor\nA,0.5,0.1\nB two,0.25,0.1\nElsewhere,0.1,0.1\n")
    (found,) = compare_published(
        report(
            {"A": 0.75, "B": 0.5, "C": 0.1, "D": None}, published, options={"same_systems": {"B": "B two"}}
        )
    )
    assert found["title"] == KINDS["egises"].title
    assert found["rows"] == [
        {
            "score": "egises",
            "system": ours,
            "published_system": theirs,
            "surrogate": None,
            "measure": "rouge-l",
            "ours": value,
            "published": printed,
            "difference": 0.25,
        }
        for ours, theirs, value, printed in (("A", "A", 0.75, 0.5), ("B", "B two", 0.5, 0.25))
    ]
    assert [(row["coefficient"], row["n"], row["estimate"]) for row in found["agreement"]] == [
        ("spearman", 2, pytest.approx(1)),
        ("kendall", 2, pytest.approx(1)),
    ]
    assert found["unmatched"] == [
        {"what": "system", "name": "C", "where": "ours"},
        {"what": "system", "name": "D", "where": "ours"},
        {"what": "system", "name": "Elsewhere", "where": "published"},
        {"what": "measure", "name": "meteor", "where": "published"},
    ]


def test_what_we_have_no_number_for_has_no_difference():
    (found,) = compare_published(report({"A": None}, table("system,rouge-l\nA,0.5\n")))
    assert (found["rows"][0]["ours"], found["rows"][0]["difference"]) == (None, None)
    assert found["agreement"][0]["reason"] == "fewer than two numbers stand beside each other"
    assert found["unmatched"] == []


def test_correlations_and_paradox_are_compared_cell_by_cell():
    cells = [("rouge-l", "jsd", 0.5), ("jsd", "jsd", 0.25), ("jsd", "bleu", 0.125)]
    rows = [
        {
            "automatic": automatic,
            "coefficient": "kendall",
            "surrogate": x,
            "measure": y,
            "estimate": sign * value,
        }
        for automatic, sign in (("perseval", 1), ("egises", -1))
        for x, y, value in cells
    ]
    table2 = table(
        "surrogate,coefficient,jsd,bleu\nrouge-l,kendall,0.25,0\njsd,kendall,0.5,0.5\n", "correlations"
    )
    table3 = table("coefficient,jsd\nkendall,1\n", "paradox")
    paradox = [{"measure": "jsd", "coefficient": "kendall", "estimate": 0.5}]
    second, third = compare_published(
        report({}, table2, table3, correlations=rows, inference={"paradox": paradox})
    )
    assert [(row["surrogate"], row["measure"], row["difference"]) for row in second["rows"]] == [
        ("rouge-l", "jsd", 0.25),
        ("jsd", "jsd", -0.25),
        ("jsd", "bleu", -0.375),
    ]
    assert {(row["score"], row["measure"], row["n"]) for row in second["agreement"]} == {("kendall", None, 3)}
    assert [row["difference"] for row in third["rows"]] == [-0.5]


def test_a_table_that_names_no_measure_stands_beside_each_of_ours():
    ours = {"system": "A", "means": [0.5, 0.25], "bias": 0.125, "variance": 0.0}
    shares = [{"share": 0.8}, {"share": 0.8}]
    stability = [
        {"score": score, "measure": measure, "shares": shares, "systems": [{**ours, "bias": bias}]}
        for score, measure, bias in (
            ("perseval", "jsd", 0.125),
            ("perseval", "bleu", 0.125),
            ("degress", "jsd", 1),
        )
    ]
    published = table("system,100,80,bias\nA,0.25,0.25,0\n", "stability")
    (found,) = compare_published(report({}, published, inference={"stability": stability}))
    assert [(row["measure"], row["score"], row["difference"]) for row in found["rows"]] == [
        (measure, score, difference)
        for measure in ("jsd", "bleu")
        for score, difference in (("100", 0.25), ("80", 0.0), ("bias", 0.125))
    ]


def test_without_tables_there_is_nothing():
    assert compare_published(report({"A": 0.5})) == []


def test_a_slip_in_the_names_of_systems_is_an_error():
    tables = [table("system,jsd\nTheirs,1\n")]
    check_same_systems({"Ours": "Theirs"}, ["Ours"], tables)
    with pytest.raises(InputError, match="there is no system Our here; there are Ours"):
        check_same_systems({"Our": "Theirs"}, ["Ours"], tables)
    with pytest.raises(InputError, match="no published table has a system Their"):
        check_same_systems({"Ours": "Their"}, ["Ours"], tables)


def test_people_read_names_in_place_of_numbers():
    options = {"seed": 1, "published": [table("system,jsd\nA,1\n").as_record()], "same_systems": {"a": "A"}}
    assert name_tables(options) == {"seed": 1, "published": ["egises: table.csv"], "same_systems": ["a = A"]}
    assert name_tables({"seed": 1}) == {"seed": 1}


def test_families_read_as_they_are_asked_for():
    families = {"A": "long", "B": "short", "C": "long"}
    assert name_tables({"seed": 1, "families": families}) == {
        "seed": 1,
        "families": ["long = A, C", "short = B"],
    }
    assert name_tables({"families": {}}) == {"families": []}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("kind", "file", "values"),
    [
        ("perseval", "perseval_table1_perseval.csv", 70),
        ("correlations", "perseval_table2_hj_correlation_pens.csv", 147),
        ("paradox", "perseval_table3_paradox.csv", 14),
        ("stability", "perseval_table4_stability.csv", 70),
        ("egises", "perseval_table7_egises.csv", 70),
        ("p_acc", "perseval_table8_pacc.csv", 70),
        ("thesis", "thesis_table5_4.csv", 24),
    ],
)
def test_every_published_table_is_read_whole(shared, kind, file, values):
    assert len(read_published(shared / "data" / "published" / file, kind).values) == values


@pytest.mark.shared
def test_egises_of_the_papers_systems_is_that_of_their_table(shared):
    """PerSEval Table 7, ROUGE-L: 0.869, 0.891, 0.988; ours without document texts, which are not public."""
    data = shared / "data"
    names = {"NAML": "PENS-NAML T1", "NRMS": "PENS-NRMS T1", "NRMS_2": "PENS-NRMS T2"}
    corpus: Corpus = read_pens(
        test=data / "pens" / "personalized_test.tsv",
        systems={name: data / "pens" / f"hyps_{name}.txt" for name in names},
    )
    published = read_published(data / "published" / "perseval_table7_egises.csv", "egises")
    made = assemble_report(
        automatic=score_systems(corpus, make_measure("rouge-l"), normalise="none").records(),
        human=[],
        facts=ReportFacts(
            scale="similarity",
            subject={},
            plan={},
            ratings={},
            options={"normalise": "none", "published": [published.as_record()], "same_systems": names},
            systems=corpus.systems,
        ),
    )
    (found,) = made["published"]
    assert {row["published_system"]: row["published"] for row in found["rows"]} == {
        "PENS-NAML T1": 0.869,
        "PENS-NRMS T1": 0.891,
        "PENS-NRMS T2": 0.988,
    }
    assert [row["ours"] for row in found["rows"]] == pytest.approx([0.8704, 0.8948, 0.9927], abs=1e-4)
    assert max(abs(row["difference"]) for row in found["rows"]) < 0.006
    assert [row["estimate"] for row in found["agreement"]] == pytest.approx([1.0, 1.0])
    assert {row["name"] for row in found["unmatched"] if row["what"] == "system"} == {
        "BigBird-Pegasus",
        "BRIO",
        "PENS-EBNR T1",
        "PENS-EBNR T2",
        "ProphetNet",
        "SimCLS",
        "T5 (Base)",
    }
