"""Released ratings become what the indirect method reads; those in `released` are made up, in their form."""

import json
import shutil
from pathlib import Path

import pytest

from meta_eval.cli import main
from meta_eval.errors import InputError
from meta_eval.studies.indirect import prepare_study, read_feedback, read_rated_summaries

RELEASED = Path(__file__).parent / "released"
LADDER, TRAM, BRIDGE = "t3_shed1", "t3_tram2", "5f1e2a"


def line(**change):
    record = {
        "info": {"id": "t3_x", "title": "Rain", "post": "It rained.", "subreddit": "rain"},
        "summary": {"text": " Rain.", "policy": "ref", "note": None, "axes": {"overall": 7, "accuracy": 6}},
        "worker": "wA",
        "batch": "tldraxis1",
        "split": "valid2",
    }
    return {name: value for name, value in (record | change).items() if value is not ...}


def summary(**change):
    return line()["summary"] | change


@pytest.fixture
def folder(tmp_path):
    """A folder of ratings that are made to be wrong, one file by name and lines."""

    def write(*lines, name="tldraxis1.json"):
        (tmp_path / "axis_evals").mkdir(exist_ok=True)
        text = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines)
        (tmp_path / "axis_evals" / name).write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_documents_policies_and_ratings_are_taken_from_the_released_lines():
    found = read_feedback(RELEASED)
    assert [record["doc_id"] for record in found.records] == [BRIDGE, LADDER, TRAM]  # files by name
    ladder = found.records[1]
    assert ladder["doc_summ"] == "How do I stop lending my ladder?"
    assert ladder["doc_text"].startswith("My neighbour keeps borrowing my ladder")
    assert list(ladder["systems"]) == ["ref", "sup4", "sup4_ppo"]
    assert ladder["systems"]["ref"] == "Neighbour ruins my ladder; how do I say no?"
    assert {(row["annotator"], row["system"]): row["overall"] for row in ladder["ratings"]} == {
        ("wA", "ref"): 7,
        ("wA", "sup4"): 4,
        ("wA", "sup4_ppo"): 7,
        ("wB", "ref"): 5,
        ("wB", "sup4"): 3,
        ("wB", "sup4_ppo"): 7,
        ("wC", "ref"): 7,
        ("wC", "sup4"): 7,
        ("wC", "sup4_ppo"): 2,
    }
    assert set(ladder["ratings"][0]) == {
        "annotator",
        "system",
        "overall",
        "accuracy",
        "coverage",
        "coherence",
    }
    assert found.counts == {
        "documents": 3,
        "tldr": 2,
        "cnndm": 1,
        "policies": 4,
        "annotators": 5,
        "ratings": 18,
        "other_texts": 1,
        "repeated": 1,
        "unrated": 1,
    }


def test_a_summary_rated_twice_by_one_worker_has_the_mean_and_an_unrated_one_null():
    (bridge,) = read_feedback(RELEASED, dataset="cnndm").records
    assert bridge["doc_text"].startswith("The harbour bridge opened on Monday")
    marks = {(row["annotator"], row["system"]): row for row in bridge["ratings"]}
    assert (marks["wD", "ref"]["overall"], marks["wD", "ref"]["coverage"]) == (6.5, 4.5)
    assert (marks["wE", "pretrain"]["overall"], marks["wE", "pretrain"]["accuracy"]) == (None, 6)


def test_of_several_texts_of_a_policy_the_most_rated_counts(folder):
    texts = [" first", " second", "second "]
    place = folder(
        *(line(summary=summary(text=text), worker=f"w{number}") for number, text in enumerate(texts)),
        *(line(summary=summary(text=text, policy="sup4"), worker=text) for text in ("one", "two")),
    )
    found = read_feedback(place)
    (record,) = found.records
    assert record["systems"] == {"ref": "second", "sup4": "one"}
    assert [(row["annotator"], row["system"]) for row in record["ratings"]] == [
        ("w1", "ref"),
        ("w2", "ref"),
        ("one", "sup4"),
    ]
    assert found.counts["other_texts"] == 2


@pytest.mark.parametrize(
    ("asked", "documents"),
    [
        ({"dataset": "tldr"}, [LADDER, TRAM]),
        ({"dataset": "cnndm"}, [BRIDGE]),
        ({"splits": ["valid2"]}, [LADDER]),
        ({"splits": ["valid1", "test"]}, [BRIDGE, TRAM]),
        ({"dataset": "tldr", "splits": ["valid1"]}, [TRAM]),
    ],
)
def test_a_dataset_or_split_is_taken_alone(asked, documents):
    assert [record["doc_id"] for record in read_feedback(RELEASED, **asked).records] == documents


def test_the_folder_of_ratings_itself_will_do():
    assert read_feedback(RELEASED / "axis_evals") == read_feedback(RELEASED)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("{", "not JSON"),
        ([], "a rating must be a JSON object, not a list"),
        (line(info=...), "field 'info' must be an object, not null"),
        (line(info={"id": "", "post": "a"}), "field 'id' of info must be a non-empty text"),
        (
            line(info={"id": "a", "title": 3, "post": "a"}),
            "field 'title' of info must be a text, not a number",
        ),
        (line(info={"id": "a"}), "info must have either post or article"),
        (line(info={"id": "a", "post": "a", "article": "a"}), "info must have either post or article"),
        (line(summary=summary(text=None)), "field 'text' of summary must be a text, not null"),
        (line(summary=summary(policy=" ")), "field 'policy' of summary is empty"),
        (line(summary=summary(policy="user")), "field 'policy' of summary is 'user', which names gold"),
        (line(summary=summary(axes=None)), "field 'axes' of summary must be an object, not null"),
        (line(summary=summary(axes={"overall": 8})), "overall is 8, not a number from 1 to 7"),
        (line(summary=summary(axes={"coverage": True})), "coverage is True, not a number from 1 to 7"),
        (line(worker=None), "field 'worker' must be a non-empty text or a whole number"),
        (
            line(info={"id": "t3_x", "post": "It was dry."}),
            "document 't3_x' has another post here than before",
        ),
        ({"summaries": [], "choice": 0}, "is a comparison of two summaries, which is no rating"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_line(folder, wrong, message):
    with pytest.raises(InputError) as caught:
        read_feedback(folder(line(), "", wrong))
    (fault,) = caught.value.faults
    assert (fault.file, fault.line) == ("axis_evals/tldraxis1.json", 3)
    assert fault.message.startswith(message)


def test_every_fault_of_every_file_is_found(folder):
    folder("{", line(), "{")
    with pytest.raises(InputError) as caught:
        read_feedback(folder(line(worker=None), name="cnndm1.json"))
    assert [(fault.file, fault.line) for fault in caught.value.faults] == [
        ("axis_evals/cnndm1.json", 1),
        ("axis_evals/tldraxis1.json", 1),
        ("axis_evals/tldraxis1.json", 3),
    ]


def test_a_folder_without_ratings_is_refused_and_says_what_is_needed(tmp_path, folder):
    shutil.copytree(RELEASED / "comparisons", tmp_path / "comparisons")
    with pytest.raises(InputError, match="holds comparisons alone: the indirect method needs ratings, which"):
        read_feedback(tmp_path)
    with pytest.raises(InputError, match=r"has no \.json files"):
        read_feedback(RELEASED.parent)
    with pytest.raises(InputError, match="is no folder: name the one"):
        read_feedback(RELEASED / "axis_evals" / "cnndm1.json")
    with pytest.raises(InputError, match="is a comparison of two summaries"):
        read_feedback(tmp_path / "comparisons")
    with pytest.raises(InputError, match="no ratings of that kind; splits there are: valid2"):
        read_feedback(folder(line()), splits=["test"])


def run(*arguments) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(map(str, arguments)))
    return left.value.code


def test_the_command_writes_what_the_study_reads(tmp_path, capsys):
    out = tmp_path / "rated.jsonl"
    assert run("import-feedback", RELEASED, "--dataset", "tldr", "--out", out) == 0
    said = capsys.readouterr().err
    assert "2 documents, 2 tldr, 0 cnndm, 3 policies, 3 annotators, 13 ratings" in said
    assert "note: 1 ratings are of another text than the most rated" in said
    documents = read_rated_summaries(out)
    study = prepare_study(documents)
    ladder = study.corpus.documents[0]
    assert ladder.references == {
        "wA": " ".join(documents[0].summaries[policy] for policy in ("ref", "sup4_ppo")),
        "wB": documents[0].summaries["sup4_ppo"],
        "wC": " ".join(documents[0].summaries[policy] for policy in ("ref", "sup4")),
    }
    assert study.counts["cases_used"] == 5
    assert run("indirect", out, "-m", "rouge-l", "--surrogate", "rouge-l", "--rating", "accuracy") == 2
    assert "no document has two annotators with gold" in capsys.readouterr().err
    assert run("indirect", out, "-m", "rouge-l", "--surrogate", "rouge-l") == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["system"] for row in found["human"]] == ["ref", "sup4", "sup4_ppo"]


def test_bad_data_ends_the_command_with_status_2_and_no_file(folder, capsys, tmp_path):
    out = tmp_path / "rated.jsonl"
    assert run("import-feedback", folder("{"), "--out", out) == 2
    assert "axis_evals/tldraxis1.json:1: not JSON" in capsys.readouterr().err
    assert not out.exists()
