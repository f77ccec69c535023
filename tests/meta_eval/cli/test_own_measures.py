"""chrF as a plug-in of a dozen lines and as distances from outside: every command, equal numbers."""

import csv
import json
import random
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from meta_eval.cli.commands import COMMANDS
from meta_eval.corpus.documents import GOLD
from meta_eval.corpus.jsonl import read_jsonl, write_jsonl
from meta_eval.measures.finding_plugins import load_plugin
from meta_eval.ratings.rows import RATING_COLUMNS
from tests.meta_eval.cli.running import results, run
from tests.meta_eval.measures.test_plugins import CHRF_PLUGIN

DEMO = Path(__file__).parents[3] / "fixtures" / "demo" / "corpus.jsonl"
UNTITLED = CHRF_PLUGIN.replace('    title = "chrF of sacreBLEU"\n', "")
"""Called by its name in a report, as distances from outside are."""
SCALE = ("--scale", "similarity")
CHRF, OTHER = ("-m", "my-chrf"), ("-m", "rouge-l")
OF_THE_WAY = {"signature", "signature_line"}
"""What differs between a plug-in and a table of its distances: what they are, not what they give."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A corpus of six documents, two raters for a pair of each text of it, the plug-in, and its distances."""
    folder = tmp_path_factory.mktemp("own")
    whole, rng = read_jsonl(DEMO), random.Random(3)
    corpus = replace(whole, documents=whole.documents[:6])
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as stream:
        write_jsonl(corpus, stream)
    with (folder / "ratings.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(RATING_COLUMNS)
        for document in corpus.documents:
            pair = list(document.references)[:2]
            for number, system in enumerate((GOLD, *corpus.systems)):
                for rater in ("p1", "p2"):
                    rating = min(6, 1 + number // 2 + rng.randint(0, 1))
                    writer.writerow([document.id, system, *pair, rater, rating])
    (folder / "own.py").write_text(UNTITLED, encoding="utf-8")
    plugin = ("--plugin", folder / "own.py")
    done = run("distances", "export", folder / "corpus.jsonl", *CHRF, *plugin, "--out", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder


def numbers(records):
    return [{name: value for name, value in one.items() if name not in OF_THE_WAY} for one in records]


def through_every_command(files, folder, own):
    """Numbers by command, of chrF brought by the options `own`."""
    corpus, ratings = files / "corpus.jsonl", files / "ratings.csv"
    human, automatic = folder / "human.json", folder / "automatic.json"
    assert run("human", corpus, ratings, *CHRF, *SCALE, *own, "--out", human).returncode == 0
    assert run("score", corpus, *CHRF, *OTHER, *own, "--out", automatic).returncode == 0
    rated = ("--ratings", ratings, "--test", "bootstrap", "--resampled", "documents", "--resamples", 40)
    found = {
        "human": json.loads(human.read_text()),
        "score": json.loads(automatic.read_text()),
        "correlate": results("correlate", human, automatic),
        "compare": results("compare", human, corpus, *CHRF, *OTHER, *rated, *own),
        "stability": results("stability", corpus, *CHRF, "--samples", 2, *own),
        "ablate": results("ablate", corpus, ratings, *CHRF, "--surrogate", "my-chrf", *SCALE, *own),
    }
    asked = (*CHRF, *OTHER, "--surrogate", "my-chrf", *SCALE, "--resamples", 1000, "--format", "bundle")
    done = run("report", corpus, ratings, *asked, *own, "--out", folder / "report", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    found["report"] = [
        {name: part for name, part in report.items() if name not in {"signatures", "versions"}}
    ]
    return {name: numbers(records) for name, records in found.items()}


@pytest.fixture(scope="module")
def by_plugin(files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    return folder, through_every_command(files, folder, ("--plugin", files / "own.py"))


@pytest.mark.parametrize("kind", ["plugin", "three files", "table"])
def test_chrf_of_ones_own_goes_through_every_command(kind, files, by_plugin, tmp_path):
    """Score, human, correlate, compare, stability, ablate, report, bundle and verify, with equal numbers."""
    folder, expected = by_plugin
    if kind != "plugin":
        where = files / "out" / "my-chrf" if kind == "three files" else table_of_texts(files, tmp_path)
        found = through_every_command(files, tmp_path, ("--distances", f"my-chrf={where}"))
        assert found == expected
        folder = tmp_path
    bundle = next((folder / "report").glob("*.zip"))
    verify_with = {
        "plugin": ("--plugin", files / "own.py"),
        "table": ("--distances", f"my-chrf={tmp_path / 'table.parquet'}"),  # the bundle has them too
    }
    done = run("verify", bundle, *verify_with.get(kind, ()), "--json")
    assert done.returncode == 0, done.stdout
    sound = json.loads(done.stdout)
    assert (sound["outcome"], sound["differences"], sound["not_recomputed"]) == ("sound", [], [])


def test_a_model_beside_people_takes_ones_own_surrogate(files, tmp_path):
    """A command in a group, with a surrogate and no measure; a measure with options gives other scores."""
    models = tmp_path / "models.csv"
    models.write_text(
        (files / "ratings.csv")
        .read_text(encoding="utf-8")
        .replace(",p1,", ",model:a,")
        .replace(",p2,", ",model:b,")
    )
    typed = ("judge", "stand-in", files / "corpus.jsonl", files / "ratings.csv", models, *SCALE)
    found = [
        [record["systems"] for record in results(*typed, "--resamples", 1000, "--surrogate", *surrogate)]
        for surrogate in (
            ("my-chrf", "--plugin", files / "own.py"),
            ("my-chrf", "--distances", f"my-chrf={files / 'out' / 'my-chrf'}"),
            ("chrf:word_order=2",),
        )
    ]
    assert found[0] == found[1]
    assert [len(systems) for systems in found[0]] == [len(systems) for systems in found[2]] != [0, 0]
    assert found[0] != found[2]


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"vectors"}))  # which encodes words for jsd-oov alone
def test_every_command_that_takes_a_measure_takes_ones_own(name):
    command = COMMANDS[name].load(name)
    for one in getattr(command, "commands", {name: command}).values():
        of_measures = [item for item in one.params if item.metavar in {"M", "M[@FORM]"}]
        own = {"--plugin", "--distances"} & {typed for item in one.params for typed in item.opts}
        assert len(own) == 2 or not of_measures


def table_of_texts(files, folder):
    """What `distances pairs` writes, with the distances that another tool adds."""
    chrf = load_plugin(files / "own.py")()
    assert run("distances", "pairs", files / "corpus.jsonl", "--out", folder / "pairs.csv").returncode == 0
    table = pd.read_csv(folder / "pairs.csv")
    table["distance"] = [
        chrf(first, second) for first, second in zip(table["first"], table["second"], strict=True)
    ]
    table.to_parquet(folder / "table.parquet")
    return folder / "table.parquet"


def test_a_plugin_that_is_not_at_hand_leaves_its_numbers_open(by_plugin):
    bundle = next((by_plugin[0] / "report").glob("*.zip"))
    done = run("verify", bundle, "--json")
    assert done.returncode == 3
    open_ = json.loads(done.stdout)["not_recomputed"]
    said = next(one["why"] for one in open_ if "There is no measure 'my-chrf'" in one["why"])
    assert said.endswith("One of your own is there where its file is given (--plugin).")


def test_three_files_beside_a_corpus_in_a_table(files, tmp_path):
    """Their readers are looked up in whatever file the corpus stands in."""
    read_jsonl(files / "corpus.jsonl").to_frame().to_csv(tmp_path / "corpus.csv", index=False)
    own = ("--distances", f"my-chrf={files / 'out' / 'my-chrf'}")
    found = [
        results("score", corpus, *CHRF, *own) for corpus in (tmp_path / "corpus.csv", files / "corpus.jsonl")
    ]
    assert numbers(found[0]) == numbers(found[1])


def test_a_plugin_changed_since_is_named(files, by_plugin, tmp_path):
    changed = tmp_path / "own.py"
    changed.write_text(UNTITLED + "# changed\n", encoding="utf-8")
    bundle = next((by_plugin[0] / "report").glob("*.zip"))
    done = run("verify", bundle, "--plugin", changed, "--json")
    assert done.returncode == 1
    differing = [one["path"] for one in json.loads(done.stdout)["differences"]]
    assert {path.rpartition(".")[2] for path in differing} == {"revision"}
