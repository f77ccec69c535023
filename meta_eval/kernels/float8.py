"""Matrix products in 8-bit floats (e4m3): twice the rate of bfloat16 on a GPU that has them.

Each row of the input and each row of the weight has its own scale, the largest magnitude over what e4m3
holds, so that an outlier costs its own row alone. Products are accumulated in float32. A value keeps three
bits of mantissa: one product of random matrices is off by about 4 % (`tests`), and what that means for
distances is measured by `python -m meta_eval bench neural`.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from meta_eval.errors import MeasureError

FLOAT8 = torch.float8_e4m3fn
_LARGEST = torch.finfo(FLOAT8).max
_LEAST_SCALE = 1e-12  # a row of zeros stays one
_MULTIPLE = 16  # what the product asks of both sides of a weight
_CAPABILITY = (8, 9)


class Float8Weight(NamedTuple):
    """A weight (out, in) as 8-bit floats, and the scale of each of its rows, (1, out) float32."""

    values: Tensor
    scale: Tensor


def require_float8(device: torch.device) -> None:
    """MeasureError unless the device multiplies 8-bit floats."""
    if device.type != "cuda":
        raise MeasureError(
            "precision=float8 needs a GPU that multiplies 8-bit floats (compute capability 8.9 or more: "
            f"Ada, Hopper and later), and the device is {str(device)!r}: use precision=float32."
        )
    capability = torch.cuda.get_device_capability(device)
    if capability < _CAPABILITY:
        raise MeasureError(
            "precision=float8 needs a GPU of compute capability 8.9 or more (Ada, Hopper and later); "
            f"{torch.cuda.get_device_name(device)} has {'.'.join(map(str, capability))}: use "
            "precision=bfloat16."
        )


def fits_float8(weight: Tensor) -> bool:
    """Whether both sides of a weight are multiples of 16."""
    return all(side % _MULTIPLE == 0 for side in weight.shape)


def quantise_rows(values: Tensor) -> tuple[Tensor, Tensor]:
    """Rows as 8-bit floats and their scales: (N, k) -> (N, k), (N, 1) float32, with values = rows * scale."""
    largest = values.abs().amax(dim=1, keepdim=True).float()
    scale = (largest / _LARGEST).clamp_min(_LEAST_SCALE)
    return (values.float() / scale).to(FLOAT8), scale


def quantise_weight(weight: Tensor) -> Float8Weight:
    """A weight (out, in) for `linear`."""
    values, scale = quantise_rows(weight)
    return Float8Weight(values, scale.t().contiguous())


def linear(given: Tensor, weight: Tensor | Float8Weight, bias: Tensor) -> Tensor:
    """given @ weight.T + bias: (..., in) -> (..., out), in the precision of `given`."""
    if not isinstance(weight, Float8Weight):
        return functional.linear(given, weight, bias)
    rows, scale = quantise_rows(given.flatten(0, -2))
    product: Tensor = torch._scaled_mm(
        rows,
        weight.values.t(),
        scale_a=scale,
        scale_b=weight.scale,
        out_dtype=torch.bfloat16,
        use_fast_accum=given.is_cuda,
    )
    return (product.to(given.dtype) + bias).view(*given.shape[:-1], -1)
