import random

import pytest
from nltk.corpus.reader.wordnet import WordNetCorpusReader

from meta_eval.bench.nltk_wordnet import nltk_wordnet
from meta_eval.errors import MeasureError
from meta_eval.measures.words import wordnet
from meta_eval.measures.words.wordnet import ENDINGS, base_forms, lemmatise_noun, read_wordnet, synonyms
from tests.fixtures.make_wordnet import DATA, lines

SYNSETS = {"n": (82_115, 117_798), "v": (13_767, 11_529), "a": (18_156, 21_479), "r": (3_621, 4_481)}
"""Synsets and words of WordNet 3.0 as its own manual counts them (wnstats)."""


@pytest.mark.parametrize("part", ENDINGS)
def test_it_is_all_of_wordnet_three(part):
    known = read_wordnet()[part]
    synsets = {id(names) for of_word in known.synsets.values() for names in of_word}
    assert (len(synsets), len(known.synsets)) == SYNSETS[part]


def test_its_licence_comes_with_it():
    text = DATA.with_name("wordnet-3.0-licence.txt").read_text(encoding="utf-8")
    assert "Princeton University" in text
    assert "ALL copies" in text


def inflected():
    """Words of WordNet, many of them with an ending, and exceptions."""
    rng = random.Random(4)
    words = [word for known in read_wordnet().values() for word in known.synsets]
    endings = ["", *{old for rules in ENDINGS.values() for old, _ in rules}]
    yield from (word + rng.choice(endings) for word in rng.sample(words, 4_000))
    yield from rng.sample([word for known in read_wordnet().values() for word in known.exceptions], 1_000)
    yield from ("saw", "wolves", "Paris", "CARS", "", "-", "zzz", "s", "men", "axes")


def test_base_forms_and_synonyms_are_nltks():
    reader = nltk_wordnet()
    assert {part: list(rules) for part, rules in ENDINGS.items()} == {
        part: WordNetCorpusReader.MORPHOLOGICAL_SUBSTITUTIONS[part] for part in ENDINGS
    }
    for word in inflected():
        for part in ENDINGS:
            assert base_forms(word, part) == reader._morphy(word, part), word
        assert synonyms(word) == {
            lemma.name() for synset in reader.synsets(word) for lemma in synset.lemmas()
        }, word


@pytest.mark.parametrize(
    ("word", "some"),
    [
        ("inhibited", {"inhibit", "bottle_up", "suppress"}),
        ("automobiles", {"car", "auto", "machine", "motorcar"}),
        ("paris", {"Paris", "City_of_Light", "genus_Paris"}),
        ("better", {"good", "well", "bettor", "improve"}),
        ("galore", {"galore"}),  # an adjective that stands after its noun: its mark is no part of it
    ],
)
def test_synonyms_by_hand(word, some):
    assert some <= synonyms(word)


def test_nouns_by_hand():
    words = ["wolves", "churches", "men", "axes", "us", "zzz"]
    assert [*map(lemmatise_noun, words)] == ["wolf", "church", "men", "ax", "u", "zzz"]


def test_what_is_kept_is_made_of_wordnets_own_files(tmp_path):
    """Lines as they stand in data.adj, adj.exc and the others, shortened."""
    for name in ("noun", "verb", "adv"):
        (tmp_path / f"data.{name}").write_text("  1 This software and database\n", encoding="utf-8")
        (tmp_path / f"{name}.exc").touch()
    (tmp_path / "data.adj").write_text(
        "  1 This software and database\n"
        "00014358 00 s 02 galore(ip) 0 in_plenty 0 001 & 00013887 a 0000 | in great numbers\n"
        "00001740 00 a 01 able 0 001 = 05200169 n 0000 | having the means\n",
        encoding="utf-8",
    )
    (tmp_path / "adj.exc").write_text("abler able\nbetter good well\n", encoding="utf-8")
    assert list(lines(tmp_path)) == [
        "synset a able",
        "synset a galore in_plenty",
        "exception a abler able",
        "exception a better good well",
    ]


def test_a_package_without_its_data_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(wordnet, "data_file", tmp_path.joinpath)
    with pytest.raises(MeasureError, match="which is missing: reinstall the package"):
        read_wordnet.__wrapped__()
