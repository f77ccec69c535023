import pytest

from meta_eval.measures import make_measure
from meta_eval.measures.signatures import signature_problem


@pytest.mark.parametrize(
    "signature",
    [
        make_measure("bleu", n=2).signature.as_dict(),
        make_measure("meteor", mode="kdm").signature.as_dict(),
        {"measure": "bertscore", "model": None, "max_length": 512, "options": {"idf": False, "x": None}},
    ],
)
def test_what_a_measure_writes_is_a_signature(signature):
    assert signature_problem(signature) is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"measure": None}, "must name its measure: that must be a text, not null"),
        ({"measure": ["bleu"]}, "must name its measure: that must be a text, not a list"),
        ({"mode": ["paper"]}, "has a mode that must be a text, not a list"),
        ({"model": 3}, "has a model that must be a text, not a number"),
        ({"revision": "a\ud800"}, "has a revision that holds half a surrogate pair, which is no character"),
        ({"max_length": "512"}, "has a max_length that must be a whole number, not a text"),
        ({"seed": True}, "has a seed that must be a whole number, not true or false"),
        ({"options": [1]}, "has options that must be an object, not a list"),
        (
            {"options": {"n": [1]}},
            "has options that must be texts, finite numbers, true or false: 'n' is not",
        ),
        (
            {"options": {"n": 10**400}},
            "has options that must be texts, finite numbers, true or false: 'n' is not",
        ),
        (
            {"versions": {"\ud800": "1"}},
            "has versions that must be texts, finite numbers, true or false: '\\ud800' is not",
        ),
    ],
)
def test_what_is_none_is_said(change, problem):
    assert signature_problem({"measure": "bleu", "mode": "paper", **change}) == problem


def test_a_text_is_no_signature():
    assert signature_problem("bleu") == "must be an object, not a text"
