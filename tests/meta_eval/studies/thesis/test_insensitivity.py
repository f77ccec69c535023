"""Weak and strong insensitivity: counted pair by pair."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.studies.thesis import Thresholds, count_insensitive
from tests.meta_eval.cli.running import results, run
from tests.meta_eval.strategies import document
from tests.meta_eval.studies.thesis.test_deviation import DEMO, gappy, sigmas

NAMES = {
    (True, True): "both_apart",
    (True, False): "insensitive",
    (False, True): "over_sensitive",
    (False, False): "both_alike",
}


@settings(max_examples=20, deadline=None)
@given(gappy(), st.sampled_from([0.0, 0.4, 1.0]), st.sampled_from([0.0, 0.4, 1.0]))
def test_every_ordered_pair_is_counted_once(corpus, references, summaries):
    sigma = sigmas(corpus, "jsd")
    table = compute_distances(corpus, make_measure("jsd"), normalise="none")
    for record in count_insensitive(table, Thresholds(references, summaries)):
        counts = dict.fromkeys(NAMES.values(), 0)
        for one in corpus.documents:
            written = one.summaries.get(record["system"], {})
            for first, second in permutations(one.references, 2):
                if first in written and second in written:
                    apart = sigma(one.references[first], one.references[second]) > references
                    counts[NAMES[apart, sigma(written[first], written[second]) >= summaries]] += 1
        pairs = sum(counts.values())
        assert record["pairs"] == pairs
        assert {name: record[name] for name in counts} == {
            name: count / pairs if pairs else None for name, count in counts.items()
        }


GOLDS = {"ann": "storm", "bob": "storm", "cy": "river"}


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        (GOLDS, "none"),
        (dict.fromkeys(GOLDS, "late"), "strong"),
        ({"ann": "late", "bob": "river", "cy": "late"}, "weak"),
    ],
)
def test_strong_is_insensitive_and_nowhere_too_sensitive(written, verdict):
    table = compute_distances(
        Corpus((document(references=GOLDS, one=written),)), make_measure("jsd"), normalise="none"
    )
    assert count_insensitive(table, Thresholds(0.5, 0.5))[0]["verdict"] == verdict


def test_a_system_without_pairs_has_no_verdict():
    table = compute_distances(
        Corpus((document(references=GOLDS, one={"ann": "late"}),)), make_measure("jsd"), normalise="none"
    )
    record = count_insensitive(table, Thresholds(0.5, 0.5))[0]
    assert (record["pairs"], record["insensitive"], record["verdict"]) == (0, None, None)


def test_a_threshold_is_a_distance():
    with pytest.raises(InputError, match=r"the threshold of summaries is from 0 to 1, not 1\.5"):
        Thresholds(0.5, 1.5)


def test_the_command_names_measure_and_thresholds():
    records = results(
        *("insensitivity", DEMO, "-m", "jsd", "--references-apart", 0.3, "--summaries-apart", 0.3),
        *("-s", "lead", "-s", "copycat"),
    )
    assert [(one["system"], one["measure"], one["summaries_apart"], one["verdict"]) for one in records] == [
        ("lead", "jsd", 0.3, "strong"),
        ("copycat", "jsd", 0.3, "none"),
    ]
    assert {tuple(one["decisions"]) for one in records} == {("thesis", "ours")}


def test_a_table_says_whose_decisions_it_rests_on_beside_it():
    typed = ("insensitivity", DEMO, "-m", "jsd", "--references-apart", 0.3, "--summaries-apart", 0.3)
    done = run(*typed, "-s", "lead", "--format", "csv")
    assert (done.returncode, "decisions" in done.stdout) == (0, False)
    assert "decisions, thesis: weak and strong insensitivity (definition 3.1)" in done.stderr
    assert "decisions, ours: its condition read as a distance" in done.stderr
