import pytest

from tests.meta_eval.neural_models import save_bert, save_distilbert, save_roberta


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory):
    """WordNet is unpacked for the tests, not into the home of whoever runs them."""
    folder = tmp_path_factory.mktemp("concord-data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONCORD_DATA", str(folder))
        yield folder


@pytest.fixture(scope="session")
def bert(tmp_path_factory) -> str:
    """The folder of a tiny random BERT with its masked-LM head."""
    return str(save_bert(tmp_path_factory.mktemp("bert")))


@pytest.fixture(
    scope="session", params=[save_bert, save_roberta, save_distilbert], ids=["bert", "roberta", "other"]
)
def any_model(request, tmp_path_factory) -> str:
    """The folder of a tiny model of each architecture, the last one unknown to the kernels."""
    return str(request.param(tmp_path_factory.mktemp("model")))
