"""Prompt orders in a report: both sides over the same rated pairs, as the statistics have them."""

from dataclasses import replace

import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.report.inference.prompts import ask_prompts
from meta_eval.report.schema import FurtherQuestions
from meta_eval.report.tables.prompts import lay_out_prompt_orders
from meta_eval.report.view import View
from meta_eval.stats.significance.prompt_orders import compare_styles
from tests.meta_eval.report.inference.inferring import MEASURES, make_inputs
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus, rate_all
from tests.meta_eval.surveys import make_content, with_inference

NAMED = ("M: 0-shot", "M: C-0-shot", "N: 0-shot")
VIEW = View("egises", MEASURES[0], "jsd")


@pytest.fixture(scope="module")
def inputs():
    corpus = make_corpus(4, documents=9)
    names = dict(zip(corpus.systems, NAMED, strict=False))
    documents = [
        replace(one, summaries={names.get(name, name): texts for name, texts in one.summaries.items()})
        for one in corpus.documents
    ]
    named = Corpus(tuple(documents))
    return make_inputs(named, rate_all(named, 3))


@pytest.fixture(scope="module")
def asked(inputs):
    return ask_prompts(FurtherQuestions(), inputs.matched, inputs.human, seed=7)


def test_each_side_has_the_orders_of_models_with_both_styles(inputs, asked):
    found = [(row.side, row.measure, row.model, row.order) for row in asked.prompt_orders]
    sides = [("automatic", name) for name in inputs.matched] + [("human", name) for name in inputs.human]
    assert found == [(*side, "M", "PX-3") for side in sides]
    for row in asked.prompt_orders:
        table = inputs.matched[row.measure] if row.side == "automatic" else inputs.human[row.measure].table
        test = compare_styles(table, pairs="all", seed=7)["M", "PX-3"]
        assert (row.documents, row.egises_change, row.p, row.verdict) == (
            test.documents,
            test.difference,
            test.p,
            test.verdict,
        )
        assert row.is_paradox == (row.richer_egises >= row.poorer_egises)
    assert len({row.documents for row in asked.prompt_orders}) == 1


def test_without_systems_of_prompts_nothing_is_asked(inputs):
    plain = {name: replace(table, systems=("A", "B", "C")) for name, table in inputs.matched.items()}
    assert ask_prompts(FurtherQuestions(), plain, {}, seed=0).prompt_orders == ()


def test_both_sides_stand_side_by_side_in_the_view(asked):
    report = with_inference(make_content()).report
    report = replace(report, inference=replace(report.inference, further=asked))
    grid = lay_out_prompt_orders(report, VIEW)
    (line,) = grid.lines
    assert line.heads == ("M", "PX-3", "0-shot to C-0-shot")
    rows = {(row.side, row.measure): row for row in asked.prompt_orders}
    machine, people = rows["automatic", MEASURES[0]], rows["human", "jsd"]
    assert [line.cells[0].value, line.cells[2].value] == [
        100 * machine.egises_change,
        100 * people.egises_change,
    ]
    said = [f"not decided at {row.documents} documents" for row in (machine, people)]
    assert [line.cells[1], line.cells[3]] == said
    decided = replace(
        asked, prompt_orders=tuple(replace(row, verdict="paradox") for row in asked.prompt_orders)
    )
    report = replace(report, inference=replace(report.inference, further=decided))
    assert lay_out_prompt_orders(report, VIEW).lines[0].cells[3] == "paradox"
    assert lay_out_prompt_orders(make_content().report, VIEW).lines == ()
