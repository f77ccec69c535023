"""Do measures deviate alike: a report's rows against the study of one system, and what stands in the grid."""

from dataclasses import replace

import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.measures import make_measure
from meta_eval.report.inference import deviations as study
from meta_eval.report.options import InferenceOptions
from meta_eval.stats.reader_pairs.deviation import deviations_by_pair, study_deviations
from meta_eval.stats.reader_pairs.samples import Sampling
from tests.meta_eval.strategies import document

OPTIONS = InferenceOptions(resamples=100, seed=4)
GOLDS = {
    "r1": "council votes again",
    "r2": "storm hits bridge",
    "r3": "budget of the river",
    "r4": "late",
}
GOOD = {"r1": "council votes", "r2": "council votes on the bridge", "r3": "the river", "r4": "late river"}
ODD = {"r1": "council", "r2": "bridge votes", "r3": "council", "r4": "the late budget"}


def tables(names, corpus, normalise="document"):
    return {name: compute_distances(corpus, make_measure(name), normalise=normalise) for name in names}


@pytest.fixture(scope="module")
def corpus():
    """Two systems serve four readers; the third writes one text for all, so that it deviates nowhere."""
    texts = {"good": GOOD, "odd": ODD, "fixed": dict.fromkeys(GOLDS, "storm")}
    return Corpus((document("d1", references=GOLDS, **texts), document("d2", references=GOLDS, **texts)))


@pytest.fixture(scope="module")
def rows(corpus):
    return study.study_deviations_of(tables(("rouge-l", "jsd", "jsd-oov"), corpus), corpus, OPTIONS)


def test_a_row_is_the_mean_of_the_systems(corpus, rows):
    found = tables(("rouge-l", "jsd-oov"), corpus)
    first = deviations_by_pair(corpus, found["rouge-l"], form="means")
    second = deviations_by_pair(corpus, found["jsd-oov"], form="ratios")
    records = study_deviations(first, second, Sampling(shares=(0.5,), resamples=0, seed=4))
    for coefficient in ("pearson", "spearman", "kendall"):
        values = {one["system"]: one["value"] for one in records if one["coefficient"] == coefficient}
        assert values.pop("fixed") is None
        (row,) = (
            row
            for row in rows
            if (row.measure, row.measure_form, row.other, row.other_form, row.coefficient, row.share_of_pairs)
            == ("rouge-l", "means", "jsd-oov", "ratios", coefficient, 0.5)
        )
        assert row.estimate == pytest.approx(sum(values.values()) / 2, abs=1e-12)
        assert (row.lowest_system, row.highest_system) == pytest.approx(
            (min(values.values()), max(values.values())), abs=1e-12
        )
        drawn = sum(one["samples"] for one in records if one["coefficient"] == coefficient)
        assert (row.systems_defined, row.reader_pairs, row.pairs_left_out, row.samples) == (2, 6, 0, drawn)
        assert 0 < drawn < 20, "one of three systems has no value, and a sample of three pairs may have none"
        assert row.ci_low <= row.estimate <= row.ci_high


def test_one_system_has_the_samples_and_the_interval_of_the_command(corpus):
    alone = Corpus(tuple(replace(one, summaries={"good": GOOD}) for one in corpus.documents))
    found = tables(("rouge-l", "jsd"), alone, "none")
    made = study.study_deviations_of(found, alone, OPTIONS)
    sides = [deviations_by_pair(alone, table, form="means") for table in found.values()]
    records = study_deviations(*sides, Sampling(study.SHARES, resamples=100, seed=4))
    assert [(row.coefficient, row.share_of_pairs) for row in made] == [
        (one["coefficient"], one["share"]) for one in records
    ]
    for row, one in zip(made, records, strict=True):
        ours = (row.estimate, row.sample_lowest, row.sample_q1, row.sample_median, row.sample_q3)
        theirs = [one[name] for name in ("value", "low", "q1", "median", "q3")]
        assert ours == pytest.approx(theirs, abs=1e-12)
        assert (row.ci_low, row.ci_high) == pytest.approx((one["ci_low"], one["ci_high"]), abs=1e-12)


def test_all_measures_meet_in_one_form_and_each_its_own_other_form(rows):
    asked = dict.fromkeys((row.measure, row.measure_form, row.other, row.other_form) for row in rows)
    assert list(asked) == [
        ("rouge-l", "means", "jsd", "means"),
        ("rouge-l", "means", "jsd-oov", "means"),
        ("jsd", "means", "jsd-oov", "means"),
        ("rouge-l", "means", "rouge-l", "ratios"),
        ("jsd", "means", "jsd", "ratios"),
        ("jsd-oov", "means", "jsd-oov", "ratios"),
        ("rouge-l", "means", "jsd-oov", "ratios"),
    ]


def test_one_measure_is_no_study(corpus):
    assert study.study_deviations_of(tables(("jsd",), corpus), corpus, OPTIONS) == ()


def test_without_a_value_there_is_a_reason(corpus):
    flat = Corpus(
        tuple(replace(one, summaries={"fixed": dict.fromkeys(GOLDS, "storm")}) for one in corpus.documents)
    )
    made = study.study_deviations_of(tables(("rouge-l", "jsd"), flat, "none"), flat, OPTIONS)
    assert {(row.estimate, row.ci_low, row.sample_median, row.reason) for row in made} == {
        (None, None, None, "no system has two pairs of readers that deviate differently by both measures")
    }
    assert {row.samples for row in made} == {0}


def test_many_readers_are_not_resampled(corpus, monkeypatch):
    monkeypatch.setattr(study, "MOST_PAIRS", 5)
    made = study.study_deviations_of(tables(("rouge-l", "jsd"), corpus, "none"), corpus, OPTIONS)
    assert {(row.ci_low, row.ci_high) for row in made} == {(None, None)}
    assert None not in {row.estimate for row in made}
