"""A reader of prompts against a writer of one text: what its paradoxes are, and how sure."""

import re

import pytest

from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.scores.prompt_styles import CONTRASTIVE, STYLES
from meta_eval.stats.significance.prompt_orders import compare_styles
from meta_eval.studies.icopernicus.adding import add_systems
from meta_eval.studies.icopernicus.options import GenerationOptions
from meta_eval.studies.icopernicus.paradoxes import find_paradoxes
from meta_eval.studies.icopernicus.uncertainty import egises_by_style, styled_systems
from tests.meta_eval.studies.icopernicus.reading import make_corpus
from tests.meta_eval.studies.icopernicus.test_generation import generate


def same(place, question):
    return dict.fromkeys(question.request.form.labels, "the same for everybody")


def own_title(place, question):
    """The first title of each reader's history, where a prompt of two readers tells it."""
    titles = re.findall(r"chose to read, in order:\n~+\n(.*)", question.request.messages[-1].content)
    labels = question.request.form.labels
    return dict(zip(labels, titles, strict=True)) if len(titles) == 2 else same(place, question)


def distances(text):
    corpus = make_corpus(6)
    made = add_systems(corpus, generate(corpus, GenerationOptions(plan="all"), text))
    return compute_distances(made, make_measure("jsd"), normalise="none")


def test_a_model_that_always_writes_the_same_has_every_paradox_and_none_is_decided():
    source = distances(same)
    scores = egises_by_style(source)["M"]
    assert len(set(scores.values())) == 1
    assert scores["0-shot"] > 0.99
    assert {one.is_paradox for one in find_paradoxes({"M": scores}, pairs="all")} == {True}
    found = compare_styles(source, pairs="all", resamples=50, permutations=64)
    assert (len(found), {one.verdict for one in found.values()}) == (9, {"not decided"})


def test_a_model_that_tells_readers_apart_by_their_history_gains_by_contrast():
    scores = egises_by_style(distances(own_title))["M"]
    apart = {"C-0-shot", "C-2-shot w/"}
    assert max(scores[style] for style in apart) < min(scores[style] for style in set(STYLES) - apart)
    assert set(scores) - set(CONTRASTIVE) == {"0-shot", "2-shot w/o", "2-shot w/"}


def test_systems_that_no_prompt_made_are_named():
    with pytest.raises(InputError, match="no system is named MODEL: STYLE"):
        styled_systems(["NAML"])
