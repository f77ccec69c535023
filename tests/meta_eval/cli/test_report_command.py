"""`report`: from files to the whole report, on the demo corpus, as a user runs it."""

import csv
import io
import json
import zipfile

import pytest

from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.publish.bundle import verify_bundle
from meta_eval.publish.long_form import report_json
from meta_eval.ratings.responses import write_responses
from meta_eval.ratings.rows import RATING_COLUMNS
from meta_eval.ratings.table import read_ratings
from meta_eval.report import sources
from meta_eval.stats.coefficients.families import OTHERS
from tests.meta_eval.cli.demo_survey import DEMO, ONE_OF_EACH, call, write_ratings
from tests.meta_eval.publish.tagged import structure


@pytest.fixture(scope="module")
def ratings_file(tmp_path_factory):
    return write_ratings(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def published_file(tmp_path_factory):
    """A table with one system, under a name of its own."""
    path = tmp_path_factory.mktemp("published") / "table7.csv"
    path.write_text("system,rouge-l,meteor\nTheirs,0.5,0.5\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def written(ratings_file, published_file, tmp_path_factory):
    """The folder into which one command wrote every form of a report, and what it said."""
    folder = tmp_path_factory.mktemp("written") / "new"
    ours, *_ = read_jsonl(DEMO).systems
    table = ("--published", f"egises={published_file}", "--same-system", f"{ours}=Theirs")
    primary = ("--primary", "spearman")
    status, out, err = call(DEMO, ratings_file, *ONE_OF_EACH, *table, *primary, "--out", folder)
    assert status == 0, err
    return folder, out


def test_the_primary_coefficient_is_named_in_every_form(written):
    folder, out = written
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    declared = report["answer"]["declared"]
    assert declared.startswith(
        "Spearman's rho of DEGRESS with DEGRESS-HJ by Jensen-Shannon was named as primary when the report "
        "was made; whether that was before anybody knew the ratings is not known here."
    )
    assert f"Primary: {declared}" in out.splitlines()
    assert report["answer"]["coefficient"] == "spearman"
    rows = list(csv.DictReader(io.StringIO((folder / "correlations.csv").read_text(encoding="utf-8"))))
    tested = [(row["automatic"], row["coefficient"], row["p_max_t"]) for row in rows if row["p_max_t"]]
    (own,) = [row for row in report["correlations"] if row["p_max_t"] is not None]
    assert tested == [("degress", "spearman", repr(own["p_max_t"]))]
    assert own["p_max_t"] == pytest.approx(own["p_value"], abs=0.03)  # of one measure, drawn
    assert declared.partition(";")[0] in (folder / "methods.md").read_text(encoding="utf-8")
    assert declared in (folder / "details.md").read_text(encoding="utf-8")
    assert "\\label{tab:primary}" in (folder / "tables.tex").read_text(encoding="utf-8")


def test_one_command_writes_every_form_of_the_report(written):
    folder, out = written
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert out.splitlines()[0] == report["answer"]["sentence"]
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    said = [line.removeprefix(f"Written: {folder}/") for line in out.splitlines() if "Written: " in line]
    assert sorted(said) == sorted(files)
    assert {"report.json", "report.xlsx", "report.pdf", "bundle.zip", "tables.tex"} < files
    assert {"papers.pdf", "papers.tex", "papers/perseval-table-1.csv", "papers/perseval-table-4.tex"} < files
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")
    assert (folder / "document.tex").read_text(encoding="utf-8").startswith("\\documentclass")
    rows = list(csv.DictReader(io.StringIO((folder / "leaderboard.csv").read_text(encoding="utf-8"))))
    assert [(row["system"], row["value"]) for row in rows] == [
        (row["system"], repr(row["value"])) for row in report["leaderboard"]
    ]
    assert {row["reason"] for row in rows} == {""}
    assert report["subject"] == {
        "batch": "ratings",
        "question": "",
        "corpus": "corpus",
        "corpus_hash": read_jsonl(DEMO).content_hash,
        "corpus_documents": 24,
        "plan_known": False,
        "seed": None,
    }


@pytest.mark.filterwarnings("error")
def test_a_survey_of_one_document_is_reported_without_a_warning(ratings_file, tmp_path):
    first, *_ = DEMO.read_text(encoding="utf-8").splitlines(keepends=True)
    header, *rows = ratings_file.read_text(encoding="utf-8").splitlines(keepends=True)
    corpus, ratings = tmp_path / "corpus.jsonl", tmp_path / "ratings.csv"
    corpus.write_text(first, encoding="utf-8")
    about = f"{json.loads(first)['doc_id']},"
    ratings.write_text("".join([header, *(row for row in rows if row.startswith(about))]), encoding="utf-8")
    status, out, err = call(corpus, ratings, *ONE_OF_EACH, "--out", tmp_path, "--format", "json")
    assert (status, len(err.splitlines())) == (0, 2)  # what was taken of either file
    assert "Only 1 document was rated" in out
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["inference"]["problems"] == []


FIGURE_NAMES = (
    *(f"heat-map-{name}" for name in ("kendall", "spearman", "pearson")),
    *("answer", "scatter", "forest", "stability", "ablation", "perseval-figure-3"),
)


def test_figures_are_files_in_every_form_and_in_the_pdf(ratings_file, tmp_path):
    more = ("--format", "figures", "--format", "pdf", "--show", "score=degress")
    status, _, _ = call(DEMO, ratings_file, *ONE_OF_EACH, "--out", tmp_path, *more)
    assert status == 0
    files = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert sorted(files) == sorted(
        f"{name}-degress-jsd-rouge-l.{form}" for name in FIGURE_NAMES for form in starts
    )
    assert [name for name, data in files.items() if not data.startswith(starts[name[-3:]])] == []
    scatter = files["scatter-degress-jsd-rouge-l.svg"].decode()
    assert [name for name in read_jsonl(DEMO).systems if f">{name}</text>" not in scatter] == []
    pages = (tmp_path / "report.pdf").read_bytes()
    figures = structure(pages).find("Figure")
    assert len(figures) == 6  # one heat map; the tables have the numbers of the others


def test_the_bundle_of_the_command_is_verified_to_the_last_number(ratings_file, tmp_path):
    call(DEMO, ratings_file, *ONE_OF_EACH, "--out", tmp_path, "--format", "bundle", "--hashes")
    assert [path.name for path in tmp_path.iterdir()] == ["bundle.zip"]
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        assert "corpus.jsonl" not in archive.namelist()
    found = verify_bundle(tmp_path / "bundle.zip", corpus=read_jsonl(DEMO))
    assert (found.is_sound, sum(one.numbers for one in found.not_recomputed)) == (True, 0)
    assert found.verified > 500


def test_json_on_standard_output_is_the_file(ratings_file, tmp_path):
    status, out, err = call(DEMO, ratings_file, *ONE_OF_EACH, "--json", "--out", tmp_path, "--format", "json")
    assert status == 0
    assert out == (tmp_path / "report.json").read_text(encoding="utf-8") == report_json(json.loads(out))
    assert "24 documents" in err


def test_a_measure_that_fails_says_why_and_takes_nothing_with_it(ratings_file, monkeypatch):
    def refuse(*arguments, **options):
        if arguments[1].id == "bleu":
            raise OSError("no room left")
        return score(*arguments, **options)

    score = sources.score_systems
    monkeypatch.setattr(sources, "score_systems", refuse)
    more = ("--measure", "bleu", "--measure", "infolm:model=/no/where", "--json")
    status, out, err = call(DEMO, ratings_file, *ONE_OF_EACH, *more)
    report = json.loads(out)
    assert status == 1
    assert [(one["side"], one["measure"]) for one in report["failures"]] == [
        ("automatic", "bleu"),
        ("automatic", "infolm:model=where"),
    ]
    assert report["failures"][0]["reason"] == "Unexpected error (OSError): no room left"
    assert "not computed: automatic bleu: Unexpected error (OSError): no room left" in err
    assert {row["measure"] for row in report["correlations"]} == {"rouge-l"}
    values, ranks = (
        {row["ci_method"] for row in report["correlations"] if (row["coefficient"] == "pearson") is of_values}
        for of_values in (True, False)
    )
    assert (values, ranks) == (
        {"hierarchical"},
        {"hierarchical-wider"},
    )  # half write one text for all readers


def test_options_reach_the_report(ratings_file):
    more = ("--min-raters", 1, "--raters", 2, "--normalise", "none", "--beta", 1.5, "--seed", 5)
    more = (*more, "--edp-readers", "rated", "--alpha", 2.5, "--gamma", 3.5)
    more = (*more, "--p-acc-alpha", 0.25, "--p-acc-beta", 0.75)
    more = (*more, "--resampled", "documents and systems", "--name", "Pilot", "--question", "How alike?")
    systems = read_jsonl(DEMO).systems
    more = (*more, "--adjust", "benjamini-hochberg", "--coefficient", "kendall-c")
    more = (*more, "--family", f"ours={','.join(systems[:5])}", "--stability-replace")
    _, out, _ = call(
        DEMO, ratings_file, *ONE_OF_EACH, *more, "--preprocess", "pens", "--tokeniser", "char", "--json"
    )
    report = json.loads(out)
    assert report["options"] == {
        "measures": ["rouge-l"],
        "surrogates": ["jsd"],
        "min_raters": 1,
        "normalise": "none",
        "beta": 1.5,
        "edp_readers": "rated",
        "alpha": 2.5,
        "gamma": 3.5,
        "p_acc_alpha": 0.25,
        "p_acc_beta": 0.75,
        "mode": "paper",
        "preprocess": "pens",
        "tokeniser": "char",
        "resamples": 1000,
        "seed": 5,
        "resampled": "documents and systems",
        "level": 0.95,
        "adjustment": "benjamini-hochberg",
        "coefficients": ["pearson", "spearman", "kendall", "kendall-c"],
        "families": {name: "ours" if name in systems[:5] else OTHERS for name in systems},
        "stability_replacement": True,
    }
    assert [row["coefficient"] for row in report["correlations"][:4]] == report["options"]["coefficients"]
    assert {cell["p_adjustment"] for cell in report["correlations"]} == {"benjamini-hochberg"}
    assert {row["family"] for row in report["inference"]["families"]} == {"ours", OTHERS}
    assert (report["subject"]["batch"], report["subject"]["question"]) == ("Pilot", "How alike?")
    assert report["inference"]["options"]["resampled"] == "documents and systems"
    assert report["signatures"][0]["signature"]["preprocess"] == "pens"
    assert report["signatures"][0]["signature"]["tokenizer"] == "char"


def test_the_datasheet_lies_in_the_bundle_as_beside_it(written):
    folder, _ = written
    with zipfile.ZipFile(folder / "bundle.zip") as archive:
        assert archive.read("datasheet.md") == (folder / "datasheet.md").read_bytes()


def test_published_numbers_stand_beside_ours_and_in_the_bundle(written):
    folder, _ = written
    ours, *_ = read_jsonl(DEMO).systems
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (found,) = report["published"]
    (row,) = found["rows"]
    assert (row["system"], row["published_system"], row["published"]) == (ours, "Theirs", 0.5)
    assert row["difference"] == row["ours"] - 0.5
    (line,) = csv.DictReader(io.StringIO((folder / "published.csv").read_text(encoding="utf-8")))
    assert (line["file"], float(line["ours_less_published"])) == ("table7.csv", row["difference"])
    assert verify_bundle(folder / "bundle.zip").is_sound
    assert report["options"]["same_systems"] == {ours: "Theirs"}


def test_responses_of_the_papers_survey_app_give_the_same_scores(ratings_file, tmp_path):
    responses = tmp_path / "responses.sqlite"
    write_responses(read_ratings(ratings_file, read_jsonl(DEMO)).ratings, responses)
    outputs = [call(DEMO, file, *ONE_OF_EACH, "--json")[1] for file in (ratings_file, responses)]
    first, second = map(json.loads, outputs)
    assert first["leaderboard"] == second["leaderboard"]
    assert second["plan"] == first["plan"]


def test_rows_of_an_export_that_no_score_counts_change_nothing(ratings_file, tmp_path):
    """Control pairs, surplus, excluded and withdrawn ratings, in `report`, `human` and `ablate` alike."""
    rows = list(csv.DictReader(ratings_file.open(encoding="utf-8")))
    more = [
        {**rows[0], "doc_id": "", "system": "", "reader_a": "", "reader_b": "", "control": "identical"},
        *({**row, "rater": "p3", "rating": "6", "state": "surplus"} for row in rows[::2]),
        *({**row, "rater": "p4", "rating": "1", "state": "excluded"} for row in rows[::2]),
        {**rows[0], "rating": "", "state": "withdrawn"},
    ]
    export = tmp_path / "ratings.csv"
    with export.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*RATING_COLUMNS, "state", "control"], restval="")
        writer.writeheader()
        writer.writerows([*more[:2], *({**row, "state": "submitted"} for row in rows), *more[2:]])
    made = [call(DEMO, file, *ONE_OF_EACH, "--json") for file in (ratings_file, export)]
    assert [status for status, _, _ in made] == [0, 0]
    assert json.loads(made[1][1]) == json.loads(made[0][1])
    half = len(rows) // 2
    notes = [line for line in made[1][2].splitlines() if "of the file left out" in line]
    assert notes == [
        f"note: {export}: 1 row of the file left out: a control pair",
        f"note: {export}: {half} rows of the file left out: excluded",
        f"note: {export}: {half} rows of the file left out: surplus",
        f"note: {export}: 1 row of the file left out: withdrawn",
    ]
    shared = ("--surrogate", "jsd", "--scale", "similarity")
    for command, own in (("human", ()), ("ablate", ("--measure", "rouge-l"))):
        found = [call(DEMO, file, *shared, *own, command=command) for file in (ratings_file, export)]
        assert found[1][:2] == found[0][:2]
        assert [line for line in found[1][2].splitlines() if "of the file left out" in line] == notes
