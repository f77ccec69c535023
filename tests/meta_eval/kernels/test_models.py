"""Finding and loading models: each fault is an error that says what to do, before any work."""

import json
import shutil

import pytest
import torch
from huggingface_hub import constants
from transformers import GPT2Config, GPT2LMHeadModel

from meta_eval.errors import MeasureError
from meta_eval.kernels.models import find_model, load_model
from tests.meta_eval.neural_models import save_bert, save_roberta, save_tokenizer


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture
def bert(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "bert")


def load(folder, task="masked-lm"):
    return load_model(str(folder), find_model(str(folder)), task)


def test_a_folder_is_named_by_the_hash_of_its_files(bert, tmp_path):
    revision = find_model(str(bert)).revision
    assert revision.startswith("sha256:")
    assert len(revision) == 71
    copied = shutil.copytree(bert, tmp_path / "elsewhere")
    assert find_model(str(copied)).revision == revision
    (copied / "notes.txt").write_text("not part of the model")
    assert find_model(str(copied)).revision == revision


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
def test_another_file_is_another_revision(bert, file):
    before = find_model(str(bert)).revision
    with open(bert / file, "ab") as stream:
        stream.write(b" ")
    assert find_model(str(bert)).revision != before


def test_a_loaded_model_is_in_evaluation_and_knows_its_length(bert):
    loaded = load(bert)
    assert (loaded.module.training, loaded.max_length) == (False, 64)
    assert not any(parameter.requires_grad for parameter in loaded.module.parameters())


def test_positions_that_roberta_reserves_are_not_counted(tmp_path):
    assert load(save_roberta(tmp_path)).max_length == 64


@pytest.mark.parametrize(
    ("removed", "message"),
    [
        (["config.json"], "no config.json"),
        (["model.safetensors"], r"no safetensors weights.*save_pretrained"),
        (["tokenizer.json", "vocab.txt"], r"no tokenizer file \(tokenizer.json"),
    ],
)
def test_a_missing_file_is_named(bert, removed, message):
    for name in removed:
        (bert / name).unlink(missing_ok=True)
    with pytest.raises(MeasureError, match=message):
        find_model(str(bert))


def test_pickled_weights_are_not_read(bert):
    (bert / "model.safetensors").unlink()
    torch.save({}, bert / "pytorch_model.bin")
    with pytest.raises(MeasureError, match="Other formats are not read"):
        find_model(str(bert))


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(MeasureError, match="There is no model folder"):
        find_model(str(tmp_path / "nothing"))


def test_a_folder_has_no_revisions(bert):
    with pytest.raises(MeasureError, match="has no revisions"):
        find_model(str(bert), "main")


def test_a_name_that_cannot_be_a_model():
    with pytest.raises(MeasureError, match="neither a model folder nor the name"):
        find_model("not a model!")


def test_without_a_network_the_error_says_where_else_a_model_may_come_from(monkeypatch, tmp_path):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        MeasureError, match=r"'concord/none' is not on this machine.*Give a folder.*hf download"
    ):
        find_model("concord/none")


def test_a_cached_model_is_found_without_a_network_and_named_by_its_commit(monkeypatch, saved, tmp_path):
    commit = "0123456789abcdef0123456789abcdef01234567"
    cached = tmp_path / "models--concord--tiny"
    shutil.copytree(saved, cached / "snapshots" / commit)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    folder = find_model("concord/tiny")
    assert folder.revision == commit
    assert load_model("concord/tiny", folder, "masked-lm").max_length == 64


def test_an_encoder_has_no_masked_lm_head_but_can_encode(tmp_path):
    folder = save_bert(tmp_path, head=False)
    with pytest.raises(MeasureError, match="no masked-language-model head, which infolm needs"):
        load(folder)
    assert load(folder, "encoder").module.config.num_hidden_layers == 3


def test_another_kind_of_model_has_no_masked_lm_head(tmp_path):
    config = GPT2Config(
        vocab_size=85, n_embd=8, n_layer=1, n_head=1, n_positions=32, bos_token_id=1, eos_token_id=1
    )
    GPT2LMHeadModel(config).save_pretrained(tmp_path)
    save_tokenizer(tmp_path)
    with pytest.raises(MeasureError, match="no masked-language-model head"):
        load(tmp_path)


def test_a_tokenizer_of_another_model_is_refused(bert):
    config = json.loads((bert / "tokenizer.json").read_text())
    config["model"]["vocab"] |= {f"more{i}": 85 + i for i in range(9)}
    (bert / "tokenizer.json").write_text(json.dumps(config))
    with pytest.raises(MeasureError, match="do not belong together"):
        load(bert)


def test_weights_that_are_missing_are_not_made_up(bert):
    from safetensors.torch import load_file, save_file

    weights = load_file(bert / "model.safetensors")
    del weights["bert.encoder.layer.1.output.dense.weight"]
    save_file(weights, bert / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(MeasureError, match=r"lacks 1 of its weights.*layer\.1\.output\.dense\.weight"):
        load(bert)


def test_a_broken_file_is_an_error_of_the_measure(bert):
    weights = bert / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5_000])
    with pytest.raises(MeasureError, match="cannot be loaded"):
        load(bert)
