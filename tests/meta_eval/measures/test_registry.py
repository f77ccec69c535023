import subprocess
import sys
from pathlib import Path

import pytest

from meta_eval.errors import MeasureError
from meta_eval.measures import available_measures, make_measure, measure_ids, parse_measure

ROOT = Path(__file__).parents[3]
PUBLISHED = ("rouge-l", "rouge-su4", "bleu", "meteor", "bertscore", "jsd", "jsd-oov", "infolm")
IDS = (*PUBLISHED, "rouge-1", "rouge-2", "chrf", "sbert", "moverscore", "bartscore")
NEURAL = ("bertscore", "infolm", "sbert", "moverscore", "bartscore")


ROUGE = tuple(name for name in IDS if name.startswith("rouge"))
RELEASED = tuple(name for name in PUBLISHED if name != "jsd-oov")


def test_the_registry_lists_the_protocols_measures_first():
    assert measure_ids() == IDS
    assert tuple(info.id for info in available_measures()) == IDS


def test_options_and_defaults_are_listed():
    words = {"tokeniser": "auto"}
    listed = {info.id: dict(info.options) for info in available_measures()}
    assert listed["rouge-l"] == {"form": "f", "stemmer": "auto", **words}
    assert listed["rouge-su4"] == {"form": "f", "rouge155": False, "stemmer": "auto", **words}
    assert listed["rouge-1"] == listed["rouge-2"] == listed["rouge-l"]
    assert listed["chrf"] == {"char_order": 6, "word_order": 0, "beta": 2.0, "lowercase": False}
    assert listed["bleu"] == {"n": 1, "smoothing": "none", **words}
    assert listed["meteor"] == {
        **{"alpha": 0.9, "beta": 3.0, "gamma": 0.5, "wordnet_on": "stems"},
        **{"stemmer": "auto", "synonyms": "auto"},
        **words,
    }
    assert listed["jsd"] == {"root": False, **words}
    assert listed["jsd-oov"] == {
        **{"root": False, "similarity": "edit", "vectors": "", "document": "ratio", "oov": "ratio"},
        **words,
    }


def test_every_measure_states_what_it_is():
    for info in available_measures():
        assert all((info.title, info.range, info.cost, info.source, info.identity))


def test_importing_and_listing_load_no_torch():
    code = (
        "import sys; from meta_eval.measures import available_measures, make_measure; available_measures(); "
        "make_measure('infolm'); print([name for name in ('torch', 'transformers') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("bleu", {"n": 1, "smoothing": "none"}),
        ("bleu:n=4,smoothing=exp", {"n": 4, "smoothing": "exp"}),
        (" bleu : n = 2 ,", {"n": 2, "smoothing": "none"}),
        ("rouge-su4:rouge155=true", {"rouge155": True}),
        ("rouge-su4:rouge155=No", {"rouge155": False}),
        ("meteor:alpha=0.5", {"alpha": 0.5, "beta": 3.0, "gamma": 0.5, "wordnet_on": "stems"}),
        ("meteor:alpha=1", {"alpha": 1.0, "beta": 3.0, "gamma": 0.5, "wordnet_on": "stems"}),
    ],
)
def test_a_measure_is_read_from_one_word(text, options):
    assert dict(parse_measure(text).signature.options) == options


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "rouge",
            "There is no measure 'rouge'. There are: rouge-l, rouge-su4, bleu, meteor, bertscore, jsd, ",
        ),
        ("bleu:m=1", "Measure 'bleu' has no option 'm'. Its options are: tokeniser, n, smoothing."),
        ("rouge-l:n=1", "Measure 'rouge-l' has no option 'n'. Its options are: tokeniser, stemmer, form."),
        (
            "rouge-l:form=f1",
            "Option 'form' of measure 'rouge-l' is 'f1'; it must be 'f' or 'recall' or 'precision'.",
        ),
        ("bleu:n=a", "Option 'n' of measure 'bleu' is 'a'; it must be a whole number."),
        ("bleu:n=1.5", "Option 'n' of measure 'bleu' is '1.5'; it must be a whole number."),
        (
            "bleu:smoothing=x",
            "Option 'smoothing' of measure 'bleu' is 'x'; it must be 'none' or 'add-epsilon' or 'exp'.",
        ),
        ("jsd:root=2", "Option 'root' of measure 'jsd' is '2'; it must be true or false."),
        ("meteor:beta=inf", "Option 'beta' of measure 'meteor' is inf; it must be a finite number."),
        ("meteor:gamma=nan", "Option 'gamma' of measure 'meteor' is nan; it must be a finite number."),
        (
            "infolm:temperature=1e999",
            "Option 'temperature' of measure 'infolm' is inf; it must be a finite number.",
        ),
        ("bleu:n", "In 'bleu:n': write options as name=value, not 'n'."),
    ],
)
def test_what_cannot_be_read_is_named(text, message):
    with pytest.raises(MeasureError) as caught:
        parse_measure(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": True}, "it must be a whole number"),
        ({"n": None}, "it must be a whole number"),
        ({"n": "4"}, "it must be a whole number"),
        ({"mode": "fast"}, "mode is 'fast'; it must be one of: 'paper', 'kdm'."),
        ({"preprocess": "all"}, "preprocess is 'all'; it must be one of: 'none', 'pens'."),
    ],
)
def test_values_of_the_wrong_type_are_refused(options, message):
    with pytest.raises(MeasureError, match=message):
        make_measure("bleu", **options)


def test_the_released_code_has_no_other_form_of_rouge():
    for name in ("rouge-l", "rouge-su4"):
        with pytest.raises(MeasureError, match=f"Measure {name!r} has no option 'form'. It has no options."):
            make_measure(name, mode="kdm", form="recall")


@pytest.mark.parametrize("measure", sorted(set(IDS) - set(RELEASED)))
def test_what_the_released_code_does_not_compute_has_no_such_mode(measure):
    with pytest.raises(MeasureError, match=f"Measure {measure!r} has no mode 'kdm'"):
        make_measure(measure, mode="kdm")


def test_a_whole_number_is_a_number():
    assert make_measure("meteor", beta=3).signature.options["beta"] == 3


def test_signatures_tell_measures_apart():
    made = [
        make_measure(measure_id, mode=mode, preprocess=preprocess)
        for measure_id in IDS
        for mode in ("paper", "kdm")
        for preprocess in ("none", "pens")
        if measure_id not in NEURAL and (mode == "paper" or measure_id in RELEASED)
    ]
    made += [
        make_measure("bleu", n=2),
        make_measure("jsd", root=True),
        make_measure("rouge-su4", rouge155=True),
        *(make_measure(name, form=form) for name in ROUGE for form in ("recall", "precision")),
    ]
    assert len({measure.signature.digest for measure in made}) == len(made)


def test_an_option_that_came_later_leaves_the_signature_of_the_default_as_it_was():
    """Distances kept by it, scores that name it and sealed reports of earlier releases stay good."""
    for name, before in (("rouge-l", {}), ("rouge-su4", {"rouge155": False})):
        assert dict(make_measure(name, form="f").signature.options) == before
        assert dict(make_measure(name, form="recall").signature.options) == {**before, "form": "recall"}


def test_a_signature_is_one_line_of_json():
    assert make_measure("bleu", preprocess="pens").signature.text == (
        '{"measure":"bleu","mode":"paper","options":{"n":1,"smoothing":"none"},"preprocess":"pens",'
        '"tokenizer":"lower, \\\\w+","versions":{"nltk":"3.10.4","numpy":"2.4.6"}}'
    )


def test_the_documentation_names_every_measure_and_option():
    text = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    for info in available_measures():
        section = text.split(f"\n### `{info.id}`")[1].split("\n## ")[0].split("\n### ")[0]
        missing = [name for name in info.options if f"`{name}`" not in section]
        assert (info.id, missing) == (info.id, [])
