"""What a neural measure runs on and with: devices, the type of numbers, and how much is done at once."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch

from meta_eval.errors import MeasureError
from meta_eval.kernels.pack import choose_batch_tokens
from meta_eval.kernels.weights import EncoderWeights

Device: TypeAlias = torch.device
DType: TypeAlias = torch.dtype
Tensor: TypeAlias = torch.Tensor
CompileMode = Literal["none", "default", "max-autotune-no-cudagraphs"]


@dataclass(frozen=True)
class EngineConfig:
    """How much is done at once; nothing here changes a result beyond rounding.

    `batch_tokens` rows in one packed batch; `part_copies` masked rows kept before the head; `head_rows` rows
    of float32 logits alive at a time; `compile` the mode of torch.compile, or "none".
    """

    batch_tokens: int
    part_copies: int
    head_rows: int
    compile: CompileMode = "none"


def choose_config(weights: EncoderWeights, compile_mode: CompileMode | None = None) -> EngineConfig:
    """Sizes for the weights' device: on a GPU from its free memory, on a CPU small enough for its caches.

    Parameters
    ----------
    weights : EncoderWeights
        On the device where they are to be used.
    compile_mode : str, optional
        Of torch.compile, or "none"; by default "default" on a GPU and "none" elsewhere.

    Returns
    -------
    EngineConfig
    """
    per_token = weights.dtype.itemsize * (10 * weights.hidden + 2 * weights.inner)
    if weights.device.type == "cuda":
        tokens = choose_batch_tokens(weights.device, per_token, most=1 << 16)
        # A part also holds a distribution for each of its texts: reckon with four copies a text or more.
        copies = choose_batch_tokens(weights.device, weights.words.shape[0], most=1 << 18)
        return EngineConfig(tokens, copies, head_rows=1 << 12, compile=compile_mode or "default")
    tokens = choose_batch_tokens(weights.device, per_token, most=1 << 12)
    return EngineConfig(tokens, part_copies=1 << 15, head_rows=1 << 9, compile=compile_mode or "none")


def dtype_of(precision: str) -> DType:
    """The type of all numbers but those in the products of float8, whose other numbers are bfloat16."""
    dtype: DType = getattr(torch, "bfloat16" if precision == "float8" else precision)
    return dtype


def find_devices(name: str) -> list[Device]:
    """The devices that a name stands for: auto, all, cpu, cuda or cuda:NUMBER.

    Raises `MeasureError` for another name, and for a GPU that this machine does not show.
    """
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "auto":
        return [torch.device("cuda", torch.cuda.current_device()) if gpus else torch.device("cpu")]
    if name == "all":
        return [torch.device("cuda", i) for i in range(gpus)] or [torch.device("cpu")]
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise MeasureError(
            f"There is no device {name!r}: use auto, all, cpu, cuda or cuda:NUMBER."
        ) from error
    if device.type == "cuda" and (device.index or 0) >= gpus:
        raise MeasureError(f"Device {name!r} was asked for, but this machine shows {gpus} GPUs.")
    if device.type not in {"cpu", "cuda"}:
        raise MeasureError(f"Device {name!r} is not supported: use auto, all, cpu, cuda or cuda:NUMBER.")
    return [torch.device("cuda", device.index or 0) if device.type == "cuda" else device]


def describe_gpus() -> tuple[str, list[str]]:
    """The version of torch, and the name of each GPU that it finds on this machine."""
    names = [torch.cuda.get_device_name(one) for one in range(torch.cuda.device_count())]
    return torch.__version__, names
