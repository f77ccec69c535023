"""A bundle with a neural measure: verified beside the model, open without it; another model is found out."""

import io
from pathlib import Path

import pytest

from meta_eval.publish.bundle import verify_bundle, write_bundle
from tests.meta_eval.surveys import make_content

MODEL = "tiny-bert"


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A model folder in the working folder, and the bundle that was made with its full path."""
    neural_models = pytest.importorskip("tests.meta_eval.neural_models", reason="torch is not installed")
    monkeypatch.chdir(tmp_path)
    return neural_models.save_bert(tmp_path / MODEL)


def sealed(model: Path) -> io.BytesIO:
    spec = f"infolm:model={model},max_length=64"
    content = make_content(measures=("rouge-l", spec), surrogates=("rouge-l",))
    stream = io.BytesIO()
    write_bundle(stream, content)
    return stream


def test_beside_its_model_every_number_is_recomputed(model):
    found = verify_bundle(sealed(model))
    assert (found.files, found.differences) == ((), ())
    assert [row.path for row in found.not_recomputed if row.numbers] == ["left_out[surplus_questionnaires]"]


def test_without_the_model_its_numbers_are_open_and_the_others_verified(model, monkeypatch):
    bundle = sealed(model)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(model.parent.parent)
    found = verify_bundle(bundle)
    assert (found.files, found.differences) == ((), ())
    reasons = {row.path: row.why for row in found.not_recomputed}
    assert MODEL in reasons["leaderboard[automatic, infolm, perseval, Copy]"]
    assert "leaderboard[automatic, rouge-l, perseval, Copy]" not in reasons


def test_another_model_under_the_same_name_is_found_out(model):
    import torch
    from safetensors.torch import load_file, save_file

    bundle = sealed(model)
    weights = load_file(model / "model.safetensors")
    torch.manual_seed(1)
    changed = {name: value + 0.05 * torch.randn_like(value) for name, value in weights.items()}
    save_file(changed, model / "model.safetensors", metadata={"format": "pt"})
    found = {difference.path: difference for difference in verify_bundle(bundle).differences}
    assert "signatures[automatic, infolm].signature.revision" in found
    assert "leaderboard[automatic, infolm, degress, Long & wide].value" in found
    assert {difference.tolerance for path, difference in found.items() if "infolm" in path} <= {1e-5, None}
    assert not any(path.startswith("leaderboard[automatic, rouge-l") for path in found)
