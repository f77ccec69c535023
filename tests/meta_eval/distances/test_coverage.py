from collections import Counter
from dataclasses import replace

import pytest

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.distances.coverage import HINT_OF_MODEL, describe_coverage, hint_of, look_at, says_unseen
from meta_eval.measures import make_measure
from meta_eval.measures.base import Measure
from meta_eval.measures.words import coverage as looking
from meta_eval.measures.words.coverage import Seen, look
from meta_eval.measures.words.tokenisers import ROUGE, WORDS, find_tokenizer
from meta_eval.scores.automatic import UnscoredError, score_systems
from tests.meta_eval.measures.languages import decomposed, sentences, texts_of

JSD = make_measure("jsd")
ENGLISH = ("rain in the north", "sun in the south")


def corpus_of(references, summaries, language="", documents=2):
    readers = dict(zip(("ann", "bob"), references, strict=True))
    systems = {name: dict(zip(readers, texts, strict=True)) for name, texts in summaries.items()}
    return Corpus(
        tuple(
            Document(f"d{number}", "Weather", "Rain and sun.", readers, systems, language)
            for number in range(documents)
        )
    )


@pytest.mark.parametrize(
    ("tokenizer", "text", "dropped", "undivided", "words"),
    [
        (ROUGE, "Straße 7", 1, 0, 3),
        (ROUGE, "İstanbul", 0, 0, 2),  # its first letter becomes two in lower case, one of them an i
        (ROUGE, "人人 2024", 2, 0, 1),
        (WORDS, "人人 2024", 0, 2, 2),
        (WORDS, "की", 1, 0, 1),
        (find_tokenizer("unicode"), "人人 की 2024", 0, 0, 4),
        (find_tokenizer("char"), "ab 人", 0, 0, 3),
        (find_tokenizer("mecab"), "ภา 人", 0, 2, 2),
        (WORDS, "a_b, c!", 0, 0, 2),
        (WORDS, "", 0, 0, 0),
    ],
)
def test_letters_are_counted_by_what_becomes_of_them(tokenizer, text, dropped, undivided, words):
    seen = look(tokenizer, [text], words=True)
    assert (seen.dropped, seen.undivided, seen.words) == (dropped, undivided, words)


def test_texts_are_taken_in_blocks(monkeypatch):
    texts = [text for language in ("fr", "hi", "zh", "th") for text in texts_of(language)]
    whole = look(WORDS, texts, words=True)
    monkeypatch.setattr(looking, "_BLOCK", 7)
    monkeypatch.setattr(looking, "_kept", {})
    assert look(WORDS, texts, words=True) == whole
    assert whole.words == sum(len(WORDS.words(text)) for text in texts)
    kept = Counter(letter for text in texts for word in WORDS.words(text) for letter in word)
    assert whole.letters - whole.dropped == sum(kept.values())


def test_a_system_that_is_not_seen_has_no_score_and_the_others_have_theirs():
    own = {"A": ENGLISH, "B": tuple(sentences("zh"))}
    scores = score_systems(corpus_of(ENGLISH, own), make_measure("rouge-l"))
    alone = score_systems(corpus_of(ENGLISH, {"A": own["A"]}), make_measure("rouge-l"))
    found = {record["system"]: record for record in scores.records()}
    assert found["B"]["degress"] is found["B"]["accuracy"] is found["B"]["p_acc"] is None
    assert "drops 100.0 % of the letters of the summaries of B" in found["B"]["reason"]
    assert (found["A"]["reason"], found["A"]["degress"]) == (None, alone.records()[0]["degress"])


def test_references_that_are_not_seen_leave_no_score():
    corpus = corpus_of(sentences("ar"), {"A": ENGLISH})
    with pytest.raises(UnscoredError, match=r"drops 100\.0 % of the letters of the references"):
        score_systems(corpus, make_measure("rouge-l"))
    assert score_systems(corpus, make_measure("rouge-l", tokeniser="unicode")).records()[0]["reason"] is None


def test_documents_are_asked_about_where_they_are_compared():
    corpus = corpus_of(ENGLISH, {"A": ENGLISH})
    far = Corpus(tuple(replace(one, title="", body=sentences("ja")[0]) for one in corpus.documents))
    with pytest.raises(UnscoredError, match="of the letters of the documents"):
        score_systems(far, make_measure("rouge-l"))
    assert score_systems(far, make_measure("rouge-l"), normalise="none").records()[0]["degress"] == 1


def test_empty_summaries_are_no_unseen_ones():
    scores = score_systems(corpus_of(ENGLISH, {"A": ("", "")}), make_measure("rouge-l"))
    assert scores.records()[0]["reason"] is None


def warning(measure, texts, language=""):
    found = look_at(corpus_of(texts, {"A": texts}, language), measure, ["A"], with_documents=False)
    assert found.hint == hint_of(measure.signature.as_dict())
    return describe_coverage("Measure x", {"A": found.record("A")}, found.hint)


@pytest.mark.parametrize("language", ["de", "fr", "es", "pt", "pl", "vi", "hi", "zh"])
def test_letters_that_rouge_drops_are_said_unless_the_language_is_named(language):
    texts = sentences(language)
    assert "of the letters of the" in warning(make_measure("rouge-l"), texts)
    assert warning(make_measure("rouge-l"), texts, language) == ""


def test_marks_that_jsd_drops_are_said():
    assert "drops" in warning(make_measure("jsd"), decomposed(sentences("fr")))
    assert warning(make_measure("jsd"), sentences("fr")) == ""


def test_texts_of_one_long_word_are_said():
    texts = ("Rechtsschutzversicherungsgesellschaften", "Donaudampfschifffahrtsgesellschaft")
    assert warning(make_measure("jsd"), texts).startswith(
        "Measure x finds fewer than 2 words a text in the summaries of A"
    )
    assert warning(make_measure("jsd"), ("rain", "sun")) == ""


def test_english_is_seen_whole():
    assert warning(make_measure("rouge-l"), sentences("en")) == ""


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    from tests.meta_eval.neural_models import save_bert

    return str(save_bert(tmp_path_factory.mktemp("bert")))


@pytest.mark.parametrize("measure", ["bertscore", "infolm"])
def test_letters_in_unknown_word_pieces_are_not_seen(measure, bert):
    """The tiny model knows the letters a to z: of "the cat 漢字 9" it does not know three."""
    layer = {"layer": 2} if measure == "bertscore" else {}
    made = make_measure(measure, model=bert, max_length=64, device="cpu", **layer)
    seen = made.look(["the cat 漢字 9", "the dogs", ""], words=True)
    assert seen == Seen(texts=3, letters=16, dropped=3, undivided=0, words=5)
    assert made.look(["the cat"], words=False) == Seen(1, 6, 0, 0, None)
    assert warning(made, ("the cat 漢字 9", "the dogs")).startswith(
        "Measure x drops 18.8 % of the letters of the summaries of A. Name the language of the corpus, by "
    )
    assert warning(made, ("the cat", "the dogs")) == ""
    with pytest.raises(UnscoredError) as refused:
        score_systems(corpus_of(sentences("zh"), {"A": ENGLISH}), made)
    assert str(refused.value) == (
        "With its words (word pieces of its model) the measure drops 100.0 % of the letters of the "
        f"references. {HINT_OF_MODEL}"
    )
    assert says_unseen(str(refused.value))


def test_texts_are_looked_at_once_for_measures_that_cut_them_alike(monkeypatch):
    corpus = corpus_of(("rain of the day", "sun of the night"), {"A": ENGLISH})
    cut = []
    count = WORDS.splitter.count
    monkeypatch.setattr(WORDS.splitter, "count", lambda texts: cut.append(list(texts)) or count(texts))
    found = [
        look_at(corpus, make_measure(name), ["A"], with_documents=True) for name in ("jsd", "bleu", "meteor")
    ]
    assert cut == [["rain of the day", "sun of the night"] * 2, [*ENGLISH] * 2]
    assert found[0].references == found[1].references == found[2].references
    assert found[0].references != look_at(corpus, make_measure("rouge-l"), ["A"], with_documents=True)


def test_a_measure_that_cannot_tell_says_nothing(monkeypatch):
    monkeypatch.setattr(type(JSD), "look", Measure.look)
    assert look_at(corpus_of(ENGLISH, {"A": ENGLISH}), JSD, ["A"], with_documents=False) is None
