"""Neural distances, whose last bits depend on what is encoded together."""

import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.measures import make_measure
from tests.meta_eval.neural_models import WORDS, save_bert
from tests.meta_eval.strategies import document
from tests.meta_eval.tables import assert_same_distances


@pytest.mark.parametrize(("measure_id", "options"), [("infolm", {}), ("bertscore", {"layer": 2})])
def test_a_run_that_goes_on_after_some_shards_gives_the_same_bits(tmp_path, measure_id, options):
    model = str(save_bert(tmp_path / "model"))
    measure = make_measure(measure_id, model=model, max_length=32, device="cpu", **options)
    words = [*WORDS, *WORDS]
    corpus = Corpus(
        tuple(
            document(
                f"d{n}",
                body=" ".join(words[n : n + 12]),
                references={f"r{j}": " ".join(words[n + j : n + 3 * j + 2]) for j in range(3)},
                S={f"r{j}": " ".join(words[n + 5 : n + 8 + 2 * j]) for j in range(3)},
            )
            for n in range(9)
        )
    )
    plain = compute_distances(corpus, measure, shard_documents=3)
    store = DistanceStore(str(tmp_path / "store"))
    compute_distances(corpus, measure, shard_documents=3, store=store)
    parts = sorted((tmp_path / "store" / measure.signature.digest / "parts").iterdir())
    parts[1].unlink()
    resumed = compute_distances(corpus, measure, shard_documents=3, store=store)
    assert_same_distances(resumed, plain)
    assert (len(parts), 0 < resumed.counts.compared < plain.counts.compared) == (3, True)
