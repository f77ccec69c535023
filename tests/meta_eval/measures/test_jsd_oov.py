import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure, parse_measure
from meta_eval.measures.jsd_oov import normalise_rows, oov_shares
from meta_eval.measures.words.similarity import edit_similarity, exact_similarity, vector_similarity
from meta_eval.measures.words.tokenisers import WORDS
from meta_eval.measures.words.vectors import read_vectors, write_vectors
from tests.meta_eval.measures.texts import matrix, words


def test_the_preset_of_the_thesis_has_plain_documents_and_prepared_texts():
    found = parse_measure("jsd-oov:preset=thesis")
    assert found == make_measure("jsd-oov", document="plain", preprocess="pens")
    assert parse_measure("jsd-oov:preset=thesis,root=true,document=ratio", preprocess="none") == make_measure(
        "jsd-oov", document="ratio", root=True, preprocess="none"
    )
    with pytest.raises(MeasureError, match="Measure 'jsd-oov' has no preset 'paper'; it has thesis"):
        parse_measure("jsd-oov:preset=paper")
    with pytest.raises(MeasureError, match="Measure 'jsd' has no preset 'thesis'; it has none"):
        parse_measure("jsd:preset=thesis")


def distribution(text: str, document: str, similarity, oov="ratio") -> dict[str, float]:
    """Protocol 9, one word after the other."""
    tokens, known = WORDS.words(text), WORDS.words(document)
    weights = {}
    for word in tokens:
        ratio = tokens.count(word) / len(tokens)
        if word in known:
            weights[word] = ratio / (known.count(word) / len(known))
            continue
        scores = [similarity(word, other) for other in dict.fromkeys(known)]
        bias = 1 - math.sqrt(max(scores))
        if bias <= max(scores):
            inside = sum(map(math.exp, scores))
            share = inside / (inside + math.exp(bias))
            weights[word] = share if oov == "share" else ratio / share
    return {word: weight / sum(weights.values()) for word, weight in weights.items()}


def divergence(p: dict[str, float], q: dict[str, float]) -> float:
    if not p or not q:
        return float(bool(p) != bool(q))
    total = 0.0
    for word in p.keys() | q.keys():
        middle = (p.get(word, 0) + q.get(word, 0)) / 2
        total += sum(0.5 * r[word] * math.log2(r[word] / middle) for r in (p, q) if word in r)
    return total


@pytest.mark.parametrize(
    ("option", "similarity"),
    [("edit", Levenshtein.normalized_similarity), ("exact", lambda a, b: float(a == b))],
)
@given(
    document=words.filter(bool),
    texts=st.lists(words, min_size=1, max_size=4),
    oov=st.sampled_from(["ratio", "share"]),
)
def test_distances_are_the_protocols(option, similarity, document, texts, oov):
    texts = list(dict.fromkeys([document, *texts]))
    spread = [distribution(text, document, similarity, oov) for text in texts]
    expected = [[divergence(p, q) for q in spread] for p in spread]
    actual = matrix(make_measure("jsd-oov", similarity=option, oov=oov), texts)
    np.testing.assert_allclose(actual, expected, atol=1e-12, rtol=0)


def test_the_thesis_example():
    # "desk" is one of three words; the document has five, and the bias a share of 0.124.
    similarity, bias = 0.9, 1 - math.sqrt(0.9)
    others = [math.log((0.876 / 0.124 * math.exp(bias) - math.exp(similarity)) / 4)] * 4
    (share,) = oov_shares(np.array([[similarity, *others]]))
    weight = (1 / 3) / share
    assert share == pytest.approx(0.876, abs=1e-12)
    assert round(weight, 4) == 0.3805
    row = np.zeros(3, dtype=np.int64)
    # The thesis rounds the other two weights, (1/3) / (1/5), to 1.66.
    rounded = normalise_rows(row, np.arange(3), np.array([1.66, 1.66, weight]), 1, 3)
    assert round(rounded.counts[2], 4) == 0.1028
    exact = normalise_rows(row, np.arange(3), np.array([5 / 3, 5 / 3, weight]), 1, 3)
    assert round(exact.counts[2], 4) == 0.1025


def test_a_word_like_none_of_the_documents_weighs_nothing():
    # 1 - sqrt(s) exceeds s below (3 - sqrt 5) / 2 = 0.381966...
    assert oov_shares(np.array([[0.3819, 0.1], [0.382, 0.1]])).tolist()[0] == np.inf
    assert oov_shares(np.array([[0.3819, 0.1], [0.382, 0.1]]))[1] < 1


def test_the_same_texts_differ_by_document():
    measure = make_measure("jsd-oov")
    prepared = measure.prepare(["cat dog", "cat", "cat cat cat dog", "dog dog dog cat"])
    pair = np.array([0, 0]), np.array([1, 1])
    about = measure.distances_in_context(prepared, *pair, np.array([2, 3]))
    # About the first document "dog" weighs three times as much as "cat", about the second a third.
    expected = [
        divergence({"cat": 0.25, "dog": 0.75}, {"cat": 1.0}),
        divergence({"cat": 0.75, "dog": 0.25}, {"cat": 1.0}),
    ]
    np.testing.assert_allclose(about, expected, atol=1e-12, rtol=0)


def test_the_document_by_its_own_rule_or_plain():
    texts = ["cat cat cat dog", "cat dog"]
    ratio = matrix(make_measure("jsd-oov"), texts)[0, 1]
    assert ratio == pytest.approx(divergence({"cat": 0.5, "dog": 0.5}, {"cat": 0.25, "dog": 0.75}), abs=1e-12)
    plain = matrix(make_measure("jsd-oov", document="plain"), texts)[0, 1]
    assert plain == pytest.approx(
        divergence({"cat": 0.75, "dog": 0.25}, {"cat": 0.25, "dog": 0.75}), abs=1e-12
    )


def test_words_may_be_compared_by_vectors(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("3 2\ncat 2 0\nkitten 3 3\ncar 0 -1\n", encoding="utf-8")
    similarity = vector_similarity(file)
    expected = [[math.sqrt(0.5), 0.0, 0.0], [0.0, 0.0, 1.0]]
    actual = similarity(["kitten", "unseen"], ["cat", "car", "unseen"])
    np.testing.assert_allclose(actual, expected, atol=1e-12, rtol=0)
    measure = make_measure("jsd-oov", similarity="vectors", vectors=str(file))
    assert matrix(measure, ["cat dog", "kitten", "car"])[1].tolist() == [1.0, 0.0, 1.0]


def test_a_first_line_may_say_what_made_the_vectors_and_a_word_may_be_a_number_sign(tmp_path):
    file, glove = tmp_path / "own.txt", tmp_path / "glove.txt"
    file.write_text(write_vectors({"cat": np.array([3.0, 4.0]), "7": np.array([0.0, 2.0])}, "x|y"), "utf-8")
    assert {word: vector.tolist() for word, vector in read_vectors(file).items()} == {
        "cat": [0.6, 0.8],
        "7": [0.0, 1.0],
    }
    glove.write_text("# 0 2\ncat 1 0\n", encoding="utf-8")
    assert list(read_vectors(glove)) == ["#", "cat"]
    with pytest.raises(MeasureError, match="'two words' holds a space"):
        write_vectors({"two words": np.array([1.0])}, "x")


def test_vectors_are_part_of_the_signature(tmp_path):
    digests = []
    for number in (1, 2):
        file = tmp_path / "vectors.txt"
        file.write_text(f"cat {number}\n", encoding="utf-8")
        digests.append(make_measure("jsd-oov", similarity="vectors", vectors=str(file)).signature.digest)
    assert digests[0] != digests[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [("cat 1 2\ndog 1\n", "vectors.txt:2: expected a word and 2 numbers"), ("cat one\n", "cannot be read")],
)
def test_bad_vectors_are_an_error_with_the_line(tmp_path, content, message):
    file = tmp_path / "vectors.txt"
    file.write_text(content, encoding="utf-8")
    measure = make_measure("jsd-oov", similarity="vectors", vectors=str(file))
    with pytest.raises(MeasureError, match=message):
        matrix(measure, ["cat", "dog"])


def test_vectors_and_their_option_go_together(tmp_path):
    for options in ({"similarity": "vectors"}, {"vectors": "file.txt"}):
        with pytest.raises(MeasureError, match="give vectors=FILE together with similarity=vectors"):
            make_measure("jsd-oov", **options)
    with pytest.raises(MeasureError, match="cannot be read from"):
        _ = make_measure("jsd-oov", similarity="vectors", vectors=str(tmp_path / "none.txt")).signature


def test_spelling_and_equality():
    assert edit_similarity(["desk"], ["desks", "dusk", "xyz"]).tolist() == [[0.8, 0.75, 0.0]]
    assert exact_similarity(["desk"], ["desks", "desk"]).tolist() == [[0.0, 1.0]]
