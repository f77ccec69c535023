"""A small study, and what is inferred of it: made once for all tests that only read it."""

import pytest

from meta_eval.corpus.documents import Corpus
from tests.meta_eval.records import infer_report
from tests.meta_eval.report.inference.inferring import QUICK, agree, make_inputs
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus, rate_all


@pytest.fixture(scope="session")
def corpus():
    return make_corpus(11, documents=14)


@pytest.fixture(scope="session")
def inputs(corpus):
    return make_inputs(corpus, list(agree(rate_all(Corpus(corpus.documents[2:]), 5))))


@pytest.fixture(scope="session")
def found(inputs):
    return infer_report(inputs, options=QUICK)
