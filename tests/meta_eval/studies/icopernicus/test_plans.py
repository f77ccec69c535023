"""Which prompts are made: the published counts, the same cases for all styles, and what is dropped."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.corpus.pens import read_pens, read_pens_readers
from meta_eval.corpus.readers import ReaderHistory
from meta_eval.errors import InputError
from meta_eval.studies.icopernicus.plans import draw_documents, plan_contrastive, plan_plain
from tests.meta_eval.studies.icopernicus.reading import make_corpus

FOLDER = Path("../shared/data/pens")


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the PENS files are not at hand")
def test_pens_gives_the_published_numbers_of_prompts():
    test = FOLDER / "personalized_test.tsv"
    corpus, found = read_pens(test=test, systems={}), read_pens_readers(test=test)
    plain, contrastive = plan_plain(corpus, found.readers), plan_contrastive(corpus)
    assert (len(plain.cases), len(contrastive.cases)) == (6798, 5246)
    assert (len({case.target for case in plain.cases}), contrastive.dropped) == (
        3199,
        {"a pair of readers with fewer than three documents in common": 7},
    )
    prompts = Counter(case.target for case in plain.cases)
    assert sum(number > 1 for number in prompts.values()) == 1978
    assert (found.clicks, found.untitled) == (11261, 11261)
    assert len(plan_plain(corpus, found.readers, plan="all").cases) == corpus.references


def test_articles_are_cut_into_threes_in_the_readers_own_order():
    corpus = make_corpus(8, ("ann", "bob"))
    order = ("d7", "d5", "d3", "d1", "d0", "d2", "d4", "d6")
    plan = plan_plain(corpus, {"bob": ReaderHistory("bob", articles=order)})
    assert [(case.readers, case.target, case.examples) for case in plan.cases] == [
        (("ann",), "d2", ("d0", "d1")),
        (("ann",), "d5", ("d3", "d4")),
        (("bob",), "d3", ("d7", "d5")),
        (("bob",), "d2", ("d1", "d0")),
    ]
    assert plan.dropped == {"a rest of fewer than three articles": 4}


def test_a_case_whose_example_is_its_target_is_dropped_and_counted():
    corpus = make_corpus(3, ("ann",))
    plan = plan_plain(corpus, {"ann": ReaderHistory("ann", articles=("d0", "d1", "d0"))})
    assert (plan.cases, plan.dropped) == ((), {"an example is about the target": 1})


def test_an_article_that_the_reader_did_not_write_for_is_named():
    readers = {"ann": ReaderHistory("ann", articles=("d9",))}
    with pytest.raises(InputError, match="reader 'ann' lists article 'd9', for which the corpus has no"):
        plan_plain(make_corpus(3, ("ann",)), readers)


@st.composite
def corpora(draw):
    """Documents with some of five readers each."""
    readers = st.lists(st.sampled_from("abcde"), min_size=1, max_size=5, unique=True)
    documents = draw(st.lists(readers, min_size=1, max_size=9))
    return Corpus(
        tuple(
            Document(f"d{number}", "", "text", {reader: f"{reader}{number}" for reader in own})
            for number, own in enumerate(documents)
        )
    )


@settings(max_examples=40)
@given(corpora(), st.integers(0, 3), st.sampled_from(("paper", "all")))
def test_cases_are_of_documents_that_their_readers_wrote_for(corpus, seed, plan):
    written = {document.id: set(document.references) for document in corpus.documents}
    plain = plan_plain(corpus, {}, plan=plan, seed=seed)
    contrastive = plan_contrastive(corpus, plan=plan, seed=seed)
    for case in (*plain.cases, *contrastive.cases):
        assert len({case.target, *case.examples}) == 3
        assert all(set(case.readers) <= written[one] for one in (case.target, *case.examples))
        assert set(case.wanted) <= set(case.readers)
    own = {reader: sum(reader in there for there in written.values()) for reader in corpus.readers}
    shared = {
        pair: sum(set(pair) <= there for there in written.values())
        for pair in combinations(sorted(corpus.readers), 2)
    }
    if plan == "paper":
        assert len(plain.cases) == sum(number // 3 for number in own.values())
        assert len(contrastive.cases) == sum(number >= 3 for number in shared.values())
    else:
        assert len(plain.cases) == sum(number for number in own.values() if number >= 3)
        told = [(case.target, reader) for case in contrastive.cases for reader in case.wanted]
        assert len(told) == len(set(told)) == corpus.references - sum(contrastive.dropped.values())
    again = plan_contrastive(Corpus(corpus.documents[::-1]), plan=plan, seed=seed)
    assert set(again.cases) == set(contrastive.cases) or plan == "all"


def test_documents_are_drawn_from_those_that_have_scores():
    plan = plan_plain(make_corpus(9), {})
    chosen = draw_documents([plan], 2, seed=3)
    assert chosen == draw_documents([plan], 2, seed=3)
    assert (len(chosen), len(plan.only(chosen).cases)) == (2, 8)
