"""The command line: its output streams and its exit status, and once each as a process of its own."""

import csv
import io
import json
import subprocess
import sys

import pytest

from meta_eval.cli.commands import COMMANDS
from meta_eval.files.frames import flat
from tests.meta_eval.cli.conftest import SPREAD
from tests.meta_eval.cli.running import results, run, run_process


def test_a_process_leaves_what_the_function_does(corpus_file):
    """All other tests call the function."""
    for arguments in (["score", corpus_file, "-m", "jsd"], ["score", corpus_file, "-m", "nope"], ["--help"]):
        own, called = run_process(*arguments), run(*arguments)
        assert (own.returncode, own.stdout) == (called.returncode, called.stdout)
        assert own.stderr == called.stderr


def test_score_gives_one_record_per_system_and_measure(corpus_file):
    records = results("score", corpus_file, "--measure", "rouge-l", "--measure", "bleu:n=2")
    assert [(record["system"], record["measure"]) for record in records] == [
        (system, measure) for measure in ("rouge-l", "bleu") for system in SPREAD
    ]
    first = records[0]
    assert list(first)[:9] == [
        "system",
        "measure",
        "normalise",
        "documents",
        "pairs",
        "accuracy",
        "degress",
        "egises",
        "perseval",
    ]
    assert (first["normalise"], first["documents"], first["pairs"]) == ("document", 2, 6)
    assert (first["accuracy"], first["degress"], first["egises"]) == (1.0, pytest.approx(1), pytest.approx(0))
    assert records[3]["signature"]["options"]["n"] == 2


def test_score_options_reach_the_scores(corpus_file):
    def score(*options: object) -> dict:
        return results("score", corpus_file, "-m", "rouge-l", "--system", "half", *options)[0]

    plain = score()
    assert score("--beta", 1.0)["perseval"] != plain["perseval"]
    assert score("--normalise", "none")["degress"] != plain["degress"]
    assert score("--include-self")["degress"] > plain["degress"]
    softmax = score("--self-in-softmax")
    assert (plain["include_self"], softmax["include_self"]) == (False, "softmax")
    assert softmax["degress"] != plain["degress"]
    assert run("score", corpus_file, "-m", "jsd", "--self-in-softmax", "--include-self").returncode == 2
    assert score("--mode", "kdm")["signature"]["mode"] == "kdm"
    assert score("--preprocess", "pens")["signature"]["preprocess"] == "pens"


def test_csv_holds_what_json_holds(corpus_file, tmp_path):
    as_json = results("score", corpus_file, "-m", "jsd")
    done = run("score", corpus_file, "-m", "jsd", "--format", "csv", "--out", tmp_path / "new" / "scores.csv")
    assert (done.returncode, done.stdout) == (0, "")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "new" / "scores.csv").read_text(encoding="utf-8"))))
    assert [float(row["degress"]) for row in rows] == [record["degress"] for record in as_json]
    expected = [
        {name: "" if value is None else str(value) for name, value in flat(one).items()} for one in as_json
    ]
    assert rows == expected


def test_human_and_automatic_scores_meet_in_correlate(corpus_file, ratings_file, tmp_path):
    people, machine = tmp_path / "human.json", tmp_path / "automatic.json"
    assert (
        run(
            "human",
            corpus_file,
            ratings_file,
            "--surrogate",
            "rouge-l",
            "--surrogate",
            "jsd",
            "--scale",
            "similarity",
            "--out",
            people,
        ).returncode
        == 0
    )
    assert run("score", corpus_file, "-m", "rouge-l", "--out", machine).returncode == 0
    by_system = {
        record["system"]: record for record in json.loads(people.read_text()) if record["surrogate"] == "jsd"
    }
    assert by_system["copy"]["degress_hj"] == 1.0
    assert by_system["copy"]["degress_hj"] > by_system["half"]["degress_hj"] > by_system["deaf"]["degress_hj"]
    assert {record["pairs"] for record in by_system.values()} == {2}
    records = results("correlate", people, machine)
    assert len(records) == 4 * 2 * 1 * 3
    assert {(r["human"], r["automatic"]) for r in records} == {
        *((f"{name}_hj", name) for name in ("degress", "egises", "perseval")),
        ("perseval_hj", "accuracy"),
    }
    kendall = [r for r in records if (r["human"], r["coefficient"]) == ("degress_hj", "kendall")]
    assert [(r["n"], r["estimate"]) for r in kendall] == [(3, pytest.approx(1.0))] * 2


def test_import_pens_writes_a_corpus_that_scores(tmp_path):
    test = tmp_path / "test.tsv"
    test.write_text("userid\tclicknewsID\tposnewID\trewrite_titles\nU1\tN9\tN1\tone\nU2\tN9\tN1\ttwo\n")
    (tmp_path / "out.txt").write_text("one\none\n")
    corpus = tmp_path / "corpus.jsonl"
    done = run("import-pens", "--test", test, "--system", f"S={tmp_path / 'out.txt'}", "--out", corpus)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(
        "1 document, 2 readers, 2 references, 1 system: 4 texts taken, 0 not written\n"
    )
    assert results("score", corpus, "-m", "rouge-l", "--normalise", "none")[0]["accuracy"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "{corpus}", "-m", "nope"], "Error: There is no measure 'nope'."),
        (["score", "{corpus}", "-m", "bleu:x=1"], "Error: "),
        (["stability", "{corpus}", "-m", "bleu", "-m", "bleu:n=4"], "Error: bleu stands more than once"),
        (
            ["distances", "export", "{corpus}", "-m", "bleu", "-m", "bleu:n=4", "-o", "{missing}"],
            "Error: bleu stands more than once; choose one set of its options.",
        ),
        (
            ["score", "{corpus}", "-m", "jsd", "--system", "nobody"],
            "Error: the corpus has no system nobody; it has copy, half, deaf",
        ),
        (["score", "{missing}", "-m", "jsd"], "cannot be read: No such file or directory"),
        (
            ["score", "{ratings}", "-m", "jsd"],
            "ratings.csv:1: this is a table of ratings; wanted is a corpus: ",
        ),
        (["human", "{corpus}", "{ratings}", "--surrogate", "jsd"], "Missing option '--scale'"),
        (
            [
                "human",
                "{corpus}",
                "{ratings}",
                "--surrogate",
                "jsd",
                "--scale",
                "similarity",
                "--min-raters",
                "3",
            ],
            "Error: min_raters",
        ),
        (["correlate", "{corpus}", "{corpus}"], "not JSON"),
        (["score", "{corpus}", "-m", "jsd", "--beta", "much"], "'--beta'"),
    ],
)
def test_bad_input_ends_with_status_2_and_says_what_is_wrong(arguments, message, corpus_file, ratings_file):
    names = {
        "corpus": corpus_file,
        "ratings": ratings_file,
        "missing": corpus_file.with_name("missing.jsonl"),
    }
    done = run(*[argument.format(**names) for argument in arguments])
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def score_files(corpus_file, ratings_file):
    """Human and automatic scores as files."""
    people, machine = corpus_file.with_name("human.json"), corpus_file.with_name("automatic.json")
    run("human", corpus_file, ratings_file, "-m", "rouge-l", "--scale", "similarity", "--out", people)
    run("score", corpus_file, "-m", "rouge-l", "-m", "jsd", "--out", machine)
    return people, machine


def test_resamples_add_intervals_and_p_values(score_files):
    plain = results("correlate", *score_files)
    sure = results("correlate", *score_files, "--resamples", 200, "--seed", 3, "--interval", "percentile")
    assert [{name: row[name] for name in plain[0]} for row in sure] == plain
    assert {row["ci_method"] for row in sure} == {"percentile"}
    assert {row["p_method"] for row in sure if row["p_value"]} == {"exact"}
    # Three systems can be ordered in six ways, so no p is below a sixth.
    assert min(row["p_value"] for row in sure if row["p_value"]) == pytest.approx(1 / 6)
    assert sure == results(
        "correlate", *score_files, "--resamples", 200, "--seed", 3, "--interval", "percentile"
    )


def test_measures_are_compared_pair_by_pair(score_files, corpus_file):
    records = results("compare", score_files[0], corpus_file, "-m", "rouge-l", "-m", "jsd", "-m", "bleu")
    permuted = [row for row in records if row["p_method"].startswith("permutation")]
    assert {row["p_method"] for row in records} == {"permutation of systems", "williams"}
    assert [(row["first"], row["second"]) for row in permuted] == [
        ("rouge-l", "jsd"),
        ("rouge-l", "bleu"),
        ("jsd", "bleu"),
    ]
    assert {(row["surrogate"], row["score"], row["coefficient"], row["n"]) for row in records} == {
        ("rouge-l", "perseval", "kendall", 3)
    }


def test_stability_has_a_record_for_each_share_and_each_system(corpus_file):
    records = results("stability", corpus_file, "-m", "jsd", "--samples", 2, "--score", "degress")
    assert [row["system"] for row in records if row["about"] == "system"] == list(SPREAD)
    assert sorted({row["share"] for row in records if row["about"] == "ranking"}) == [0.2, 0.4, 0.6, 0.8]


def test_in_mode_kdm_pairs_are_sampled(corpus_file):
    for mode, sampled in (("kdm", "pairs"), ("paper", "documents")):
        records = results("stability", corpus_file, "-m", "jsd", "--samples", 2, "--mode", mode)
        assert {row["sampled"] for row in records} == {sampled}
        assert len(records) == 2 * 4 + 3


def test_the_ablation_varies_beta(corpus_file, ratings_file):
    records = results(
        "ablate", corpus_file, ratings_file, "-m", "jsd", "--surrogate", "rouge-l", "--scale", "similarity"
    )
    assert {row["scope"] for row in records} == {"corpus"}
    betas = list(dict.fromkeys(row["beta"] for row in records))
    assert betas == [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0]
    assert len(records) == 3 * len(betas)


def test_rankings_are_put_together_and_set_against_each_other(score_files):
    records = results("aggregate", *score_files)
    assert {(row["measure"], row["accuracy"]) for row in records} == {
        (measure, accuracy) for measure in ("rouge-l", "jsd") for accuracy in ("rouge-l", "jsd")
    }
    assert {row["ranking"] for row in records} == {"perseval", "accuracy", "both"}
    found = results("paradox", score_files[1])
    assert [(row["measure"], row["coefficient"]) for row in found] == [
        (measure, coefficient) for measure in ("rouge-l", "jsd") for coefficient in ("spearman", "kendall")
    ]


def test_a_store_keeps_distances_and_can_be_emptied(corpus_file, tmp_path):
    store = tmp_path / "kept"
    plain = results("score", corpus_file, "-m", "jsd")
    assert results("score", corpus_file, "-m", "jsd", "--store", store) == plain
    assert results("score", corpus_file, "-m", "jsd", "--store", store) == plain
    assert [(record["parts"], record["damaged"]) for record in results("store", "info", store)] == [(1, 0)]
    cleaned = results("store", "clean", store, "--max-megabytes", 0, "--keep-hours", 0)
    assert [(record["removed"], record["kept"]) for record in cleaned] == [(1, 0)]


def test_exported_distances_score_as_the_texts_do(corpus_file, tmp_path):
    assert run("distances", "export", corpus_file, "-m", "bleu", "--out", tmp_path).returncode == 0
    scored = results("score", corpus_file, "-m", "bleu")
    imported = results("distances", "import", tmp_path / "bleu")
    names = ("system", "documents", "pairs", "accuracy", "degress", "perseval")
    assert [[r[n] for n in names] for r in imported] == [[r[n] for n in names] for r in scored]


def test_measures_lists_the_registry():
    listed = {record["id"]: record for record in results("measures")}
    assert {"rouge-l", "rouge-su4", "bleu", "jsd"} <= listed.keys()
    assert listed["rouge-l"]["symmetric"] is True
    assert "form=recall" in listed["rouge-l"]["symmetry"]
    assert (listed["bleu"]["symmetric"], listed["bleu"]["symmetry"]) == (False, "")


def test_help_names_every_command_with_what_it_does_on_one_line():
    lines = run("--help").stdout.split("Commands:\n")[1].splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [
        [name, entry.summary] for name, entry in COMMANDS.items()
    ]
    assert max(map(len, lines)) <= 80


def test_help_imports_nothing_that_counts():
    code = (
        "import sys\nfrom meta_eval.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n"
        "    print([name for name in ('numpy', 'scipy', 'nltk') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_options_of_commands_are_told_without_what_takes_longest_to_import():
    code = (
        "import sys\nfrom meta_eval.cli.commands import COMMANDS\n"
        "for name, entry in COMMANDS.items(): assert entry.load(name).name == name\n"
        "print([name for name in ('scipy.stats', 'scipy.optimize', 'nltk', 'altair') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_library_needs_neither_django_nor_torch():
    code = (
        "import sys\nfrom meta_eval.cli.commands import COMMANDS\n"
        "for name, entry in COMMANDS.items(): assert entry.load(name).name == name\n"
        "print([name for name in ('django', 'torch', 'celery') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
