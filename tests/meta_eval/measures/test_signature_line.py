"""A signature on one line says all that the signature says, but for versions, in a form that stays."""

import json
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.measures import Signature, make_measure, signature_line
from meta_eval.measures.base import default_options
from meta_eval.measures.registry import measure_class
from meta_eval.measures.signatures import read_signature

NAMES = {"prep": "preprocess", "tok": "tokenizer", "rev": "revision", "len": "max_length"}
ODD = ("1", "true", "null", '"a"', "a, b", "a,b", "a|v:1", "%2C")
TEXTS = st.one_of(st.text(max_size=8), st.sampled_from(ODD))
VALUES = st.one_of(TEXTS, st.integers(-3, 9), st.floats(allow_nan=False), st.booleans(), st.none())
MEASURES = ("rouge-l", "bleu", "meteor", "jsd-oov", "bertscore", "infolm")


def defaults_of(measure: str) -> dict:
    return default_options(measure_class(measure))


@st.composite
def signatures(draw):
    measure = draw(st.sampled_from(MEASURES))
    options = {name: draw(st.one_of(st.just(value), VALUES)) for name, value in defaults_of(measure).items()}
    maybe = st.one_of(st.none(), TEXTS)
    return Signature(
        measure=measure,
        options=options,
        preprocess=draw(TEXTS),
        tokenizer=draw(maybe),
        model=draw(maybe),
        revision=draw(maybe),
        max_length=draw(st.one_of(st.none(), st.integers(1, 600))),
        seed=draw(st.one_of(st.none(), st.integers(0, 9))),
    )


def read_value(text):
    value = ", ".join(map(unquote, text.split(",")))
    try:
        return json.loads(value)
    except ValueError:
        return value


def read_line(line: str) -> Signature:
    """The signature of a line: what shows that two signatures never share one."""
    measure, *parts = line.split("|")
    pairs = [part.partition(":")[::2] for part in parts]
    start = max(place for place, (name, _) in enumerate(pairs) if name == "prep")
    named = {NAMES.get(name, name): read_value(text) for name, text in pairs[start:] if name != "v"}
    changed = {name: read_value(text) for name, text in pairs[:start]}
    return Signature(measure, {**defaults_of(measure), **changed}, **named)


@given(signatures())
def test_a_line_leads_back_to_its_signature_so_that_no_two_share_one(signature):
    line = signature_line(signature)
    assert " " not in line
    assert read_line(line).text == signature.text
    assert read_signature(signature.as_dict()).text == signature.text


@pytest.mark.parametrize(
    ("measure", "line"),
    [
        (make_measure("rouge-l"), "rouge-l|prep:none|mode:paper|tok:rouge-score,porter|v:0.1.0"),
        (
            make_measure("rouge-l", form="recall"),
            "rouge-l|form:recall|prep:none|mode:paper|tok:rouge-score,porter|v:0.1.0",
        ),
        (make_measure("bleu"), r"bleu|prep:none|mode:paper|tok:lower,\w+|v:0.1.0"),
        (
            make_measure("bleu", n=4, smoothing="exp", preprocess="pens"),
            r"bleu|n:4|smoothing:exp|prep:pens|mode:paper|tok:lower,\w+|v:0.1.0",
        ),
        (make_measure("jsd", mode="kdm"), "jsd|prep:pens|mode:kdm|tok:white%20space|v:0.1.0"),
    ],
)
def test_the_line_of_a_measure_stays_as_it_is(measure, line):
    assert signature_line(measure.signature) == line


def test_the_line_of_a_model_names_it_with_revision_and_length():
    options = {**defaults_of("bertscore"), "layer": 9, "precision": "bfloat16"}
    signature = Signature(
        "bertscore",
        options,
        tokenizer="the model's",
        model="bert-base-uncased",
        revision="86b5e09",
        max_length=512,
        versions={"torch": "2.13.0"},
    )
    assert signature_line(signature) == (
        "bertscore|layer:9|precision:bfloat16|prep:none|mode:paper|tok:the%20model's|model:bert-base-uncased"
        "|rev:86b5e09|len:512|v:0.1.0"
    )


def test_distances_of_others_show_every_option():
    line = signature_line(Signature("their own", {"n": 1}))
    assert line == "their%20own|n:1|prep:none|mode:paper|v:0.1.0"
