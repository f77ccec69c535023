"""Deviations of pairs of readers by two measures: against two plain loops, and what must hold of them."""

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.tables import read_corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.reader_pairs.samples import coefficient_records, under_weights
from meta_eval.studies.thesis import Sampling, deviations_by_pair, study_deviations
from meta_eval.studies.thesis.decisions import DEVIATIONS
from tests.meta_eval.cli.running import results, run
from tests.meta_eval.strategies import corpora, document

DEMO = Path("fixtures/demo/corpus.jsonl")
QUICK = Sampling(shares=(0.5,), samples=3, resamples=20)


def missing_some(corpus, draw):
    """The corpus without some summaries."""
    kept = [
        {
            system: {reader: text for reader, text in written.items() if draw(st.booleans())}
            for system, written in one.summaries.items()
        }
        for one in corpus.documents
    ]
    documents = zip(corpus.documents, kept, strict=True)
    return Corpus(
        tuple(
            document(one.id, references=dict(one.references), body=one.body, **written)
            for one, written in documents
        )
    )


@st.composite
def gappy(draw):
    return missing_some(draw(corpora()), draw)


def sigmas(corpus, name):
    """The distance of any two texts of the corpus, all compared in one call."""
    measure = make_measure(name)
    texts = sorted(
        {
            text
            for one in corpus.documents
            for side in (one.references, *one.summaries.values())
            for text in side.values()
        }
        | {one.text for one in corpus.documents}
    )
    count = len(texts)
    found = measure.distances(
        measure.prepare(texts), np.repeat(np.arange(count), count), np.tile(np.arange(count), count)
    ).reshape(count, count)
    number = {text: place for place, text in enumerate(texts)}
    return lambda one, other: float(found[number[one], number[other]])


def plainly(corpus, sigma, system, form, weight):
    """The deviation of each pair of readers, by two loops over the formulas."""
    gathered = {}
    for one in corpus.documents:
        written = one.summaries.get(system, {})
        for first, second in permutations(one.references, 2):
            if first not in written or second not in written:
                continue
            gold = sigma(one.references[first], one.references[second])
            own = sigma(written[first], written[second])
            x, y = gold, own
            if weight == "ratio":
                to_gold = sigma(one.references[first], one.text)
                to_own = sigma(written[first], one.text)
                x = x * x / to_gold if to_gold else 0.0
                y = y * y / to_own if to_own else 0.0
            ratio = min(x, y) / max(x, y) if max(x, y) else 0.0
            gathered.setdefault(frozenset((first, second)), []).append((gold, own, ratio))
    means = {pair: np.mean(rows, axis=0) for pair, rows in gathered.items()}
    if form == "ratios":
        return {pair: found[2] for pair, found in means.items()}
    return {
        pair: min(found[:2]) / max(found[:2]) if max(found[:2]) else None for pair, found in means.items()
    }


@settings(max_examples=25, deadline=None)
@given(gappy(), st.sampled_from(["means", "ratios"]), st.sampled_from(["ratio", "softmax"]))
def test_two_plain_loops_find_the_same(corpus, form, weight):
    table = compute_distances(corpus, make_measure("jsd"))
    found = deviations_by_pair(corpus, table, form=form, weight=weight)
    sigma = sigmas(corpus, "jsd")
    for row, system in enumerate(found.systems):
        values = {
            frozenset((found.readers[first], found.readers[second])): value
            for (first, second), value in zip(found.pairs.tolist(), found.values[row], strict=True)
        }
        expected = plainly(corpus, sigma, system, form, weight)
        for pair, value in values.items():
            if expected.get(pair) is None:
                assert np.isnan(value)
            else:
                assert value == pytest.approx(expected[pair], abs=1e-12)
        assert expected.keys() <= values.keys()


@pytest.fixture(scope="module")
def shared():
    """Two documents with readers in common: a system that copies, and one that writes one text for all."""
    golds = [
        {"ann": "storm hits the bridge", "bob": "council votes again", "cy": "late budget"},
        {"cy": "the river opens late", "ann": "school budget", "dan": "again the storm"},
    ]
    return Corpus(
        tuple(
            document(f"d{number}", references=gold, copies=gold, fixed=dict.fromkeys(gold, "the bridge"))
            for number, gold in enumerate(golds)
        )
    )


@pytest.mark.parametrize("form", ["means", "ratios"])
@pytest.mark.parametrize("measure", ["rouge-l", "jsd-oov"])
def test_a_copy_deviates_as_the_references_and_one_text_for_all_not_at_all(shared, form, measure):
    found = deviations_by_pair(shared, compute_distances(shared, make_measure(measure)), form=form)
    assert dict(zip(found.systems, found.values.tolist(), strict=True)) == {
        "copies": [1.0] * 5,
        "fixed": [0.0] * 5,
    }
    names = [(found.readers[first], found.readers[second]) for first, second in found.pairs]
    assert names == [("ann", "bob"), ("ann", "cy"), ("ann", "dan"), ("bob", "cy"), ("cy", "dan")]


def test_the_order_of_documents_and_readers_changes_nothing(shared):
    turned = Corpus(
        tuple(
            document(
                one.id,
                references=dict(reversed(one.references.items())),
                **{system: dict(reversed(texts.items())) for system, texts in one.summaries.items()},
            )
            for one in reversed(shared.documents)
        )
    )
    one, other = (
        deviations_by_pair(corpus, compute_distances(corpus, make_measure("bleu")), form="ratios")
        for corpus in (shared, turned)
    )
    by_name = [
        {
            frozenset((side.readers[first], side.readers[second])): value
            for (first, second), value in zip(side.pairs.tolist(), side.values[0].tolist(), strict=True)
        }
        for side in (one, other)
    ]
    assert by_name[0] == pytest.approx(by_name[1], abs=1e-12)


def test_the_base_of_the_logarithm_changes_nothing(shared):
    """Another base multiplies every divergence by one number, which cancels."""
    table = compute_distances(shared, make_measure("jsd"))
    scaled = replace(
        table,
        blocks=tuple(
            replace(
                block,
                gold=block.gold / 3,
                systems=block.systems / 3,
                gold_document=block.gold_document / 3,
                systems_document=block.systems_document / 3,
            )
            for block in table.blocks
        ),
    )
    for form in ("means", "ratios"):
        one, other = (deviations_by_pair(shared, side, form=form).values for side in (table, scaled))
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_the_notebooks_pairs_are_those_with_the_last_co_reader_that_are_not_zero(shared):
    table = compute_distances(shared, make_measure("rouge-l"))
    found = deviations_by_pair(shared, table, form="means", co_readers="last")
    # d0: ann-cy, bob-cy, cy-bob; d1: cy-dan, ann-dan, dan-ann.
    names = [(found.readers[first], found.readers[second]) for first, second in found.pairs]
    assert names == [("ann", "cy"), ("ann", "dan"), ("bob", "cy"), ("cy", "dan")]
    assert np.isnan(found.values[found.systems.index("fixed")]).all()


@pytest.fixture(scope="module")
def varied():
    """Four readers of one document, and a system that serves some of them better than others."""
    golds = {
        "r1": "council votes again",
        "r2": "storm hits bridge",
        "r3": "budget of the river",
        "r4": "late",
    }
    written = {
        "r1": "council votes",
        "r2": "council votes on the bridge",
        "r3": "the river",
        "r4": "late river",
    }
    return Corpus((document(references=golds, one=written),))


def test_a_measure_beside_itself_in_the_same_form_correlates_fully(varied):
    found = deviations_by_pair(varied, compute_distances(varied, make_measure("jsd")), form="means")
    for record in study_deviations(found, found, QUICK):
        assert record["value"] == pytest.approx(1.0)
        assert (record["pairs"], record["left_out"], record["share_pairs"]) == (6, 0, 3)


@pytest.mark.parametrize(("form", "expected"), [("ratios", [0.0]), ("means", [None])])
def test_readers_who_wrote_and_got_the_same_deviate_by_nothing_or_not_at_all(form, expected):
    """A ratio of two zeros counts as 0, as in the thesis' code; of two means of 0 there is none."""
    golds = {"ann": "council votes", "bob": "council votes"}
    corpus = Corpus((document(references=golds, one=dict.fromkeys(golds, "late river")),))
    found = deviations_by_pair(corpus, compute_distances(corpus, make_measure("jsd")), form=form)
    assert [None if np.isnan(value) else value for value in found.values[0].tolist()] == expected


def test_ratios_need_the_documents():
    corpus = Corpus((document(one={"r1": "council", "r2": "storm", "r3": "river"}),))
    table = compute_distances(corpus, make_measure("jsd"), normalise="none")
    with pytest.raises(InputError, match="normalise=document, or for weight=softmax"):
        deviations_by_pair(corpus, table, form="ratios")
    assert deviations_by_pair(corpus, table, form="ratios", weight="softmax").values.shape == (1, 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shares": (0.0,)}, "above 0 and at most 1, not 0.0"),
        ({"shares": (0.5,), "samples": 0}, "samples must be 1 or more, not 0"),
        ({"shares": (0.5,), "resamples": -1}, "resamples must be 0 or more, not -1"),
        ({"shares": (0.5,), "coefficients": ("rho",)}, "there is no coefficient rho"),
    ],
)
def test_what_cannot_be_sampled_is_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        Sampling(**wrong)


def test_the_interval_is_about_other_readers():
    """Where a reader's own ways make its pairs' values, pairs tell less than their number promises."""
    generator = np.random.default_rng(7)
    pairs = np.stack(np.triu_indices(20, 1), axis=-1)
    x, y = (generator.normal(size=20)[pairs].sum(axis=1) for _ in range(2))
    sampling = Sampling(shares=(1.0,), samples=1, resamples=200, coefficients=("pearson",))
    found = next(coefficient_records(x, y, pairs, sampling))
    drawn = (generator.integers(len(x), size=len(x)) for _ in range(200))
    by_pair = [np.corrcoef(x[at], y[at])[0, 1] for at in drawn]
    low, high = np.quantile(by_pair, (0.025, 0.975))
    assert found["ci_high"] - found["ci_low"] > 1.5 * (high - low)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_weights_count_as_repeated_pairs(coefficient):
    """All draws at once, as each draw with its pairs written out; ties and one-sided draws included."""
    generator = np.random.default_rng(5)
    x, y = generator.integers(0, 4, size=(2, 12)) / 4
    weights = np.vstack([generator.integers(0, 3, size=(20, 12)), np.eye(12)[:1]]).astype(float)
    expected = [
        np.nan
        if (value := correlate(*(np.repeat(side, row.astype(int)) for side in (x, y)), coefficient)).estimate
        is None
        else value.estimate
        for row in weights
    ]
    np.testing.assert_allclose(under_weights(x, y, weights, coefficient), expected, atol=1e-12)
    assert np.isnan(expected[-1])


def test_the_same_seed_draws_the_same_pairs_whatever_other_shares_are_asked_for():
    generator = np.random.default_rng(3)
    pairs = np.stack(np.triu_indices(8, 1), axis=-1)
    x, y = generator.normal(size=(2, len(pairs)))
    drawn = [
        [
            one
            for one in coefficient_records(x, y, pairs, Sampling(shares, 4, 20, seed))
            if one["share"] == 0.5
        ]
        for shares, seed in (((0.5,), 1), ((0.2, 0.5), 1), ((0.5,), 2))
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
    assert {(one["share_pairs"], one["samples"]) for one in drawn[0]} == {(14, 4)}


def test_the_command_sets_two_measures_beside_each_other(tmp_path):
    pairs = tmp_path / "pairs.csv"
    records = results(
        *("deviations", DEMO, "-m", "rouge-l", "-m", "jsd-oov", "--share", 0.5, "--resamples", 0),
        *("--system", "half", "--pairs", pairs),
    )
    assert [(one["first"], one["second"], one["coefficient"]) for one in records] == [
        ("rouge-l@means", "jsd-oov@ratios", name) for name in ("pearson", "spearman", "kendall")
    ]
    corpus = read_corpus(DEMO, name="demo")
    first, second = (
        deviations_by_pair(corpus, compute_distances(corpus, make_measure(name), systems=["half"]), form=form)
        for name, form in (("rouge-l", "means"), ("jsd-oov", "ratios"))
    )
    expected = study_deviations(first, second, Sampling(shares=(0.5,), resamples=0))
    assert [one["value"] for one in records] == [one["value"] for one in expected]
    assert [one["decisions"] for one in records] == [DEVIATIONS] * 3
    rows = pairs.read_text(encoding="utf-8").splitlines()
    assert rows[0] == "system,reader_a,reader_b,measure,deviation"
    assert len(rows) == 1 + 2 * 10


def test_the_forms_can_be_asked_for_by_name():
    records = results(
        *("deviations", DEMO, "-m", "jsd@ratios", "-m", "jsd@means", "--share", 0.5),
        *("--resamples", 0, "--system", "half"),
    )
    assert {(one["first"], one["second"], one["ci_low"]) for one in records} == {
        ("jsd@ratios", "jsd@means", None)
    }
    assert all(0.0 < one["value"] < 1.0 for one in records)


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        (["jsd"], "--measure must be given twice, for the two that are set against each other, not 1 times"),
        (["jsd", "jsd:root=true"], "jsd is named with two sets of options"),
    ],
)
def test_two_measures_are_named_each_with_one_set_of_options(measures, message):
    done = run("deviations", DEMO, *(part for measure in measures for part in ("-m", measure)))
    assert done.returncode == 2
    assert message in done.stderr
