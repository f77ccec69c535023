import json

import pytest

from meta_eval.distances.coverage import HINT, HINT_OF_CODE
from tests.meta_eval.chinese import chinese_lines, chinese_ratings
from tests.meta_eval.cli.running import results, run

SCORES = ("accuracy", "degress", "egises", "perseval", "p_acc")


@pytest.fixture
def chinese(tmp_path):
    """Writes the corpus, its texts as asked for."""

    def write(**asked):
        path = tmp_path / "chinese.jsonl"
        path.write_text(chinese_lines(**asked), encoding="utf-8")
        return path

    return write


def by_system(records, score):
    return {record["system"]: record[score] for record in records}


@pytest.mark.parametrize("measure", ["rouge-l", "rouge-su4", "bleu", "meteor", "jsd", "jsd-oov"])
@pytest.mark.parametrize("options", [(), ("--tokeniser", "char"), ("--tokeniser", "jieba")])
def test_a_copycat_is_above_a_fixed_text(chinese, measure, options):
    records = results("score", chinese(), "-m", measure, *options)
    for score in ("accuracy", "degress", "perseval"):
        found = by_system(records, score)
        assert found["copycat"] > found["every-second"] >= found["fixed"]
    assert by_system(records, "degress")["copycat"] == 1
    assert {record["signature"]["tokenizer"] for record in records} == {options[1] if options else "unicode"}


@pytest.mark.parametrize("digits", ["", "2024年"])
def test_rouge_with_english_words_has_no_score(chinese, digits):
    """A digit in each text must not hide that nothing else is seen."""
    done = run("score", chinese(digits=digits), "-m", "rouge-l", "-m", "jsd", "--tokeniser", "rouge-score")
    records = json.loads(done.stdout)
    assert done.returncode == 1
    assert [(record["system"], record["measure"]) for record in records] == [
        (system, measure) for measure in ("rouge-l", "jsd") for system in ("copycat", "every-second", "fixed")
    ]
    assert {record[score] for record in records for score in SCORES} == {None}
    dropped = records[0]["coverage"]["references"]["letters_dropped"]
    assert (dropped == 1) if not digits else (0.7 < dropped < 1)
    reason = (
        f"With its words (rouge-score) the measure drops {100 * dropped:.1f} % of the letters of the "
        f"references. {HINT}"
    )
    assert {record["reason"] for record in records} == {reason}
    assert f"not scored: measure rouge-l: {reason}\n" in done.stderr


def test_where_nobody_names_the_language_the_rest_is_scored(chinese):
    done = run("score", chinese(language=""), "-m", "jsd", "-m", "bleu:tokeniser=unicode")
    records = json.loads(done.stdout)
    assert done.returncode == 1
    assert [record["degress"] is None for record in records] == [True] * 3 + [False] * 3
    assert "does not cut 100.0 % of the letters of the references into words" in records[0]["reason"]


def test_the_released_code_is_repeated_and_the_warning_said(chinese):
    done = run("score", chinese(), "-m", "jsd", "--mode", "kdm", "--preprocess", "none")
    assert done.returncode == 0
    assert {record["reason"] for record in json.loads(done.stdout)} == {None}
    assert "warning: measure jsd (white space) does not cut 100.0 % of the letters" in done.stderr
    assert (HINT_OF_CODE in done.stderr, HINT in done.stderr) == (True, False)
    refused = run("score", chinese(), "-m", "jsd", "--mode", "kdm", "--tokeniser", "char")
    assert refused.returncode == 2
    assert "finds words as the released code does: leave out the tokeniser" in refused.stderr


def test_meteor_says_what_it_leaves_out(chinese):
    done = run("score", chinese(), "-m", "meteor")
    assert (
        "note: measure meteor: synonyms are left out, since WordNet is English; words are not stemmed\n"
        in done.stderr
    )
    assert json.loads(done.stdout)[0]["signature"]["options"]["synonyms"] == "none"


def test_people_are_scored_with_the_same_words(chinese, tmp_path):
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(chinese_ratings(), encoding="utf-8")
    corpus = chinese()
    asked = (corpus, ratings, "-m", "rouge-l", "--scale", "similarity")
    found = by_system(people := results("human", *asked), "degress_hj")
    assert found["copycat"] > found["every-second"] > found["fixed"]
    assert people[0]["signature"]["tokenizer"] == "unicode"
    refused = run("human", *asked, "--tokeniser", "rouge-score")
    assert refused.returncode == 2
    assert HINT in refused.stderr


def test_a_report_ranks_the_copycat_first_and_names_what_is_not_seen(chinese, tmp_path):
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(chinese_ratings(), encoding="utf-8")
    done = run(
        *("report", chinese(), ratings, "-m", "rouge-l:tokeniser=rouge-score", "-m", "jsd", "-m", "meteor"),
        *("--surrogate", "jsd", "--scale", "similarity", "--resamples", 1000, "--json"),
    )
    made = json.loads(done.stdout)
    assert done.returncode == 1
    assert [failure["measure"] for failure in made["failures"]] == ["rouge-l:tokeniser=rouge-score"]
    assert HINT in made["failures"][0]["reason"]
    assert HINT in done.stderr
    assert {row["signature"]["tokenizer"] for row in made["signatures"]} == {"unicode"}
    assert any(note.startswith("meteor: synonyms are left out") for note in made["notes"])
    for measure in ("jsd", "meteor"):
        rows = [row for row in made["leaderboard"] if (row["score"], row["measure"]) == ("degress", measure)]
        assert [row["system"] for row in sorted(rows, key=lambda row: row["rank"])] == [
            *("copycat", "every-second", "fixed")
        ]
    said = "rouge-l:tokeniser=rouge-score has no automatic scores. With its words (rouge-score) the "
    assert [one for one in made["answer"]["cautions"] if one.startswith(said) and one.endswith(HINT)]
