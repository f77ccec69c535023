"""From texts and ratings to a report in a few lines, as the README shows."""

import os
import re
import zipfile
from pathlib import Path

import pytest
from numpy.testing import assert_allclose
from pandas import DataFrame, read_csv

import meta_eval
from meta_eval.distances.given import pairs_to_compare
from meta_eval.errors import MeasureError
from meta_eval.measures.added import adding
from meta_eval.measures.given import DistanceBook, given_measure, hash_of
from meta_eval.publish.bundle import verify_bundle
from meta_eval.publish.long_form import report_json
from meta_eval.publish.making import MadeReport
from meta_eval.report.options import given_books
from tests.meta_eval.cli.running import run
from tests.meta_eval.surveys import make_corpus, make_rows

README = Path(__file__).parents[3] / "README.md"
QUICK = meta_eval.InferenceOptions(resamples=1000)


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """A folder with texts.csv and ratings.csv, as a newcomer has them."""
    folder = tmp_path_factory.mktemp("study")
    make_corpus().to_frame().to_csv(folder / "texts.csv", index=False)
    columns = ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    DataFrame(make_rows())[columns].to_csv(folder / "ratings.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def made(study) -> MadeReport:
    """What the README's lines leave in `report`."""
    [lines] = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len([line for line in lines.splitlines() if line]) <= 10
    names: dict[str, object] = {}
    here = Path.cwd()
    os.chdir(study)
    try:
        exec(lines, names)  # noqa: S102 - the README's own lines
    finally:
        os.chdir(here)
    return names["report"]


def test_the_readme_lines_write_every_form_of_the_report(made, study):
    written = {path.suffix for path in (study / "report").rglob("*.*")}
    assert written == {".json", ".csv", ".xlsx", ".tex", ".md", ".bib", ".svg", ".png", ".pdf", ".zip"}
    assert verify_bundle(study / "report" / "bundle.zip").is_sound


def test_python_and_the_command_line_make_the_same_report(study):
    corpus = meta_eval.read_corpus(study / "texts.csv")
    ratings = meta_eval.read_ratings(study / "ratings.csv", corpus)
    asked = {"measures": ["jsd"], "surrogates": ["rouge-l"], "scale": "similarity"}
    made = meta_eval.make_report(corpus, ratings, **asked, name="n", corpus_name="texts", inference=QUICK)
    options = ("-m", "jsd", "--surrogate", "rouge-l", "--scale", "similarity", "--resamples", "1000")
    done = run("report", study / "texts.csv", study / "ratings.csv", *options, "--name", "n", "--json")
    assert done.stdout == report_json(made.report)


@pytest.fixture(scope="module")
def percentages(study) -> MadeReport:
    """The study with the same opinions on a scale of 0 to 100."""
    corpus = meta_eval.read_corpus(study / "texts.csv")
    given = read_csv(study / "ratings.csv")
    ratings = meta_eval.read_ratings(
        given.assign(rating=(given["rating"] - 1) * 20), corpus, lowest=0, highest=100
    )
    asked = {"measures": ["rouge-l", "jsd"], "surrogates": ["jsd"], "scale": "similarity"}
    return meta_eval.make_report(corpus, ratings, **asked)


def test_another_scale_gives_the_same_scores_and_coefficients(made, percentages):
    for name in ("leaderboard", "correlations", "ceilings"):
        there, here = (report.tables()[name] for report in (percentages, made))
        numbers = here.select_dtypes("number").columns
        assert_allclose(there[numbers], here[numbers], atol=1e-9)
    alphas = (report.tables()["agreement"].set_index("coefficient") for report in (percentages, made))
    there, here = (table.loc["krippendorff_interval", "estimate"] for table in alphas)
    assert there == pytest.approx(here)


def test_another_scale_is_named_wherever_the_ratings_are(percentages, tmp_path):
    assert percentages.report.scale.in_words == "Raters judged similarity: 0 is low, 100 is very high."
    assert percentages.report.scale.divergence == "(100 - r) / 100"
    assert {0, 100} <= set(percentages.tables()["rating_pairs"]["rating"])
    percentages.write(tmp_path, ["methods", "datasheet", "bundle"])
    assert "24 ratings of similarity from 0 to 100" in (tmp_path / "methods.md").read_text()
    assert "24 ratings from 0 to 100" in (tmp_path / "details.md").read_text()
    assert "101" in (tmp_path / "datasheet.md").read_text()
    assert verify_bundle(tmp_path / "bundle.zip").is_sound


def test_every_table_is_a_data_frame(made):
    tables = made.tables()
    assert list(tables)[:2] == ["leaderboard", "correlations"]
    found = tables["leaderboard"].query("side == 'human' and score == 'degress_hj'")
    assert found["system"].tolist() == ["Copy", "Long & wide", "Same_50%"]


def test_a_notebook_shows_the_answer_and_the_coefficients(made):
    shown = made._repr_html_()
    assert shown.startswith(f"<p>{made.answer.split('&')[0]}"[:30])
    assert shown.count("<tr>") == 1 + len(made.report.correlations)
    assert shown == made.report._repr_html_()


def test_distances_from_outside_are_sealed_after_they_are_there(study, tmp_path):
    corpus = meta_eval.read_corpus(study / "texts.csv")
    ratings = meta_eval.read_ratings(study / "ratings.csv", corpus)
    pairs = pairs_to_compare(corpus)
    book = DistanceBook.of("mine", [(*map(hash_of, pair), len(pair[0]) / 100) for pair in pairs])
    asked = {"measures": ["mine"], "surrogates": ["jsd"], "scale": "similarity", "inference": QUICK}
    with adding([given_measure(book)]):
        made = meta_eval.make_report(corpus, ratings, **asked)
    made.write(tmp_path, ["bundle"])
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        assert archive.read("distances.csv").count(b"\nmine,") == len(pairs)
    found = verify_bundle(tmp_path / "bundle.zip")
    assert found.is_sound
    assert not any("There is no measure" in row.why for row in found.not_recomputed)


def test_a_report_of_measures_that_are_not_there_has_no_books():
    with pytest.raises(MeasureError, match="There is no measure 'mine'"):
        given_books({"measures": ["jsd", "mine"], "surrogates": []})


def test_a_bad_option_of_a_measure_is_refused_before_the_work(study):
    corpus = meta_eval.read_corpus(study / "texts.csv")
    ratings = meta_eval.read_ratings(study / "ratings.csv", corpus)
    with pytest.raises(meta_eval.errors.MeasureError, match="has no option"):
        meta_eval.make_report(corpus, ratings, measures=["jsd:x=1"], surrogates=["jsd"], scale="similarity")
