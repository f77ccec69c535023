"""Records of scores read again: what commands that take them refuse, and how they say it."""

import json

import pytest

from meta_eval.cli.records import read_records, scores_by
from meta_eval.errors import InputError

GOOD = {"system": "S", "measure": "jsd", "degress": 0.5, "perseval": None, "accuracy": -3.0, "beta": 1.7}


@pytest.fixture
def written(tmp_path):
    def write(content: object) -> object:
        path = tmp_path / "scores.json"
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


def refusal(path: object, *scores: str) -> str:
    with pytest.raises(InputError) as caught:
        read_records(path, "measure", *scores)
    (fault,) = caught.value.faults
    assert fault.file == str(path)
    return fault.message


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_records_come_back_with_or_without_a_byte_order_mark(written, mark):
    rows = [GOOD, {**GOOD, "system": "T"}]
    records = read_records(written(mark + json.dumps(rows).encode()), "measure", "degress")
    assert records == rows
    assert scores_by(records, "measure", "degress") == {"jsd": {"S": 0.5, "T": 0.5}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"degress": "high"}, "degress must be a number from 0 to 1, or null"),
        ({"degress": {}}, "degress must be a number from 0 to 1, or null"),
        ({"perseval": 10**400}, "perseval must be a number from 0 to 1, or null"),
        ({"perseval": float("nan")}, "perseval must be a number from 0 to 1, or null"),
        ({"degress": True}, "degress must be a number from 0 to 1, or null"),
        ({"accuracy": 10**400}, "accuracy must be a finite number, or null"),
        ({"system": ["S"]}, "system must be a text, not a list"),
        ({"system": 3}, "system must be a text, not a number"),
        ({"system": "S\ud800"}, "system holds half a surrogate pair, which is no character"),
        ({"measure": None}, "measure must be a text, not null"),
        ({"beta": float("inf")}, "beta must be a finite number"),
        ({"normalise": []}, "normalise must be one of document, none"),
        ({"scale": "up"}, "scale must be one of similarity, dissimilarity"),
        ({"min_raters": 0}, "min_raters must be a whole number above 0"),
        ({"raters_per_pair": True}, "raters_per_pair must be a whole number above 0"),
        ({"include_self": 1}, 'include_self must be true, false or "softmax"'),
        ({"signature": "jsd"}, "signature must be an object, not a text"),
        (
            {"signature": {"measure": "jsd", "options": [1]}},
            "signature has options that must be an object, not a list",
        ),
    ],
)
def test_a_value_of_another_form_is_named_with_its_record(written, change, message):
    rows = [GOOD, {**GOOD, "system": "T", **change}]
    assert refusal(written(rows), "degress") == f"record 2: {message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not JSON: it is empty (character 1)"),
        ("[" * 100_000, "not JSON: lists and objects stand in each other too deeply to be read"),
        (b"\xff\xfe[\0]\0", "not JSON: 'utf-8' codec can't decode"),
        ("{}", "must hold a JSON list of records"),
        ("[]", "must hold a JSON list of records"),
        ("[1]", "record 1: must be an object, not a number"),
        ([GOOD, GOOD], "record 2: system 'S' stands twice under measure 'jsd'; keep one set"),
        (
            [{"system": "S", "surrogate": "jsd"}],
            "record 1: lacks measure, degress; what is wanted is the result of `score`",
        ),
    ],
)
def test_a_file_that_holds_no_records_says_so_in_one_line(written, content, message):
    assert refusal(written(content), "degress").startswith(message)


def test_a_file_that_is_not_there_says_so(tmp_path):
    assert refusal(tmp_path / "no.json") == "cannot be read: No such file or directory"
    assert refusal(tmp_path) == "cannot be read: Is a directory"
