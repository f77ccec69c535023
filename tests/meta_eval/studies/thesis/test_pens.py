"""The thesis' figures that PENS can confirm: its pairs of readers, and what its headline is a sum of."""

from pathlib import Path

import numpy as np
import pytest

from meta_eval.corpus.pens import read_pens
from meta_eval.distances.computing import compute_distances
from meta_eval.measures import make_measure
from meta_eval.studies.thesis import Sampling, deviations_by_pair, penalties_by_pair, study_penalties

FOLDER = Path("../shared/data/pens")


@pytest.fixture(scope="module")
def corpus():
    if not FOLDER.is_dir():
        pytest.skip("the PENS files are not at hand")
    return read_pens(test=FOLDER / "personalized_test.tsv", systems={"NAML": FOLDER / "hyps_NAML.txt"})


@pytest.fixture(scope="module")
def table(corpus):
    return compute_distances(corpus, make_measure("rouge-l"), normalise="none")


def test_all_pairs_of_readers_have_a_deviation(corpus, table):
    found = deviations_by_pair(corpus, table, form="means")
    assert (found.values.shape, int(np.isfinite(found.values).sum())) == ((1, 5253), 5253)
    pairs = [len(one.references) * (len(one.references) - 1) // 2 for one in corpus.documents]
    assert sum(pairs) == 55_572


def test_the_notebook_counts_fewer_than_half_of_them(corpus, table):
    """2,517 with its Jensen-Shannon beside ROUGE-L; by ROUGE-L alone one fewer."""
    found = deviations_by_pair(corpus, table, form="means", co_readers="last")
    assert int(np.isfinite(found.values).sum()) == 2516


def test_the_printed_headline_is_102_times_a_mean(corpus, table):
    found = penalties_by_pair(corpus, table, table, weight="softmax")
    assert int(np.isfinite(found.rouge).sum()) == 10_506
    sampling = Sampling(shares=(1.0,), samples=1, resamples=0, coefficients=("pearson",))
    assert abs(study_penalties(found, sampling)[0]["rouge"] - 23.69789278467673 / 102) < 1e-12


def test_the_mean_of_nrms_is_ours():
    """The thesis has none of it; this is what all its pairs of readers give."""
    if not FOLDER.is_dir():
        pytest.skip("the PENS files are not at hand")
    corpus = read_pens(test=FOLDER / "personalized_test.tsv", systems={"NRMS": FOLDER / "hyps_NRMS.txt"})
    table = compute_distances(corpus, make_measure("rouge-l"), normalise="none")
    found = penalties_by_pair(corpus, table, table, weight="softmax")
    assert round(float(np.nanmean(found.rouge)), 6) == 0.234813


def test_the_notebooks_printed_row(corpus):
    """Document N24110, readers NT1 and NT100: ROUGE-L F1 of their references and of NAML's headlines."""
    one = next(one for one in corpus.documents if one.id == "N24110")
    measure = make_measure("rouge-l")
    found = []
    for side in (one.references, one.summaries["NAML"]):
        prepared = measure.prepare([side["NT1"], side["NT100"]])
        found.append(1.0 - float(measure.distances(prepared, np.array([0]), np.array([1]))[0]))
    assert [round(value, 5) for value in found] == [0.44444, 1.0]
