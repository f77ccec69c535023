"""From prompts to a corpus: coverage, several headlines, what is missing, and how it is recorded."""

from dataclasses import replace

import pytest

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.errors import InputError
from meta_eval.llm.asking import Answer
from meta_eval.llm.models import parse_model
from meta_eval.llm.opening import open_model
from meta_eval.scores.prompt_styles import CONTRASTIVE, STYLES
from meta_eval.studies.icopernicus.adding import add_systems
from meta_eval.studies.icopernicus.generation import (
    GeneratedStyle,
    StyleQuestions,
    generate_style,
    style_questions,
)
from meta_eval.studies.icopernicus.options import GenerationOptions
from meta_eval.studies.icopernicus.plans import Case, Plan
from meta_eval.studies.icopernicus.provenance import read_provenance, render_provenance, require_one_counting
from tests.meta_eval.studies.icopernicus.reading import make_corpus, make_readers

MODEL = open_model(parse_model("replay:model=m,name=M"))


def answers_to(questions, text):
    """Each question answered by a function of its place, None where that gives none."""
    for place, question in enumerate(questions):
        said = text(place, question)
        yield Answer(question.id, said, None if said else "unreadable", prompt_tokens=9, completion_tokens=2)


def generate(corpus, options, text, attempts=2, readers=None):
    asked = style_questions(corpus, readers or make_readers(), MODEL, options)
    return [
        generate_style(one, MODEL, lambda own: answers_to(own, text), options, attempts=attempts)
        for one in asked
    ]


def name_it(place, question):
    return {label: f"{label} {place}" for label in question.request.form.labels}


def test_every_style_is_a_system_that_covers_what_the_plan_says():
    corpus = make_corpus(8)
    found = generate(corpus, GenerationOptions(plan="all", adversarial=True), name_it)
    names = [f"M: {style}" for style in STYLES] + [f"M: {style}, random User2" for style in CONTRASTIVE]
    assert [one.name for one in found] == names
    made = add_systems(corpus, found)
    assert made.systems == tuple(names)
    assert {one.record["texts"] for one in found} == {8 * 4}
    assert made.documents[0].body == corpus.documents[0].body


def test_styles_of_one_kind_are_asked_about_the_same_cases():
    asked = style_questions(make_corpus(9), make_readers(), MODEL, GenerationOptions())
    cases = {one.style: [case for case, _ in one.asked] for one in asked}
    assert cases["0-shot"] == cases["2-shot w/o"] == cases["2-shot w/"]
    assert cases["C-0-shot"] == cases["C-2-shot w/o"] == cases["C-2-shot w/"]


def test_of_several_headlines_the_first_pair_counts_or_the_last_row():
    """The last row, as the released code has it: all rows of first readers come before all of second ones."""
    corpus = make_corpus(3, ("ann", "bob", "cem"))
    pairs = (("ann", "bob"), ("ann", "cem"), ("bob", "cem"))
    cases = [Case("d0", pair, ("d1", "d2"), pair) for pair in pairs]
    asked = style_questions(corpus, make_readers(), MODEL, GenerationOptions(styles=("C-0-shot",)))[0]
    question = asked.asked[0][1]
    own = StyleQuestions("C-0-shot", False, Plan(tuple(cases)), tuple((case, question) for case in cases), {})

    def texts(several, text=name_it):
        options = GenerationOptions(styles=("C-0-shot",), several=several)
        found = generate_style(own, MODEL, lambda asked: answers_to(asked, text), options, attempts=1)
        return found.texts["d0"], found.record["several_dropped"]

    one, two = "Headline for User1", "Headline for User2"
    assert texts("first") == ({"ann": f"{one} 0", "bob": f"{two} 0", "cem": f"{two} 1"}, 3)
    assert texts("last") == ({"ann": f"{one} 1", "bob": f"{two} 0", "cem": f"{two} 2"}, 3)
    unread = lambda place, question: name_it(place, question) if place else None  # noqa: E731
    assert texts("first", unread) == ({"ann": f"{one} 1", "cem": f"{two} 1", "bob": f"{one} 2"}, 1)


def test_a_missing_headline_is_absent_and_counted_by_reason():
    corpus = make_corpus(8)
    options = GenerationOptions(styles=("0-shot",))
    (found,) = generate(corpus, options, lambda place, question: name_it(place, question) if place else None)
    record = found.record
    counts = ("planned", "asked", "answered", "missing", "texts", "prompt_tokens", "completion_tokens")
    assert [record[name] for name in counts] == [8, 8, 7, {"unreadable": 1}, 7, 72, 16]
    assert record["not_planned"] == {"a rest of fewer than three articles": 8}
    texts = add_systems(corpus, [found]).documents[2].summaries["M: 0-shot"]
    assert sorted(texts) == ["bob", "cem", "dee"]
    with pytest.raises(InputError, match="M: 0-shot has no headline that can be read: 8 times unreadable"):
        add_systems(corpus, generate(corpus, options, lambda *_: None))


def test_a_style_that_nobody_could_read_leaves_the_others():
    corpus = make_corpus(4)
    options = GenerationOptions(styles=("0-shot", "C-0-shot"))
    found = generate(
        corpus,
        options,
        lambda place, question: name_it(place, question) if len(question.request.form.labels) > 1 else None,
    )
    assert [one.name for one in found if one.texts] == ["M: C-0-shot"]
    assert found[0].record["missing"] == {"unreadable": found[0].record["asked"]}
    assert add_systems(corpus, found).systems == ("M: C-0-shot",)


def test_only_drawn_documents_are_asked_about():
    (found,) = generate(make_corpus(9), GenerationOptions(styles=("0-shot",), documents=1, seed=5), name_it)
    assert (len(found.texts), found.record["texts"]) == (1, 4)


def test_the_signature_names_what_headlines_depend_on():
    lines = set()
    for options in (
        GenerationOptions(styles=("C-0-shot",)),
        GenerationOptions(styles=("C-2-shot w/",)),
        GenerationOptions(styles=("C-0-shot",), history="last"),
        GenerationOptions(styles=("C-0-shot",), several="last"),
        GenerationOptions(styles=("C-0-shot",), plan="all"),
        GenerationOptions(styles=("C-0-shot",), seed=1),
    ):
        lines.add(generate(make_corpus(4), options, name_it)[0].record["signature_line"])
    readers = {name: replace(one, history=one.history[::-1]) for name, one in make_readers().items()}
    lines.add(generate(make_corpus(4), GenerationOptions(styles=("C-0-shot",)), name_it, readers=readers)[0]
              .record["signature_line"])  # fmt: skip
    assert len(lines) == 7
    assert all("max_tokens:128" in line for line in lines)
    assert all("tokens" in line and "characters" in line for line in lines)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"styles": ("3-shot",)}, "'3-shot' is no prompt style; there are 0-shot, "),
        ({"styles": ("0-shot",), "adversarial": True}, "adversarial prompts are of C-0-shot"),
    ],
)
def test_what_cannot_be_asked_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        GenerationOptions(**options)


def test_a_corpus_too_small_for_any_prompt_is_refused_with_the_reason():
    with pytest.raises(InputError, match="M: 0-shot has no question to ask: 8 times a rest of fewer"):
        style_questions(make_corpus(2), make_readers(), MODEL, GenerationOptions())


def test_a_system_that_is_there_already_is_not_written_over():
    texts = {"d": {"ann": "rain"}}
    corpus = Corpus((Document("d", "", "Rain.", {"ann": "rain"}, {"M: 0-shot": {"ann": "wet"}}),))
    with pytest.raises(InputError, match="the corpus has a system 'M: 0-shot' already: give the model"):
        add_systems(corpus, [GeneratedStyle("M: 0-shot", texts, {})])


def test_records_come_back_and_estimated_budgets_do_not_mix_with_exact_ones(tmp_path):
    place = tmp_path / "x.llm.json"
    assert read_provenance(place) == []
    records = [one.record for one in generate(make_corpus(4), GenerationOptions(), name_it)]
    place.write_text(render_provenance(records), encoding="utf-8")
    assert read_provenance(place) == records
    require_one_counting(records)
    with pytest.raises(InputError, match="the prompts of M: 0-shot were cut by estimated tokens, those of N"):
        require_one_counting([*records, {"system": "N", "tokens": "counted by gpt2"}])
    for text, message in (
        ("{}", "must hold a list"),
        ('[{"system": "M"}]', "record 1 lacks the text 'model'"),
    ):
        place.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            read_provenance(place)
