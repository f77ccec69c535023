"""How well one rule about typing and length finds gold pairs."""

import random
from pathlib import Path

import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.corpus.pens import read_pens
from meta_eval.design.telling import tell_gold
from meta_eval.design.typography import in_one_typography

ROOT = Path(__file__).parents[3]
PENS = ROOT.parent / "shared" / "data" / "pens"
"""The files of PENS, where somebody has put them beside the checkout."""
PLAIN = ("rain falls in the north", "sun shines in the south")
RULES = {
    "capital letters": ("rain fALLs in the north", "sun shinES in the south"),
    "begin with a small letter": ("7 rain falls in the north", "7 sun shines in the south"),
    "spaces before marks": ("rain falls in the north )", "sun shines in the south )"),
    "right after a letter": ("rain, falls in the north", "sun, shines in the south"),
    "curly quotes": ("rain “ falls in the north", "sun “ shines in the south"),
    "full stop": ("rain falls in the north.", "sun shines in the south."),
    "number of words": ("rain", "sun"),
}


def first_pairs(corpus: Corpus):
    """The first two readers' texts of each document, of gold and of every system."""
    gold, others = [], []
    for document in corpus.documents:
        readers = sorted(document.references)[:2]
        if len(readers) == 2:
            gold.append(tuple(document.references[reader] for reader in readers))
            written = [texts for texts in document.summaries.values() if all(one in texts for one in readers)]
            others += [tuple(texts[reader] for reader in readers) for texts in written]
    return gold, others


@pytest.mark.parametrize("words", RULES)
@pytest.mark.parametrize("gold_is_odd", [True, False])
def test_what_sets_gold_apart_is_found(words, gold_is_odd):
    odd, plain = RULES[words], PLAIN
    found = tell_gold([odd] * 12, [plain] * 48) if gold_is_odd else tell_gold([plain] * 12, [odd] * 48)
    assert (found.gold_share, found.others_share, found.hits, found.is_sure) == (1, 0, 1, True)
    assert found.by_chance == 0.2


def test_texts_that_are_typed_alike_tell_nothing_surely():
    chosen = random.Random(4)

    def text():
        return " ".join(chosen.choices(["Rain", "sun,", "fog", ".", "snow"], k=8))

    def pairs(number):
        return [(text(), text()) for _ in range(number)]

    found = [tell_gold(pairs(20), pairs(80)) for _ in range(100)]
    assert sum(one.is_sure for one in found) <= 3  # of 100, where 1 is meant at most


def test_there_is_no_rule_without_pairs_and_none_is_sure_of_a_few():
    assert tell_gold([], [PLAIN]) is tell_gold([PLAIN], []) is None
    assert tell_gold([RULES["number of words"]], [PLAIN] * 5).is_sure is False


def test_the_demonstration_gives_no_gold_pair_away():
    found = tell_gold(*first_pairs(read_jsonl(ROOT / "fixtures" / "demo" / "corpus.jsonl")))
    assert not found.is_sure


def test_punctuation_gives_gold_away_in_pens_and_less_in_one_typography():
    if not PENS.is_dir():
        pytest.skip("the files of PENS are not beside the checkout (shared/data/pens)")
    systems = {path.stem: path for path in sorted(PENS.glob("hyps_*.txt"))}
    gold, others = first_pairs(read_pens(test=PENS / "personalized_test.tsv", systems=systems))
    found = tell_gold(gold, others)
    assert found.feature == "the number of marks right after a letter for each word"
    assert (found.gold_share > 0.6, found.others_share < 0.15, found.is_sure) == (True, True, True)
    shown = [[tuple(map(in_one_typography, pair)) for pair in side] for side in (gold, others)]
    assert tell_gold(*shown).hits < found.hits - 0.2
