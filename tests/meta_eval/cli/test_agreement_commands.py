"""`correlate` and `compare` on the demo corpus with made-up ratings."""

import json
from math import exp

import pytest

from meta_eval.cli import main
from meta_eval.report.limits import difference_limits
from meta_eval.stats.table.resampled import Resampled
from tests.meta_eval.cli.agreement_study import CORPUS, call, write_study

OTHERS = ("documents", "documents and systems", "raters", "raters within documents")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("agreement"))


@pytest.fixture
def results(capsys):
    def run(*arguments: object) -> list[dict]:
        capsys.readouterr()
        call(*arguments)
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def refusal(capsys):
    def run(*arguments: object) -> str:
        with pytest.raises(SystemExit) as error:
            main([str(argument) for argument in arguments])
        assert error.value.code == 2
        return " ".join(capsys.readouterr().err.split())

    return run


def test_what_is_resampled_is_said_in_every_record(study, results):
    plain = results("correlate", study["human"], study["automatic"])
    options = ["--resamples", 60, "--interval", "percentile"]
    sure = results("correlate", study["human"], study["automatic"], *options)
    assert {row["ci_over"] for row in sure} == {"systems"}
    assert len(sure) == len(plain)
    for row, known in zip(sure, plain, strict=True):
        place = ("human", "surrogate", "automatic", "measure", "coefficient", "n")
        assert [row[name] for name in place] == [known[name] for name in place]
        assert row["estimate"] == pytest.approx(known["estimate"], abs=1e-9)
    assert any(row["ci_low"] is not None for row in sure)
    assert sure == results("correlate", study["human"], study["automatic"], *options)


def test_over_other_systems_each_coefficient_has_the_interval_that_holds_best(study, results):
    rows = results("correlate", study["human"], study["automatic"], "--resamples", 50)
    assert {(row["coefficient"], row["ci_method"], row["ci_over"]) for row in rows} == {
        ("pearson", "fisher", "systems"),
        ("spearman", "fisher", "systems"),
        ("kendall", "esscher", "systems"),
    }


def test_coefficients_may_be_chosen(study, results):
    asked = ["--coefficient", "kendall-c", "--coefficient", "pairwise-accuracy"]
    plain = results("correlate", study["human"], study["automatic"], *asked)
    sure = results("correlate", study["human"], study["automatic"], *asked, "--resamples", 50)
    assert [row["coefficient"] for row in plain[:2]] == ["kendall-c", "pairwise-accuracy"]
    assert {row["coefficient"] for row in sure} == {"kendall-c", "pairwise-accuracy"}
    assert all(row["p_value"] is not None for row in sure)


def test_families_have_rows_of_their_own(study, results):
    systems = study["systems"]
    options = ["--family", f"first={','.join(systems[:4])}", "--family", f"pair={','.join(systems[4:6])}"]
    options += ["--resamples", 50]
    rows = results("correlate", study["human"], study["automatic"], *options)
    counts = {}
    for row in rows:
        counts.setdefault(row["family"], set()).add(row["n"])
    assert counts == {None: {10}, "first": {4}, "pair": {2}, "other systems": {4}}
    assert {(row["estimate"], row["reason"]) for row in rows if row["family"] == "pair"} == {
        (None, "2 systems of this family, at least 3 are needed")
    }
    assert len({tuple(row) for row in rows}) == 1


def test_over_all_systems_stands_what_the_families_give_by_themselves(study, results):
    files = ("correlate", study["human"], study["automatic"])
    options = ["--family", f"first={','.join(study['systems'][:5])}"]
    rows = results(*files, *options, "--resamples", 50)
    pooled = [row for row in rows if row["family"] is None]
    assert {row["p_within_method"] for row in pooled} == {"exact"}
    assert {row["within"] for row in rows if row["family"] is not None} == {None}
    plain = [row for row in results(*files, *options) if row["family"] is None]
    names = ("within", "families_mean", "p_within")
    assert [[row[name] for name in names] for row in plain] == [
        [row[name] for name in names] for row in pooled
    ]
    assert {row["families_explain"] for row in plain} == {None}  # without p there is nothing to explain
    without = results(*files, "--resamples", 50)
    assert [{name: row[name] for name in without[0]} for row in pooled] == without


def test_a_family_of_nobody_is_refused(study, refusal):
    files = ("correlate", study["human"], study["automatic"])
    assert "family 'x' names 'nobody'" in refusal(*files, "--family", "x=nobody")


PLAIN = {"normalise": "document", "alpha": 3.0, "beta": 1.7, "gamma": 4.0, "include_self": False}


def test_what_comes_of_scores_says_how_these_were_made(study, results):
    files = study["human"], study["automatic"]
    rated = ["--surrogate", "jsd", "--scale", "similarity"]
    found = {
        "correlate": results("correlate", *files),
        "resampled": results("correlate", *files, "--resamples", 40),
        "compare": results("compare", study["human"], CORPUS, "-m", "rouge-l", "-m", "jsd"),
        "aggregate": results("aggregate", *files),
        "paradox": results("paradox", study["automatic"]),
        "stability": results("stability", CORPUS, "-m", "jsd", "--samples", 2, "--normalise", "none"),
        "ablate": results("ablate", CORPUS, study["ratings"], "-m", "jsd", *rated, "--normalise", "none"),
    }
    said = {
        name: [{key: row[key] for key in (*PLAIN, "scale") if key in row} for row in rows]
        for name, rows in found.items()
    }
    alone, rated = PLAIN, {**PLAIN, "scale": "similarity"}
    for name in ("correlate", "resampled", "compare", "aggregate"):
        assert said[name] == [rated] * len(found[name])
    assert said["paradox"] == [alone] * len(found["paradox"])
    assert {row["normalise"] for row in said["stability"]} == {"none"}
    assert {(row["normalise"], row["scale"]) for row in said["ablate"]} == {("none", "similarity")}


def test_whom_the_penalty_compares_is_said_of_all_that_rests_on_ratings(study, results, refusal):
    rated = ["--surrogate", "jsd", "--scale", "similarity"]
    asked = ["human", CORPUS, study["ratings"], *rated]
    made = {
        readers: results(*asked, *options)
        for readers, options in (
            ("document", ()),
            ("rated", ("--edp-readers", "rated")),
            ("first", ("--mode", "kdm")),
        )
    }
    for readers, rows in made.items():
        assert {row["edp_readers"] for row in rows} == {readers}
    assert [row["degress_hj"] for row in made["document"]] == [row["degress_hj"] for row in made["rated"]]
    assert [row["perseval_hj"] for row in made["document"]] != [row["perseval_hj"] for row in made["rated"]]
    ablated = results("ablate", CORPUS, study["ratings"], "-m", "jsd", *rated, "--edp-readers", "rated")
    assert {row["edp_readers"] for row in ablated} == {"rated"}
    correlated = results("correlate", study["human"], study["automatic"])
    assert {row["edp_readers"] for row in correlated} == {"document"}


def test_the_released_code_ranks_accuracy_from_the_worst(study, results):
    files = study["human"], study["automatic"]
    found = {mode: results("aggregate", *files, "--mode", mode) for mode in ("paper", "kdm")}
    said = {mode: {row["accuracy_ranked"] for row in rows} for mode, rows in found.items()}
    assert said == {"paper": {"from the best"}, "kdm": {"from the worst"}}
    pairs = list(zip(found["paper"], found["kdm"], strict=True))
    for ours, theirs in pairs:
        sign = -1 if ours["ranking"] == "accuracy" else 1
        if ours["ranking"] != "both":
            assert theirs["estimate"] == pytest.approx(sign * ours["estimate"])
    assert any(ours["estimate"] != theirs["estimate"] for ours, theirs in pairs if ours["ranking"] == "both")


def test_records_say_what_both_sides_share_and_why_there_is_no_p_of_raters(study, capsys):
    def shared(*arguments, named):
        call(*arguments)
        said = capsys.readouterr()
        rows = json.loads(said.out)
        assert said.err.count("note: there is no p_raters: ") == 1
        count = sum(row["shared"] is not None for row in rows)
        assert f"; {count} of {len(rows)} coefficients share an input on both sides" in said.err
        return {(tuple(row[name] for name in named), row["shared"]) for row in rows}

    capsys.readouterr()
    files = study["human"], study["automatic"]
    assert shared("correlate", *files, named=("automatic", "measure")) == {
        (("degress", "rouge-l"), "distances"),
        (("egises", "rouge-l"), "distances"),
        (("perseval", "rouge-l"), "penalty and distances"),
        (("degress", "jsd"), None),
        (("egises", "jsd"), None),
        (("perseval", "jsd"), "penalty"),
        (("accuracy", "rouge-l"), "distances"),
        (("accuracy", "jsd"), None),
    }
    ranked = shared("aggregate", *files, named=("measure", "accuracy", "ranking"))
    assert {one for one in ranked if one[0][0] == "jsd"} == {
        (("jsd", "rouge-l", "perseval"), "penalty"),
        (("jsd", "rouge-l", "accuracy"), "distances"),
        (("jsd", "rouge-l", "both"), "penalty and distances"),
        (("jsd", "jsd", "perseval"), "penalty"),
        (("jsd", "jsd", "accuracy"), None),
        (("jsd", "jsd", "both"), "penalty"),
    }
    rated = ["--surrogate", "rouge-l", "--scale", "similarity", "--normalise", "none"]
    asked = ["ablate", CORPUS, study["ratings"], "-m", "jsd", "-m", "rouge-l", *rated]
    assert shared(*asked, named=("measure",)) == {
        (("jsd",), "penalty"),
        (("rouge-l",), "penalty and distances"),
    }


def test_documents_may_be_drawn_with_replacement(results, refusal):
    asked = ["stability", CORPUS, "-m", "jsd", "--samples", 3]
    found = {bool(more): results(*asked, *more) for more in ((), ("--replace",))}
    for replaced, rows in found.items():
        assert {row["replacement"] for row in rows} == {replaced}
        ranked = [row for row in rows if row["about"] == "ranking" and row["coefficient"] == "kendall"]
        assert {row["epsilon_overall"] for row in ranked} == {max(row["maximum"] for row in ranked)}
    assert found[True] != found[False]
    assert "leave out --replace" in refusal(*asked, "--mode", "kdm", "--replace")


def test_accuracy_with_a_penalty_needs_no_ratings(results):
    usual = results("score", CORPUS, "-m", "jsd")
    other = results("score", CORPUS, "-m", "jsd", "--p-acc-alpha", 0.25, "--p-acc-beta", 0.5)
    for row, changed in zip(usual, other, strict=True):
        assert row["p_acc"] == pytest.approx(row["accuracy"] - 0.5 / (1 + exp(-row["egises"])))
        assert changed["p_acc"] == pytest.approx(row["accuracy"] - 0.25 / (1 + exp(-0.5 * row["egises"])))
        assert (changed["p_acc_alpha"], changed["p_acc_beta"]) == (0.25, 0.5)
    assert {row["perseval"] for row in usual} == {row["perseval"] for row in other}


def test_every_shape_of_the_penalty_can_be_chosen(study, results):
    rated = ["--surrogate", "jsd", "--scale", "similarity"]
    for asked in (["score", CORPUS, "-m", "jsd"], ["human", CORPUS, study["ratings"], *rated]):
        score = "perseval" if asked[0] == "score" else "perseval_hj"
        usual = results(*asked)
        for name, value in (("alpha", 1.0), ("gamma", 1.0)):
            changed = results(*asked, f"--{name}", value)
            assert {row[name] for row in changed} == {value}
            assert [row[score] for row in changed] != [row[score] for row in usual]
    ablated = results("ablate", CORPUS, study["ratings"], "-m", "jsd", *rated, "--alpha", 1)
    assert {row["alpha"] for row in ablated} == {1.0}
    assert ablated != results("ablate", CORPUS, study["ratings"], "-m", "jsd", *rated)


def test_the_ablation_at_the_usual_beta_is_the_correlation_over_the_same_scope(study, results):
    def numbers(rows):
        return {(row["coefficient"], row["n"]): row["estimate"] for row in rows}

    rated = ["--surrogate", "rouge-l", "--scale", "similarity"]
    ablated = results("ablate", CORPUS, study["ratings"], "-m", "jsd", *rated)
    plain = results("correlate", study["human"], study["automatic"])
    headline = [row for row in plain if (row["automatic"], row["measure"]) == ("perseval", "jsd")]
    assert {row["scope"] for row in ablated} == {"corpus"}
    assert numbers(row for row in ablated if row["beta"] == 1.7) == pytest.approx(numbers(headline))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"normalise": "none"}, "normalise is document in human scores, none in automatic scores"),
        ({"beta": 2.0}, "beta is 1.7 in human scores, 2.0 in automatic scores"),
        ({"include_self": True}, "include_self is False in human scores, True in automatic scores"),
    ],
)
def test_scores_made_differently_are_not_set_against_each_other(study, refusal, tmp_path, change, words):
    for side in ("human", "automatic"):
        records = json.loads(study[side].read_text(encoding="utf-8"))
        other = json.dumps([record | change for record in records])
        (tmp_path / f"{side}.json").write_text(other, encoding="utf-8")
    for command in ("correlate", "aggregate"):
        assert words in refusal(command, study["human"], tmp_path / "automatic.json")
    ((name, value),) = change.items()
    message = refusal("compare", tmp_path / "human.json", CORPUS, "-m", "rouge-l", "-m", "jsd")
    assert f"{name} is {value} in human scores, {PLAIN[name]} in this command: make all of these" in message


@pytest.mark.parametrize("resampled", ["systems", *OTHERS])
def test_measures_are_compared_by_the_tests_asked_for(study, results, resampled):
    options = ["--test", "bootstrap", "--test", "permutation", "--swap", "both", "--permutations", 199]
    options += ["--resamples", 80, "--resampled", resampled, "--ratings", study["ratings"]]
    rows = results("compare", study["human"], CORPUS, "-m", "rouge-l", "-m", "jsd", *options)
    assert [(row["p_method"], row["ci_over"]) for row in rows] == [
        ("bootstrap", resampled),
        ("permutation of both", None),
    ]
    assert rows[0]["difference"] == pytest.approx(rows[1]["difference"], abs=1e-9)
    assert rows[0]["ci_low"] < rows[0]["ci_high"]
    limits = " ".join(difference_limits(rows[0]["ci_method"], "kendall", resampled))
    assert [row["ci_limits"] for row in rows] == [limits, None]


def test_what_intervals_of_differences_do_not_hold_is_said_on_standard_error(study, capsys):
    options = ["--test", "bootstrap", "--resamples", 40, "--resampled", "documents", "--ratings"]
    given = ["compare", study["human"], CORPUS, "-m", "rouge-l", "-m", "jsd", *options, study["ratings"]]
    call(*given)
    assert capsys.readouterr().err.count("note: Resamples of documents alone are about these systems") == 1


def test_the_bootstrap_over_documents_needs_the_ratings(study, refusal):
    options = ["--test", "bootstrap", "--resampled", "documents"]
    message = refusal("compare", study["human"], CORPUS, "-m", "rouge-l", "-m", "jsd", *options)
    assert "give --ratings, or --resampled systems" in message


def test_scores_of_other_ratings_are_found_out(study, refusal, tmp_path):
    lines = study["ratings"].read_text(encoding="utf-8").splitlines()
    changed = [line[:-1] + ("6" if line[-1] != "6" else "1") for line in lines[1:]]
    (tmp_path / "other.csv").write_text("\n".join([lines[0], *changed]) + "\n", encoding="utf-8")
    given = ["--test", "bootstrap", "--resampled", "documents", "--ratings", tmp_path / "other.csv"]
    message = refusal("compare", study["human"], CORPUS, "-m", "rouge-l", "-m", "jsd", *given)
    assert "of this corpus and these ratings: give those that the file was made from" in message


def test_every_choice_of_the_library_is_compared():
    assert {"systems", *OTHERS} == set(Resampled.__args__)


@pytest.fixture
def neural_study(study, tmp_path):
    """Human scores by a model in a folder, with frequencies and a baseline, of the rated documents."""
    neural_models = pytest.importorskip("tests.meta_eval.neural_models", reason="torch is not installed")
    model = neural_models.save_bert(tmp_path / "bert")
    spec = f"bertscore:model={model},layer=2,idf=true,baseline=0.3,max_length=64"
    corpus, human = tmp_path / "corpus.jsonl", tmp_path / "human.json"
    corpus.write_text("".join(CORPUS.read_text(encoding="utf-8").splitlines(keepends=True)[:12]), "utf-8")
    scale = ["--scale", "similarity", "--out", human]
    call("human", corpus, study["ratings"], "--surrogate", spec, *scale)
    given = ("--ratings", study["ratings"], "--resamples", 40, "--resampled", "documents")
    return ("compare", human, corpus, "-m", "rouge-l", "-m", "jsd", "--test", "bootstrap", *given), model


def test_scores_by_a_model_are_computed_again_as_they_were(neural_study, results):
    arguments, _ = neural_study
    assert {row["ci_over"] for row in results(*arguments)} == {"documents"}


def test_a_model_that_has_changed_since_is_found_out(neural_study, refusal):
    arguments, model = neural_study
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    (model / "config.json").write_text(json.dumps({**config, "note": "another"}), encoding="utf-8")
    assert "bertscore is not here what it was when the file was made; it differs in revision" in refusal(
        *arguments
    )
