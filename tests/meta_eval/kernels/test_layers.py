"""The layers against transformers' own, and the last layer for one row against the whole of it."""

import numpy as np
import pytest
import torch
from torch import nn

from meta_eval.kernels import attention
from meta_eval.kernels.layers import Compiled, embed, last_layer_rows, product_float32, project, run_layers
from meta_eval.kernels.pack import pack_batch
from meta_eval.kernels.weights import extract_encoder, extract_head
from tests.meta_eval.neural_models import VOCABULARY, save_bert, save_distilbert, save_roberta

LENGTHS = np.array([3, 3, 7, 7, 7, 20])


def load(folder):
    from transformers import AutoModelForMaskedLM

    return AutoModelForMaskedLM.from_pretrained(folder)


@pytest.fixture(scope="module", params=[save_bert, save_roberta], ids=["bert", "roberta"])
def module(request, tmp_path_factory):
    return load(request.param(tmp_path_factory.mktemp("model")))


def double(module):
    return extract_encoder(module).to(torch.device("cpu"), torch.float64)


def packed_states(weights, layers, fixed=False):
    """Hidden states of random texts of LENGTHS after `layers` layers, and the texts."""
    generator = torch.Generator().manual_seed(1)
    batch = pack_batch(LENGTHS, 0, 64, fixed=fixed)
    texts = [torch.randint(5, len(VOCABULARY), (length,), generator=generator) for length in LENGTHS]
    hidden = torch.zeros(batch.rows, weights.hidden, dtype=weights.dtype)
    hidden[: batch.used] = torch.cat([embed(text[None], weights)[0] for text in texts])
    return run_layers(hidden, batch, weights, weights.layers[:layers]), batch, texts


@pytest.mark.parametrize("fixed", [False, True], ids=["exact", "filled"])
@pytest.mark.parametrize("layers", [1, 3])
def test_packed_layers_equal_transformers(module, layers, fixed):
    states, _, texts = packed_states(double(module), layers, fixed)
    row = 0
    for text in texts:
        with torch.no_grad():
            expected = module.double().base_model(text[None], output_hidden_states=True).hidden_states[layers]
        # Embeddings are summed in float32, which bounds the agreement.
        torch.testing.assert_close(states[row : row + len(text)], expected[0], atol=2e-6, rtol=0)
        row += len(text)
    module.float()


def test_the_last_layer_for_one_row_equals_the_whole_layer(module):
    weights = double(module)
    hidden, batch, _ = packed_states(weights, 2)
    positions = torch.tensor([1, 2, 0, 3, 6, 19])
    alone = last_layer_rows(hidden, batch, positions, weights, weights.layers[2])
    whole = run_layers(hidden, batch, weights, weights.layers[2:])
    starts = torch.from_numpy(np.concatenate([[0], np.cumsum(LENGTHS)[:-1]]))
    torch.testing.assert_close(alone, whole[starts + positions], atol=1e-12, rtol=1e-12)


def test_inputs_are_not_changed(module):
    weights = double(module)
    hidden, batch, _ = packed_states(weights, 1)
    before = hidden.clone()
    run_layers(hidden, batch, weights, weights.layers[1:])
    last_layer_rows(hidden, batch, torch.zeros(6, dtype=torch.long), weights, weights.layers[2])
    assert torch.equal(hidden, before)


@pytest.mark.parametrize("length", [1, 3, 14, 50, 100])
def test_folded_sequences_attend_only_to_themselves(length):
    torch.manual_seed(2)
    count = 300 // length + 1
    qkv = torch.randn(count * length, 3 * 16, dtype=torch.float64)
    expected = attention.attend_equal(qkv, count, 4)
    torch.testing.assert_close(attention.attend_folded(qkv, count, length, 4), expected, atol=1e-12, rtol=0)


def test_filler_rows_are_zero_and_stay_apart():
    batch = pack_batch(np.array([4, 4]), 0, 16, fixed=True)
    qkv = torch.full((16, 24), torch.nan)
    qkv[:8] = torch.randn(8, 24)
    attended = attention.attend(qkv, batch, 2)
    assert torch.equal(attended[8:], torch.zeros(8, 8))
    torch.testing.assert_close(attended[:8], attention.attend_equal(qkv[:8], 2, 2))


def test_an_unknown_architecture_is_left_to_transformers(tmp_path):
    module = load(save_distilbert(tmp_path))
    assert extract_encoder(module) is None
    assert extract_head(module) is None


def test_a_vocabulary_is_padded_with_impossible_words(module):
    head = extract_head(module)
    padded = head.decoder.shape[0]
    assert padded % 64 == 0
    assert torch.isneginf(head.bias[len(VOCABULARY) :]).all()
    assert torch.isfinite(head.bias[: len(VOCABULARY)]).all()
    assert (head.to(torch.device("cpu"), torch.bfloat16).bias.dtype, padded) == (torch.float32, 128)


def test_products_of_rounded_numbers_are_float32():
    a, b = torch.randn(2, 3, 8), torch.randn(2, 8, 5)
    product = product_float32(a.bfloat16(), b.bfloat16())
    assert product.dtype == torch.float32
    torch.testing.assert_close(product, a.bfloat16().float() @ b.bfloat16().float())


def test_projection_is_queries_then_keys_then_values(module):
    layer = module.base_model.encoder.layer[0].attention.self
    hidden = torch.randn(5, 32)
    expected = torch.cat([part(hidden) for part in (layer.query, layer.key, layer.value)], dim=1)
    torch.testing.assert_close(
        project(hidden, extract_encoder(module).layers[0]), expected, atol=1e-5, rtol=1e-5
    )


def test_a_compiler_that_fails_is_reported_once_and_done_without(monkeypatch, caplog):
    def refuse(*args):
        raise RuntimeError("no compiler here")

    monkeypatch.setattr(torch, "compile", lambda _function, **_options: refuse)
    compiled = Compiled(nn.functional.relu, "default")
    assert compiled(torch.tensor([-1.0, 2.0])).tolist() == [0, 2]
    assert compiled(torch.tensor([3.0])).tolist() == [3]
    assert [record.getMessage() for record in caplog.records] == [
        "compiling failed, going on without: no compiler here"
    ]


def test_out_of_memory_in_a_compiled_function_is_not_a_failed_compiler(monkeypatch):
    def exhaust(*args):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(torch, "compile", lambda _function, **_options: exhaust)
    with pytest.raises(torch.OutOfMemoryError):
        Compiled(nn.functional.relu, "default")(torch.ones(1))
