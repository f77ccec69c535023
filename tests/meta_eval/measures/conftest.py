from pathlib import Path

import pytest

from tests.meta_eval.neural_models import save_bert


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory):
    """WordNet is unpacked for the tests, not into the home of whoever runs them."""
    folder = tmp_path_factory.mktemp("concord-data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONCORD_DATA", str(folder))
        yield folder


@pytest.fixture(scope="session")
def bert(tmp_path_factory) -> Path:
    """A tiny random BERT with its masked-LM head."""
    return save_bert(tmp_path_factory.mktemp("bert"))
