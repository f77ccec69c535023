"""Rated summaries: how they are read, and their faults with their place."""

import io
import json

import pytest

from meta_eval.errors import InputError
from meta_eval.studies.indirect import (
    RatedDocument,
    read_rated_summaries,
)


def jsonl(**changes):
    record = {
        "doc_id": 1,
        "doc_text": "Text.",
        "systems": {"P": "storm"},
        "ratings": [{"annotator": 3, "system": "P", "overall": 7, "coverage": None}],
    }
    return json.dumps({**record, **changes}).encode() + b"\n"


def read(data, **options):
    return read_rated_summaries(io.BytesIO(data), name="r.jsonl", **options)


def test_rated_summaries_are_read():
    assert read(jsonl(question="Why?")) == [
        RatedDocument("1", "Why?", "Text.", {"P": "storm"}, {"3": {"P": 7.0}})
    ]
    assert read(jsonl(), rating="coverage")[0].ratings == {}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "r.jsonl:1: not JSON"),
        (b"[]\n", "r.jsonl:1: a document must be a JSON object"),
        (b"\n", "r.jsonl: holds no documents"),
        (b"[" * 100_000, "r.jsonl:1: not JSON: lists and objects stand in each other too deeply"),
        (b"{}\n", "r.jsonl:1: field 'doc_id' is missing"),
        (jsonl(ratings={}), "r.jsonl:1: field 'ratings' must be a list, not an object"),
        (jsonl(doc_id=True), "field 'doc_id' must be a non-empty text or a whole number"),
        (jsonl(doc_id=""), "field 'doc_id' must be a non-empty text or a whole number"),
        (jsonl(doc_text=[]), "field 'doc_text' must be a text, not a list"),
        (jsonl(question=["why"]), "field 'question' must be a text, not a list"),
        (jsonl(doc_summ=1), "field 'doc_summ' must be a text, not a number"),
        (jsonl() * 2, "r.jsonl:2: doc_id 1 was already used"),
        (jsonl(systems=["P"]), "field 'systems' must be an object, not a list"),
        (jsonl(systems={"P": None}), "field 'systems' has a summary by 'P' that must be a text, not null"),
        (jsonl(systems={"P\ud800": "x"}), "names a policy 'P\\ud800': the name holds half a surrogate pair"),
        (jsonl(systems={"P": "x", "user": "y"}), "names a policy 'user', which names gold references"),
        (
            jsonl(ratings=[{"annotator": 1, "system": ["P"], "overall": 1}]),
            "rating 1: there is no summary of system ['P']",
        ),
        (
            jsonl(ratings=[{"annotator": [1], "system": "P", "overall": 1}]),
            "rating 1: annotator must be a non-empty text or a whole number",
        ),
        (
            jsonl(ratings=[{"annotator": 1, "system": "P", "overall": 10**400}]),
            "rating 1: overall is 1000",
        ),
        (jsonl(ratings=[{"system": "P"}]), "rating 1: must be an object with annotator and system"),
        (
            jsonl(ratings=[{"annotator": 1, "system": "Q", "overall": 1}]),
            "rating 1: there is no summary of system 'Q'",
        ),
        (
            jsonl(ratings=[{"annotator": 1, "system": "P", "other": 1}]),
            "rating 1: has no field 'overall'; name the field to take (it has annotator, system, other)",
        ),
        (
            jsonl(ratings=[{"annotator": 1, "system": "P", "overall": 1}] * 2),
            "rating 2: annotator '1' rated the summary of 'P' before",
        ),
        (
            jsonl(ratings=[{"annotator": 1, "system": "P", "overall": 8}]),
            "rating 1: overall is 8, not a number from 1 to 7",
        ),
        (
            jsonl(ratings=[{"annotator": 1, "system": "P", "overall": True}]),
            "rating 1: overall is True, not a number from 1 to 7",
        ),
    ],
)
def test_faults_of_rated_summaries_are_named_with_their_place(data, message):
    with pytest.raises(InputError) as caught:
        read(data)
    assert message in str(caught.value)
