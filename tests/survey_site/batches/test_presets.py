"""Each preset against its paper's design (protocol 6), planned over corpora like the papers'."""

import os
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.corpus.pens import read_pens
from meta_eval.design.plan import plan_survey, plannable_documents
from survey_site.batches.presets import PRESETS, preset_values
from survey_site.demo.services import CORPUS_FILE
from tests.factories.corpus import make_corpus

SHARED = Path(os.environ.get("CONCORD_SHARED", Path(__file__).parents[4] / "shared"))


@pytest.fixture(scope="module")
def demo():
    return plannable_documents(read_jsonl(CORPUS_FILE))


@pytest.fixture(scope="module")
def pens():
    """PENS, with as many systems as iCOPERNICUS had: each wrote for every reader, as the one read did."""
    folder = SHARED / "data" / "pens"
    if not folder.is_dir():
        pytest.skip(f"PENS is not at {folder}; set CONCORD_SHARED to its place")
    corpus = read_pens(test=folder / "personalized_test.tsv", systems={"S1": folder / "hyps_NAML.txt"})
    return [
        replace(one, readers_by_system={f"S{number}": one.readers_by_system["S1"] for number in range(1, 10)})
        for one in plannable_documents(corpus)
    ]


def planned(available, name, *, documents):
    design = PRESETS[name]
    systems = sorted(available[0].readers_by_system)[: design.systems]
    return plan_survey(
        available,
        systems=systems,
        documents=documents,
        readers=design.readers,
        reader_pairs=design.reader_pairs,
        systems_per_questionnaire=design.systems_per_questionnaire,
        raters=design.raters,
        parts_together=design.parts_together,
    )


def test_perseval_hands_both_halves_of_a_document_out_one_after_the_other(demo):
    plan = planned(demo, "perseval", documents=20)
    halves = list(zip(plan.questionnaires[::2], plan.questionnaires[1::2], strict=True))
    assert len({first.document for first, _ in halves}) == len(halves) == 20
    for first, second in halves:
        assert (first.document, first.reader_a, first.reader_b) == (
            second.document,
            second.reader_a,
            second.reader_b,
        )
        assert (first.items, second.items, len({*first.systems, *second.systems})) == (6, 6, 10)
    assert plan.raters == 2


def test_icopernicus_is_339_responses_to_three_readers_of_113_documents(pens):
    plan = planned(pens, "icopernicus", documents=PRESETS["icopernicus"].documents)
    pairs = defaultdict(set)
    for one in plan.questionnaires:
        pairs[one.document].add((one.reader_a, one.reader_b))
    assert (len(pairs), len(plan.questionnaires) * plan.raters) == (113, 339)
    assert {one.items for one in plan.questionnaires} == {10}
    for drawn in pairs.values():
        readers = sorted({reader for pair in drawn for reader in pair})
        assert drawn == set(combinations(readers, 2))
        assert len(readers) == 3


def test_the_thesis_asks_for_six_pairs(demo):
    plan = planned(demo, "thesis", documents=20)
    assert Counter(one.items for one in plan.questionnaires) == {6: 20}


def test_scale_words_and_limit_are_the_papers():
    ends = {"low_label": "Low similarity", "high_label": "Very high similarity"}
    for name in ("perseval", "icopernicus"):
        assert (PRESETS[name].scale, PRESETS[name].labels) == ("similarity", ends)
    thesis = PRESETS["thesis"]
    assert (thesis.scale, list(thesis.labels.values())) == (
        "dissimilarity",
        [
            *("Very similar", "Similar", "Somewhat similar"),
            *("Somewhat dissimilar", "Dissimilar", "Very dissimilar"),
        ],
    )
    assert {(one.document_shown, one.limit) for one in PRESETS.values()} == {(False, 1)}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("preset", "documents", "systems"), [("perseval", 42, 10), ("icopernicus", 50, 9), ("thesis", 50, 5)]
)
def test_the_proposed_number_is_the_paper_s_or_a_survey_of_days(preset, documents, systems):
    """PerSEval's 169 participants fill 42 documents of 2 questionnaires by 2 raters."""
    values = preset_values(PRESETS[preset], make_corpus(documents=50, systems=11))
    assert (values["documents"], len(values["systems"])) == (documents, systems)
