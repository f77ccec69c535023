"""What holds for every measure of the registry, in every mode: protocol 2's audit."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meta_eval.errors import MeasureError
from meta_eval.measures import available_measures, make_measure, measure_ids
from meta_eval.measures.base import Measure
from tests.meta_eval.measures.texts import ODD_TEXTS, WORDS, any_text, compare, full_words, matrix, words
from tests.meta_eval.neural_models import save_bart

NEURAL = ("bertscore", "infolm", "sbert", "moverscore", "bartscore")
LEXICAL = tuple(measure_id for measure_id in measure_ids() if measure_id not in NEURAL)
IN_CONTEXT = ("jsd-oov",)
# What the released code computes, too.
RELEASED = ("rouge-l", "rouge-su4", "bleu", "meteor", "jsd", "bertscore", "infolm")
# Measures and options with d(x, x) = 0 for every text that is not empty.
IDENTICAL = (
    *(
        ("paper", measure_id, {})
        for measure_id in ("rouge-l", "rouge-su4", "bleu", "jsd", "jsd-oov", "rouge-1", "chrf")
    ),
    ("paper", "jsd", {"root": True}),
    ("paper", "jsd-oov", {"document": "plain", "root": True}),
    ("paper", "rouge-l", {"form": "recall"}),
    ("paper", "rouge-su4", {"form": "precision"}),
    ("kdm", "rouge-l", {}),
    ("kdm", "jsd", {}),
)
VARIANTS = (
    *(("paper", measure_id, {}) for measure_id in LEXICAL),
    *(("kdm", measure_id, {}) for measure_id in LEXICAL if measure_id in RELEASED),
    ("paper", "rouge-l", {"form": "recall"}),
    ("paper", "rouge-l", {"form": "precision"}),
    ("paper", "rouge-1", {"form": "recall", "tokeniser": "unicode", "stemmer": "none"}),
    ("paper", "rouge-2", {"form": "precision", "tokeniser": "char", "stemmer": "none"}),
    ("paper", "chrf", {"word_order": 2, "lowercase": True}),
    ("paper", "chrf", {"char_order": 3, "beta": 1.0}),
    ("paper", "rouge-su4", {"rouge155": True}),
    ("paper", "rouge-su4", {"form": "recall"}),
    ("paper", "rouge-su4", {"form": "precision", "rouge155": True}),
    ("paper", "bleu", {"n": 4, "smoothing": "none"}),
    ("paper", "bleu", {"n": 4, "smoothing": "add-epsilon"}),
    ("paper", "bleu", {"n": 4, "smoothing": "exp"}),
    ("paper", "meteor", {"wordnet_on": "words"}),
    ("paper", "meteor", {"alpha": 0.7, "beta": 1.0, "gamma": 1.0}),
    ("paper", "jsd", {"root": True}),
    ("paper", "jsd-oov", {"similarity": "exact", "document": "plain"}),
    ("paper", "jsd-oov", {"similarity": "vectors", "vectors": "vectors.txt", "root": True}),
    ("paper", "rouge-l", {"tokeniser": "unicode", "stemmer": "german"}),
    ("paper", "rouge-su4", {"tokeniser": "char", "stemmer": "none"}),
    ("paper", "bleu", {"tokeniser": "unicode"}),
    ("paper", "meteor", {"tokeniser": "unicode", "stemmer": "french", "synonyms": "none"}),
    ("paper", "jsd", {"tokeniser": "rouge-score"}),
    ("paper", "jsd-oov", {"tokeniser": "char"}),
    ("paper", "jsd-oov", {"oov": "share"}),
)
NEURAL_VARIANTS = (
    *(("paper", measure_id, {}) for measure_id in NEURAL),
    *(("kdm", measure_id, {}) for measure_id in NEURAL if measure_id in RELEASED),
    ("paper", "moverscore", {"idf": True, "raw": True, "precision": "bfloat16"}),
    ("paper", "sbert", {"precision": "bfloat16"}),
    ("paper", "bartscore", {"form": "recall", "precision": "bfloat16"}),
    ("paper", "bertscore", {"idf": True, "baseline": "0.3"}),
    ("paper", "bertscore", {"precision": "bfloat16"}),
    ("paper", "infolm", {"raw": True, "temperature": 1.0}),
    ("paper", "infolm", {"idf": True, "window": 5}),
    ("paper", "infolm", {"alpha": 0.5, "beta": 2.0}),
    ("paper", "infolm", {"divergence": "kl"}),
    ("paper", "infolm", {"precision": "float16"}),
)
ALL_VARIANTS = (*VARIANTS, *NEURAL_VARIANTS)
# Options that name the model or where it runs, with tests of their own.
ELSEWHERE = {"model", "revision", "max_length", "device", "compile", "layer"}


def name(variant: tuple[str, str, dict]) -> str:
    mode, measure_id, options = variant
    return "-".join([mode, measure_id, *(f"{key}={value}" for key, value in options.items())])


def build(variant: tuple[str, str, dict], bert) -> Measure:
    mode, measure_id, options = variant
    extra = {"model": bert, "device": "cpu", "max_length": 64} if measure_id in NEURAL else {}
    if measure_id == "bartscore":
        extra["model"] = str(save_bart(Path(bert).parent / "bart"))
    if measure_id == "bertscore":
        extra["layer"] = 2
    if "vectors" in options:
        options = {**options, "vectors": str(save_vectors(Path(bert).parent / options["vectors"]))}
    measure = make_measure(measure_id, mode=mode, preprocess="none", **options, **extra)
    return measure.fit(["the cat sits on the house", "a dog wins", "the old city at night"])


def save_vectors(path: Path) -> Path:
    """Word vectors of some words; the others have none."""
    draw = np.random.default_rng(2)
    rows = [" ".join([word, *map(str, draw.normal(size=3))]) for word in dict.fromkeys(WORDS[:20])]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_the_variants_cover_the_registry():
    """Every measure in every mode it has, and every option with a value that is not its default."""
    modes = {(mode, measure_id) for mode, measure_id, _ in ALL_VARIANTS}
    assert modes == {("paper", measure_id) for measure_id in measure_ids()} | {
        ("kdm", measure_id) for measure_id in RELEASED
    }
    for info in available_measures():
        changed = {
            option
            for _, measure_id, options in ALL_VARIANTS
            for option, value in options.items()
            if measure_id == info.id and value != info.options[option]
        }
        assert changed == set(info.options) - ELSEWHERE, info.id


@pytest.fixture(params=ALL_VARIANTS, ids=name)
def measure(request, bert):
    return build(request.param, bert)


@pytest.fixture(params=VARIANTS, ids=name)
def lexical(request, bert):
    return build(request.param, bert)


def tolerance(measure: Measure) -> float:
    """By which a distance may differ with what is encoded beside it: the rounding of matrix products."""
    if measure.id not in NEURAL:
        return 0.0
    if measure.signature.options["precision"] != "float32":
        return 0.05
    if measure.signature.options.get("idf"):  # weights near 0 magnify it
        return 1e-5
    return 2e-5 if measure.signature.mode == "kdm" else 1e-6


def upper_end(measure: Measure) -> float:
    return np.inf if measure.signature.options.get("raw") else 1.0


def test_odd_texts_give_distances_in_range(measure):
    distances = matrix(measure, list(ODD_TEXTS))
    missing = measure.id == "jsd" and measure.signature.mode == "kdm"
    assert distances.dtype == np.float64
    assert missing or not np.isnan(distances).any()
    known = distances[~np.isnan(distances)]
    assert known.min() >= -tolerance(measure)
    assert known.max() <= upper_end(measure) + tolerance(measure)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(words | any_text, min_size=2, max_size=6))
def test_any_texts_give_distances_in_range(lexical, texts):
    distances = matrix(lexical, texts)
    known = distances[~np.isnan(distances)]
    assert np.all((known >= 0) & (known <= 1))


def test_symmetry_is_as_declared(measure):
    texts = ["the cat sits on the house", "the cat", "the big cat sits on the house at night", "a big dog"]
    distances = matrix(measure, texts)
    assert (
        np.allclose(distances, distances.T, atol=max(tolerance(measure), 1e-15), rtol=0) == measure.symmetric
    )


def test_the_list_says_symmetry_of_the_default_and_which_options_change_it():
    """A measure as it is set may differ from what its name says: the list then names the option."""
    for info in available_measures():
        changed = {
            option
            for mode, measure_id, options in (*VARIANTS, ("paper", "bartscore", {"form": "recall"}))
            for option, value in options.items()
            if mode == "paper" and measure_id == info.id and options.get("similarity") != "vectors"
            if make_measure(measure_id, **{option: value}).symmetric != info.symmetric
        }
        assert [option for option in info.options if f"{option}=" in info.symmetry] == sorted(changed), (
            info.id
        )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(words | any_text, min_size=2, max_size=6))
def test_symmetric_measures_are_symmetric_to_the_last_bit(lexical, texts):
    distances = matrix(lexical, texts)
    if lexical.symmetric:
        np.testing.assert_array_equal(distances, distances.T)


@pytest.mark.parametrize("variant", IDENTICAL, ids=name)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(texts=st.lists(full_words, min_size=1, max_size=5))
def test_a_text_is_at_no_distance_from_itself(variant, bert, texts):
    assert np.diag(matrix(build(variant, bert), texts)).tolist() == [0.0] * len(texts)


SENTENCE = ["storm", "bridge", "council", "votes", "budget", "river", "school", "opens"]
SLICES = [" ".join(SENTENCE[i:j]) for i in range(8) for j in range(i + 1, 9)]


def triangle_excess(measure: Measure, texts: list[str]) -> float:
    """The most by which d(a, c) exceeds d(a, b) + d(b, c)."""
    d = matrix(measure, texts)
    return float((d[:, None, :] - (d[:, :, None] + d[None, :, :])).max())


@pytest.mark.parametrize(
    "variant",
    [
        *(
            ("paper", measure_id, {})
            for measure_id in ("rouge-l", "rouge-su4", "meteor", "jsd", "rouge-2", "chrf")
        ),
        *(("kdm", measure_id, {}) for measure_id in LEXICAL if measure_id in RELEASED),
        ("paper", "bleu", {"n": 2}),
        ("paper", "bleu", {"n": 4, "smoothing": "exp"}),
    ],
    ids=name,
)
def test_one_less_a_similarity_is_no_metric(variant):
    mode, measure_id, options = variant
    measure = make_measure(measure_id, mode=mode, preprocess="none", **options)
    assert triangle_excess(measure, SLICES) > 0.01
    assert "not" in measure.info.triangle


def test_no_counts_of_three_words_break_the_triangle_of_bleu_1():
    counts = [(i, j, k) for i in range(5) for j in range(5) for k in range(3) if i + j + k]
    texts = [" ".join(["storm"] * i + ["bridge"] * j + ["river"] * k) for i, j, k in counts]
    measure = make_measure("bleu", preprocess="none")
    assert triangle_excess(measure, texts) < 1e-12
    assert measure.info.triangle.startswith("with n = 1 no case is known")


@given(st.lists(any_text, min_size=3, max_size=6))
def test_the_root_of_the_divergence_is_a_metric(texts):
    measure = make_measure("jsd", root=True, preprocess="none")
    assert triangle_excess(measure, texts) < 1e-9
    assert measure.info.triangle == "holds with root=true, not without"


def test_documented_exceptions_to_identity():
    assert make_measure("meteor")("a", "a") == 0.5
    assert make_measure("meteor")("big city", "big city") == 0.0625
    assert make_measure("bleu", n=4)("one two three", "one two three") == 1.0
    assert make_measure("rouge-su4", rouge155=True)("one", "one") == 1.0
    assert make_measure("rouge-2")("one", "one") == 1.0


def test_empty_texts_follow_the_rule(measure):
    texts = ["the cat sits on the house", "", " \t\n", "the house"]
    distances = matrix(measure, texts)
    if measure.signature.mode == "kdm":
        empty = {"jsd": np.nan, "infolm": 0.0}.get(measure.id, 1.0)
        np.testing.assert_array_equal(distances[1:3], np.full((2, 4), empty))
        return
    assert distances[1:3, 1:3].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert distances[1:3, [0, 3]].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert distances[[0, 3], 1:3].tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_order_of_texts_and_pairs_does_not_matter(measure):
    texts = [text for text in ODD_TEXTS if len(text) < 100] + ["the cat sits", "the big cat sat on it"]
    rng = np.random.default_rng(3)
    whole = matrix(measure, texts)
    order = np.concatenate(([0], 1 + rng.permutation(len(texts) - 1)))  # a document in context stays first
    again = matrix(measure, [texts[index] for index in order])
    np.testing.assert_allclose(again, whole[np.ix_(order, order)], atol=tolerance(measure), rtol=0)


def test_a_pair_alone_is_as_in_a_batch(measure):
    texts = ["the cat sits on the house at night", "the cat", "cats sit on houses", "the dog wins a house"]
    whole = matrix(measure, texts)
    alone = [
        [compare(measure, texts, np.array([i]), np.array([j]))[0] for j in range(len(texts))]
        for i in range(len(texts))
    ]
    np.testing.assert_allclose(whole, alone, atol=tolerance(measure), rtol=0)


def test_jensen_shannon_does_not_depend_on_which_text_comes_first():
    """Many words of many frequencies: their sum depends on its order, and so on how they are numbered."""
    names = [f"word{number}" for number in range(97)]
    texts = [
        " ".join(name for n, name in enumerate(names) for _ in range(1 + n * k % 7)) for k in (1, 2, 3, 5)
    ]
    measure = make_measure("jsd")
    scrambled = " ".join(names[n * 31 % 97] for n in range(97))
    among = matrix(measure, [scrambled, *texts])
    np.testing.assert_array_equal(among[1:, 1:], matrix(measure, texts))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(st.lists(words, min_size=3, max_size=8), st.integers(1, 20))
def test_runs_of_any_size_give_the_same_bits(lexical, texts, size):
    whole = matrix(lexical, texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("meta_eval.measures.words.counts.CHUNK", size)
        patch.setattr("meta_eval.measures.words.counts.SMALL", size)
        patch.setattr("meta_eval.measures.words.skip_bigrams.SMALL", size)
        patch.setattr("meta_eval.measures.words.sharing.SMALL_PAIRS", size)
        patch.setattr("meta_eval.measures.words.sharing.SCRATCH", 40 * size)
        patch.setattr("meta_eval.measures.words.splitting.BLOCK_LETTERS", size)
        patch.setattr("meta_eval.measures.words.counts.BLOCK", size)
        patch.setattr("meta_eval.measures.rouge.LCS_CHUNK", size)
        np.testing.assert_array_equal(matrix(lexical, texts), whole)


def test_no_pairs_give_no_distances(measure):
    none = np.array([], dtype=np.int64)
    assert compare(measure, ["a cat"], none, none).shape == (0,)


def test_no_texts_give_no_distances(measure):
    none = np.array([], dtype=np.int64)
    assert compare(measure, [], none, none).shape == (0,)


def test_inputs_are_left_alone(measure):
    first, second = np.array([0, 1, 2]), np.array([1, 2, 0])
    texts = ["the cat", "a dog sits", ""]
    compare(measure, texts, first, second)
    assert (texts, first.tolist(), second.tolist()) == (["the cat", "a dog sits", ""], [0, 1, 2], [1, 2, 0])


def test_a_call_is_the_distance_of_one_pair(measure):
    a, b = "the cat sits on the house", "a cat sits"
    if measure.id in IN_CONTEXT:
        with pytest.raises(MeasureError, match="needs that document"):
            measure(a, b)
        return
    expected = compare(measure, [a, b], np.array([0]), np.array([1]))[0]
    assert measure(a, b) == pytest.approx(expected, abs=tolerance(measure), rel=0)
