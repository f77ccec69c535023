"""Products in 8-bit floats against the same numbers quantised, put back, and multiplied in float64."""

import pytest
import torch

from meta_eval.errors import MeasureError
from meta_eval.kernels.float8 import (
    Float8Weight,
    fits_float8,
    linear,
    quantise_rows,
    quantise_weight,
    require_float8,
)


def random(*shape, spread=1.0):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator) * spread


def put_back(values):
    """The numbers that the 8-bit floats stand for, in float64."""
    rows, scale = quantise_rows(values)
    return rows.double() * scale.double()


def test_a_row_is_kept_to_three_bits_of_mantissa():
    values = random(40, 64) * torch.logspace(-6, 4, 40)[:, None]
    error = (put_back(values) - values.double()).abs()
    # Half a unit of the last bit, and where numbers get subnormal half of their spacing.
    least = values.abs().amax(dim=1, keepdim=True).double() / 448 * 2**-10
    assert bool((error <= torch.maximum(values.double().abs() / 16, least) * 1.0001).all())
    largest = values.abs().amax(dim=1)
    torch.testing.assert_close(put_back(values).abs().amax(dim=1).float(), largest, rtol=1e-6, atol=0)


def test_a_row_of_zeros_stays_one():
    rows, scale = quantise_rows(torch.zeros(3, 16))
    assert rows.float().tolist() == torch.zeros(3, 16).tolist()
    assert bool((scale > 0).all())


@pytest.mark.parametrize("shape", [(33, 64), (2, 7, 64)], ids=["rows", "batch"])
def test_a_product_is_that_of_the_quantised_numbers(shape):
    given, weight, bias = random(*shape).bfloat16(), random(48, 64, spread=0.05), random(48).bfloat16()
    found = linear(given, quantise_weight(weight), bias)
    expected = put_back(given.flatten(0, -2)) @ put_back(weight).T + bias.double()
    assert (found.shape, found.dtype) == ((*shape[:-1], 48), torch.bfloat16)
    # What is left is the rounding of the product and of the sum to bfloat16.
    torch.testing.assert_close(found.double().flatten(0, -2), expected, rtol=2**-7, atol=2**-8)


def test_one_product_is_off_by_about_four_percent():
    given, weight = random(256, 512), random(128, 512)
    exact = given @ weight.T
    error = linear(given, quantise_weight(weight), torch.zeros(128)) - exact
    assert 0.03 < float(error.norm() / exact.norm()) < 0.045


def test_an_outlier_costs_its_own_row_alone():
    given = random(8, 64)
    spoiled = given.clone()
    spoiled[3, 5] = 1e4
    torch.testing.assert_close(put_back(spoiled)[:3], put_back(given)[:3], rtol=0, atol=0)


def test_a_plain_weight_is_multiplied_as_it_is():
    given, weight, bias = random(5, 16), random(32, 16), random(32)
    assert torch.equal(linear(given, weight, bias), torch.nn.functional.linear(given, weight, bias))


def test_sides_are_multiples_of_16():
    assert [fits_float8(torch.zeros(shape)) for shape in ((16, 48), (16, 40), (8, 16))] == [
        True,
        False,
        False,
    ]


def test_a_device_without_8_bit_products_is_refused(monkeypatch):
    with pytest.raises(MeasureError, match="compute capability"):
        require_float8(torch.device("cpu"))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _device: (8, 0))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _device: "A100")
    with pytest.raises(MeasureError, match=r"A100 has 8\.0: use precision=bfloat16"):
        require_float8(torch.device("cuda", 0))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _device: (9, 0))
    require_float8(torch.device("cuda", 0))


def test_a_weight_has_a_scale_for_each_of_its_rows():
    weight = quantise_weight(random(48, 64))
    assert isinstance(weight, Float8Weight)
    assert (weight.values.shape, weight.scale.shape, weight.scale.dtype) == ((48, 64), (1, 48), torch.float32)
