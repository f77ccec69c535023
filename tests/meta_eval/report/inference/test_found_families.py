"""Families that nobody named: found in texts and scores, said, and used for p within families."""

from dataclasses import replace

import numpy as np
import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.report.inference.found_families import ONE_TEXT, OWN_TEXTS, find_families, one_text_systems
from meta_eval.report.inference.infer import infer_report
from meta_eval.report.inference.table import JointTable
from meta_eval.report.limits import found_families_caution, interval_limits
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import read_report, report_record
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.resampling.samples import ScoreSample
from meta_eval.stats.table.schemes import TableSamples
from tests.meta_eval.report.inference.inferring import make_inputs
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus, rate_all
from tests.meta_eval.surveys import make_content, with_inference

OPTIONS = InferenceOptions(resamples=60, splits=4, simulations=4, agreement_resamples=60, seed=3)
SYSTEMS = tuple("abcdefgh")
APART = [1.0, 2.0, 3.0, 4.0, 21.0, 22.0, 23.0, 24.0]
TOGETHER = [1.0, 2.2, 3.1, 4.3, 5.0, 6.2, 7.1, 8.0]


def corpus_of(documents, systems):
    """One text of each system for both readers of a document, or two."""
    texts = {
        name: dict.fromkeys("rs", "one") if same else {"r": "one", "s": "two"}
        for name, same in systems.items()
    }
    made = make_corpus(3, documents=documents)
    return Corpus(tuple(replace(document, summaries=texts) for document in made.documents))


def table_of(people, machines, systems=SYSTEMS):
    """A table whose scores are these by surrogate and measure, each with the same noise of resamples."""
    noise = np.random.default_rng(1).standard_normal((50, len(systems))) * 0.1

    def samples(side, suffix):
        return {
            ScoreId(f"{score}{suffix}", name): ScoreSample(
                np.array(values, dtype=float), np.array(values) + noise
            )
            for name, values in side.items()
            for score in ("degress", "perseval")
        }

    drawn = {**samples(people, "_hj"), **samples(machines, "")}
    return JointTable(
        drawn=TableSamples(drawn, drawn, tuple(systems)),
        share=None,
        measures=tuple(machines),
        surrogates=tuple(people),
        rng=np.random.default_rng(0),
        design=OPTIONS.design,
    )


NO_TEXTS = corpus_of(2, dict.fromkeys(SYSTEMS, False))


def test_systems_of_one_text_are_a_family_of_their_own():
    corpus = corpus_of(2, {"plain": True, "copy": True, "own": False})
    assert one_text_systems(corpus, ["plain", "copy", "own", "nobody"]) == {"plain", "copy"}
    table = table_of({"jsd": [1, 2, 3]}, {"bleu": [1, 2, 3]}, systems=("copy", "own", "plain"))
    found = find_families(corpus, table)
    assert found.families == {"copy": ONE_TEXT, "own": OWN_TEXTS, "plain": ONE_TEXT}
    everyone = corpus_of(2, dict.fromkeys(("copy", "own", "plain"), True))
    assert find_families(everyone, table) is None


@pytest.mark.parametrize(
    ("people", "machines", "how"),
    [
        ({"jsd": APART}, {"bleu": TOGETHER}, "systems lie apart by a wide gap in human scores"),
        ({"jsd": TOGETHER}, {"bleu": APART}, "systems lie apart by a wide gap in automatic scores"),
        (
            {"jsd": APART, "bleu": TOGETHER},
            {"bleu": TOGETHER},
            "systems lie apart by a wide gap in human scores",
        ),
        ({"jsd": TOGETHER}, {"bleu": APART, "jsd": TOGETHER, "meteor": TOGETHER}, None),
        ({"jsd": TOGETHER}, {"bleu": TOGETHER}, None),
        ({"jsd": [*TOGETHER[:-1], 99.0]}, {"bleu": TOGETHER}, None),
    ],
    ids=["people", "measure", "half the surrogates", "one measure of three", "none", "one system far off"],
)
def test_groups_are_families_where_half_the_scores_of_a_side_have_them(people, machines, how):
    found = find_families(NO_TEXTS, table_of(people, machines))
    if how is None:
        assert found is None
    else:
        assert found.how == how
        assert list(found.families.values()) == ["below the gap"] * 4 + ["above the gap"] * 4


@pytest.fixture(scope="module")
def inputs():
    """Of three systems one writes the same for everybody."""
    corpus = make_corpus(11, documents=12)
    alike = [
        replace(
            document,
            summaries={
                **document.summaries,
                "one": dict.fromkeys(document.summaries["one"], "the same words"),
            },
        )
        for document in corpus.documents
    ]
    made = Corpus(tuple(alike))
    return make_inputs(made, rate_all(Corpus(made.documents[2:]), 5))


@pytest.fixture(scope="module")
def found(inputs):
    return infer_report(inputs, options=OPTIONS)


def test_found_families_give_p_within_and_given_ones_come_first(inputs, found):
    families = {"one": ONE_TEXT, "three": OWN_TEXTS, "two": OWN_TEXTS}
    assert found.inference.found_families.families == families
    assert found.inference.known_families == families
    given = infer_report(inputs, options=replace(OPTIONS, families=families)).inference
    assert given.found_families is None
    assert found.inference.families == ()  # tables of each family are for those that somebody named
    assert {row.p_within_method for row in found.correlations if row.estimate is not None} == {"exact"}
    named = infer_report(inputs, options=replace(OPTIONS, families=families)).correlations
    within = [(row.p_within, row.within, row.families_mean) for row in found.correlations]
    assert within == [(row.p_within, row.within, row.families_mean) for row in named]


def test_found_families_are_said_and_read_back(found):
    caution = found_families_caution(found.inference)
    assert caution == [
        "Families of systems were found, not named by anybody (some systems write one text for all readers "
        "of a document): one text for all readers = one; a text for each reader = three, two. Name them for "
        "intervals and tables of each family."
    ]
    assert found_families_caution(None) == []
    report = with_inference(make_content()).report
    kept = replace(report, inference=replace(report.inference, found_families=found.inference.found_families))
    assert read_report(report_record(kept)) == kept


@pytest.mark.parametrize(
    ("methods", "resampled", "words"),
    [
        (
            ("hierarchical", "hierarchical"),
            "documents",
            "or one system lies far off",
        ),
        (("hierarchical", "hierarchical-by-family"), "documents", "each family of systems has a mean"),
        (("hierarchical", "hierarchical-wider"), "documents", "is the wider of two"),
        (("hierarchical", "hierarchical"), "raters", "hold in about 92 of 100"),
        (("hierarchical", "hierarchical"), "raters within documents", "is counted twice here"),
    ],
)
def test_what_intervals_rest_on_is_said(found, methods, resampled, words):
    rows = [
        replace(row, ci_method=methods[row.coefficient != "pearson"], ci_low=0.1, ci_high=0.2)
        for row in found.correlations
    ]
    said = " ".join(interval_limits(rows, resampled))
    assert words in said
    assert ("or one system lies far off" in said) == (methods[1] == "hierarchical")
    assert "one set whose true scores nearly tie" in said


def test_intervals_in_closed_form_have_no_limits_of_a_model(found):
    rows = [replace(row, ci_method="fisher", ceiling=None) for row in found.correlations]
    said = interval_limits([row for row in rows if row.coefficient != "spearman"], "systems")
    assert said == []
