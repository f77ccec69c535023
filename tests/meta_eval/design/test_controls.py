"""Control items of a plan: how many, of which texts, and that nothing else of the plan moves."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import GOLD
from meta_eval.design.controls import add_controls, count_controls
from meta_eval.design.plan import IDENTICAL, UNRELATED, TextSource, plan_survey
from meta_eval.errors import InputError
from tests.meta_eval.design.test_plan import plannable

SYSTEMS = ("s0", "s1", "s2", "s3")


def make_plan(*, documents=6, readers=4, per=2, seed=1):
    available = [plannable(f"d{number}", readers) for number in range(documents)]
    return plan_survey(available, systems=SYSTEMS, systems_per_questionnaire=per, seed=seed)


def make_texts(plan, *, readers=4):
    return {
        TextSource(document, author, f"r{reader}"): f"{document} by {author} for r{reader}"
        for document in {planned.document for planned in plan.questionnaires}
        for author in (GOLD, *SYSTEMS)
        for reader in range(readers)
    }


def shown_texts(planned, texts):
    return {
        texts[TextSource(planned.document, author, reader)]
        for author in (GOLD, *planned.systems)
        for reader in (planned.reader_a, planned.reader_b)
    }


def controls_of(plan):
    return [(planned, control) for planned in plan.questionnaires for control in planned.controls]


@given(
    seed=st.integers(0, 3),
    identical=st.integers(0, 100),
    unrelated=st.integers(0, 100),
    documents=st.integers(2, 5),
    per=st.integers(1, 4),
)
@settings(max_examples=40)
def test_controls_are_so_many_and_nothing_else_of_the_plan_moves(seed, identical, unrelated, documents, per):
    plan = make_plan(documents=documents, per=per, seed=seed)
    texts = make_texts(plan)
    shares = {IDENTICAL: identical, UNRELATED: unrelated}
    checked = add_controls(plan, texts, shares)
    total = len(plan.questionnaires)
    counts = Counter(control.kind for _, control in controls_of(checked))
    assert counts[IDENTICAL] == count_controls(total, identical)
    assert counts[UNRELATED] == count_controls(total, unrelated)
    assert checked.items == plan.items + counts.total()
    assert tuple(replace(planned, controls=()) for planned in checked.questionnaires) == plan.questionnaires
    assert add_controls(plan, dict(reversed(texts.items())), shares) == checked
    for planned, control in controls_of(checked):
        first, second = control.texts
        assert first.document == planned.document
        assert (first == second) == (control.kind == IDENTICAL)
        assert (first.document == second.document) == (control.kind == IDENTICAL)
        assert first.author == second.author
        assert texts[first] not in shown_texts(planned, texts)


def test_shares_are_of_questionnaires_with_halves_rounded_up():
    assert [count_controls(10, share) for share in (0, 4, 5, 25, 99, 100)] == [0, 0, 1, 3, 10, 10]
    for share in (-1, 101):
        with pytest.raises(InputError, match="share"):
            count_controls(10, share)


def test_no_author_is_preferred_for_a_control():
    """Gold is one author in five, so about a fifth of the controls (within seven deviations)."""
    drawn = Counter()
    for seed in range(60):
        plan = make_plan(seed=seed)
        checked = add_controls(plan, make_texts(plan), {IDENTICAL: 100})
        drawn.update(control.texts[0].author for _, control in controls_of(checked))
    total = drawn.total()
    spread = 7 * (total * 0.2 * 0.8) ** 0.5
    assert set(drawn) == {GOLD, *SYSTEMS}
    assert all(abs(count - total / 5) < spread for count in drawn.values())


def test_a_text_that_raters_meet_nowhere_else_comes_first():
    plan = make_plan(readers=3)
    texts = make_texts(plan, readers=3)
    met = set().union(*(shown_texts(planned, texts) for planned in plan.questionnaires))
    checked = add_controls(plan, texts, {IDENTICAL: 100, UNRELATED: 100})
    assert not met & {texts[source] for _, control in controls_of(checked) for source in control.texts}


def test_where_the_page_shows_all_texts_one_of_them_is_taken():
    plan = make_plan(readers=2, per=4)
    texts = make_texts(plan, readers=2)
    checked = add_controls(plan, texts, {IDENTICAL: 100})
    for planned, control in controls_of(checked):
        assert texts[control.texts[0]] in shown_texts(planned, texts)


def test_two_controls_of_one_page_do_not_share_a_text():
    plan = make_plan(documents=12)
    checked = add_controls(plan, make_texts(plan), {IDENTICAL: 100, UNRELATED: 100})
    for planned in checked.questionnaires:
        identical, unrelated = planned.controls
        assert identical.texts[0] not in unrelated.texts


def test_blank_texts_are_never_shown():
    plan = make_plan()
    texts = make_texts(plan).items()
    kept = {one: text if one.reader == "r3" else " " * size for size, (one, text) in enumerate(texts)}
    checked = add_controls(plan, kept, {IDENTICAL: 100, UNRELATED: 100})
    assert {source.reader for _, one in controls_of(checked) for source in one.texts} == {"r3"}


def test_the_second_text_is_in_the_same_writing_and_shares_few_words():
    plan = make_plan(documents=5, readers=2)
    reports = {
        "d0": "the bridge over the river was closed",
        "d1": "the bridge over the river is closed again",
        "d2": "مدرب الفريق يعلن استقالته اليوم",
        "d3": "bridge prices rise by a third",
        "d4": "prices of wheat rise",
    }
    texts = {source: reports[source.document] for source in make_texts(plan, readers=2)}
    checked = add_controls(plan, texts, {UNRELATED: 100})
    seconds = {(one.document, control.texts[1].document) for one, control in controls_of(checked)}
    assert {second for first, second in seconds if first == "d0"} == {"d4"}
    assert {second for first, second in seconds if first == "d1"} == {"d4"}
    assert {second for first, second in seconds if first == "d4"} <= {"d0", "d1"}


def test_the_second_text_is_in_the_language_of_the_first():
    plan = make_plan(documents=4)
    languages = {"d0": "en", "d1": "pt-BR", "d2": "en", "d3": "pt-BR"}
    checked = add_controls(plan, make_texts(plan), {UNRELATED: 100}, languages=languages)
    pairs = {(one.document, control.texts[1].document) for one, control in controls_of(checked)}
    assert pairs == {("d0", "d2"), ("d2", "d0"), ("d1", "d3"), ("d3", "d1")}
    with pytest.raises(InputError, match="second document in the language of d3"):
        add_controls(plan, make_texts(plan), {UNRELATED: 100}, languages=languages | {"d1": "en"})


def test_what_cannot_be_made_is_said():
    one = make_plan(documents=1)
    with pytest.raises(InputError, match="second document"):
        add_controls(one, make_texts(one), {UNRELATED: 100})
    with pytest.raises(InputError, match="d0 has no text"):
        add_controls(one, dict.fromkeys(make_texts(one), ""), {IDENTICAL: 100})
    assert add_controls(one, {}, {}) == one
