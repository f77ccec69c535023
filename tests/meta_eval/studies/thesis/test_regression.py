"""What the thesis' two studies give on the demonstration's corpus and on SQuALITY, pinned."""

from pathlib import Path

import numpy as np
import pytest

from meta_eval.corpus.tables import read_corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.measures import make_measure
from meta_eval.studies.thesis import deviations_by_pair, penalties_by_pair

DEMO = Path("fixtures/demo/corpus.jsonl")
SQUALITY = Path("../shared/data/squality/consolidated.jsonl")
EXPECTED = {
    "copycat": (1.0, 1.0, 1.0, 0.75),
    "title": (0.0, 0.0, 0.18602930183097371, 0.09370692809643025),
    "mixed": (0.723243383391891, 0.6530184381656501, 0.6241224078601693, 0.42620714744881144),
    "half": (0.5126030287039421, 0.5106335425092996, 0.6010287010663437, 0.3928903000755478),
}
"""By system: the means of ROUGE-L-Dev, DINS-Dev, ROUGE-L and P-ROUGE over pairs of readers."""
OF_SQUALITY = {
    "bart": (0.0, 0.0, 0.1771648822938716, 0.08890419035784788),
    "bart-dpr": (0.0, 0.0, 0.18877527344723416, 0.0948941905669366),
}
"""Its systems write one text for all readers, so no pair of them deviates."""


def means(path, systems):
    corpus = read_corpus(path)
    rouge, jsd = (
        compute_distances(corpus, make_measure(one), systems=systems) for one in ("rouge-l", "jsd-oov")
    )
    found = penalties_by_pair(corpus, rouge, jsd)
    sides = [
        deviations_by_pair(corpus, rouge, form="means").values,
        deviations_by_pair(corpus, jsd, form="ratios").values,
        found.rouge.reshape(len(systems), -1),
        found.penalised.reshape(len(systems), -1),
    ]
    return {
        system: tuple(float(np.nanmean(side[row])) for side in sides) for row, system in enumerate(systems)
    }


def test_the_demonstration():
    assert means(DEMO, tuple(EXPECTED)) == {
        system: pytest.approx(values, abs=1e-12) for system, values in EXPECTED.items()
    }


def test_squality():
    if not SQUALITY.is_file():
        pytest.skip("SQuALITY's file is not at hand")
    assert means(SQUALITY, tuple(OF_SQUALITY)) == {
        system: pytest.approx(values, abs=1e-12) for system, values in OF_SQUALITY.items()
    }
