"""`--perse` in `report`, `compare` and `stability`: the example of docs/perse.md, without a connection."""

import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from meta_eval.corpus.documents import GOLD
from tests.meta_eval.cli.running import results, run
from tests.meta_eval.studies.perse.judging import DEMO, write_lines

DATA = DEMO / "perse"
PAGE = Path(__file__).parents[3] / "docs" / "perse.md"
SYSTEMS = ("lead", "title", "reader-extract", "half")
OPTIONS = ("--measure", "rouge-l", "--surrogate", "rouge-l", "--scale", "similarity", "--resamples", 1000)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The demo's corpus with a few of its systems, for the sake of time."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    records = [json.loads(line) for line in (DEMO / "corpus.jsonl").read_text("utf-8").splitlines()]
    for record in records:
        record["m_summary_dict"] = {
            reader: {name: text for name, text in texts.items() if name in (*SYSTEMS, GOLD)}
            for reader, texts in record["m_summary_dict"].items()
        }
    return write_lines(path, records)


@pytest.fixture(scope="module")
def ratings(corpus):
    head, *rows = (DATA / "ratings.csv").read_text("utf-8").splitlines(keepends=True)
    path = corpus.with_name("ratings.csv")
    kept = [row for row in rows if row.split(",")[1] in (*SYSTEMS, GOLD)]
    path.write_text("".join([head, *kept]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def judged(corpus, tmp_path_factory):
    """The folder that the example of the page writes of this corpus."""
    folder = tmp_path_factory.mktemp("judged") / "summaries"
    (typed,) = re.findall(
        r"^python -m meta_eval (judge summaries .*) --out summaries$", PAGE.read_text("utf-8"), re.M
    )
    places = {str(DEMO / "corpus.jsonl"): corpus}
    words = [str(DEMO.parents[1] / word) if word.startswith("fixtures/") else word for word in typed.split()]
    assert run(*(places.get(word, word) for word in words), "--out", folder).returncode == 0
    return folder


def test_the_example_gives_a_report_whose_bundle_holds_the_replies(
    judged, corpus, ratings, tmp_path, monkeypatch
):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("socket.socket.connect", refuse)
    done = run(
        "report",
        corpus,
        ratings,
        *OPTIONS,
        "--perse",
        judged,
        "--format",
        "json",
        "--format",
        "bundle",
        "--out",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "report.json").read_text("utf-8"))["inference"]["judged"]
    scores = json.loads((judged / "scores.json").read_text("utf-8"))
    assert {(row["measure"], row["system"]): row["estimate"] for row in found["systems"]} == {
        (row["measure"], row["system"]): pytest.approx(row["accuracy"], abs=1e-12) for row in scores
    }
    own = {row["system"]: row["estimate"] for row in found["systems"] if row["measure"] == "perse-own"}
    assert (own["lead"], own["title"]) == (0.0, 0.0)
    assert own["reader-extract"] > 0
    assert found["control"]["personal"] is True
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        kept = archive.read("judge-replies.jsonl").decode().splitlines()
    assert kept == (judged / "replies.jsonl").read_text("utf-8").splitlines()


def test_a_run_about_another_corpus_is_refused(judged, corpus, ratings, tmp_path):
    lines = corpus.read_text("utf-8").splitlines(keepends=True)
    other = tmp_path / "other.jsonl"
    other.write_text("".join(line.replace("the ", "a ") for line in lines), encoding="utf-8")
    done = run("report", other, ratings, *OPTIONS, "--perse", judged, "--json")
    assert done.returncode == 2
    assert "the replies give other scores than its run.json says" in done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "name the folder that judge summaries wrote with --out"),
        ("[]", "is not what judge summaries writes"),
        ('[{"scores": {}, "plan": {}}]', "is not what judge summaries writes"),
    ],
)
def test_a_folder_that_holds_no_run_is_refused(content, said, corpus, ratings, tmp_path):
    if content is not None:
        (tmp_path / "run.json").write_text(content, encoding="utf-8")
        (tmp_path / "replies.jsonl").write_text("", encoding="utf-8")
    done = run("report", corpus, ratings, *OPTIONS, "--perse", tmp_path, "--json")
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


@pytest.fixture(scope="module")
def people(corpus, ratings):
    """The human scores that the ratings give."""
    path = corpus.with_name("people.json")
    made = run("human", corpus, ratings, "--surrogate", "rouge-l", "--scale", "similarity", "--out", path)
    assert made.returncode == 0, made.stderr
    return path


@pytest.mark.parametrize("test", ["permutation", "williams"])
def test_a_judge_is_compared_with_measures_over_the_documents_that_it_saw(
    test, judged, corpus, people, tmp_path
):
    typed = ("--measure", "rouge-l", "--perse", judged, "--coefficient", "pearson", "--test", test)
    done = run("compare", people, corpus, *typed)
    assert done.returncode == 0, done.stderr
    rows = {(row["first"], row["second"]): row for row in json.loads(done.stdout)}
    assert sorted(rows) == [("perse", "perse-own"), ("rouge-l", "perse"), ("rouge-l", "perse-own")]
    scores: dict[str, dict[str, float]] = {"perse": {}, "perse-own": {}}
    for row in json.loads((judged / "scores.json").read_text("utf-8")):
        scores[row["measure"]][row["system"]] = row["accuracy"]
    human = {row["system"]: row["perseval_hj"] for row in json.loads(people.read_text("utf-8"))}
    agreed = {
        name: np.corrcoef([of[system] for system in SYSTEMS], [human[system] for system in SYSTEMS])[0, 1]
        for name, of in scores.items()
    }
    expected = agreed["perse"] - agreed["perse-own"]
    assert rows["perse", "perse-own"]["difference"] == pytest.approx(expected, abs=1e-12)
    asked = {json.loads(line)["doc_id"] for line in (judged / "judged.jsonl").read_text("utf-8").splitlines()}
    there = len(corpus.read_text("utf-8").splitlines())
    assert f"over the {len(asked)} of {there} documents and the {len(SYSTEMS)} systems" in done.stderr
    few = write_lines(
        tmp_path / "few.jsonl",
        [one for one in map(json.loads, corpus.read_text("utf-8").splitlines()) if one["doc_id"] in asked],
    )
    scored = {row["system"]: row["perseval"] for row in results("score", few, "--measure", "rouge-l")}
    own = np.corrcoef([scored[system] for system in SYSTEMS], [human[system] for system in SYSTEMS])[0, 1]
    assert rows["rouge-l", "perse"]["difference"] == pytest.approx(own - agreed["perse"], abs=1e-12)


@pytest.mark.parametrize("resampled", ["documents", "documents and systems", "raters"])
def test_a_judge_is_compared_over_the_draws_of_measures(judged, corpus, ratings, people, resampled):
    typed = ("--measure", "rouge-l", "--perse", judged, "--coefficient", "pearson", "--resamples", 200)
    drawn = ("--test", "bootstrap", "--resampled", resampled, "--ratings", ratings)
    rows, not_drawn = (
        {(row["first"], row["second"]): row for row in results("compare", people, corpus, *typed, *tested)}
        for tested in (drawn, ("--test", "williams"))
    )
    assert {pair: row["difference"] for pair, row in rows.items()} == pytest.approx(
        {pair: row["difference"] for pair, row in not_drawn.items()}, abs=1e-9
    )
    assert len(rows) == 3
    for row in rows.values():
        assert (row["n"], row["ci_over"], row["reason"]) == (len(SYSTEMS), resampled, None)
        assert row["ci_low"] < row["ci_high"]
        assert 0 < row["p_value"] <= 1


def test_a_judge_is_sampled_as_measures_are(judged, corpus):
    done = run("stability", corpus, "--measure", "rouge-l", "--perse", judged, "--system", "half")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert {(row["measure"], row["system"]) for row in rows if row["system"]} == {
        (name, "half") for name in ("rouge-l", "perse", "perse-own")
    }
    accuracies = json.loads((judged / "scores.json").read_text("utf-8"))
    expected = {row["measure"]: row["accuracy"] for row in accuracies if row["system"] == "half"}
    of_all = {row["measure"]: row["means"][0] for row in rows if row["system"] and row["measure"] in expected}
    assert of_all == pytest.approx(expected, abs=1e-12)


def test_a_folder_without_a_run_is_refused_before_anything_is_scored(corpus, people, tmp_path, monkeypatch):
    monkeypatch.setattr("meta_eval.cli.scores.score_systems", lambda *_, **__: pytest.fail("it was scored"))
    for command in (("compare", people, corpus), ("stability", corpus)):
        done = run(*command, "--measure", "rouge-l", "--perse", tmp_path)
        assert done.returncode == 2
        assert "name the folder that judge summaries wrote with --out" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--mode", "kdm"), "which a judge of summaries does not have"),
        (("--system", "title", "--system", "nobody"), "nobody"),
    ],
)
def test_what_a_judge_cannot_be_sampled_by_is_refused(judged, corpus, options, said):
    done = run("stability", corpus, "--measure", "rouge-l", "--perse", judged, *options)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
