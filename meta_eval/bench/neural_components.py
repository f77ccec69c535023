"""Parts of a transformer layer and their alternatives, one by one."""

from collections.abc import Callable
from typing import Any

import torch

from meta_eval.bench.neural_setting import Bench, DeviceClock, median_seconds
from meta_eval.kernels import attention, infolm, layers


def bench_matmul(bench: Bench) -> None:
    """The ceiling: a large product of random bf16 (float32 on a CPU) matrices, best median of one shape."""
    with bench.part("matmul") as result:
        size = 8192 if bench.device.type == "cuda" else 1024
        a, b = (torch.randn(size, size, device=bench.device, dtype=bench.dtype) for _ in range(2))
        seconds = median_seconds(lambda: a @ b, bench.device, 30)
        result["size"] = size
        result["tflops"] = 2 * size**3 / seconds / 1e12
        with DeviceClock(bench.device) as clock:
            repeats = max(1, int(bench.options.sustained / seconds))
            for _ in range(repeats):
                a @ b
        result["sustained_tflops"] = 2 * size**3 * repeats / clock.seconds / 1e12


def bench_components(bench: Bench) -> None:
    """Where a layer's time goes, and what each alternative would give (milliseconds, TFLOP/s)."""
    model = bench.masked_model()
    shape, layer = bench.shape, model.encoder.layers[1]
    weights: dict[str, Any] = {name: getattr(layer, name) for name in ("qkv", "out", "up", "down")}
    tokens = bench.options.batch_tokens[0]
    hidden = torch.randn(tokens, shape.hidden, device=bench.device, dtype=bench.dtype)
    with bench.part("products") as result:
        for name, weight in weights.items():
            given = torch.randn(tokens, weight.shape[1], device=bench.device, dtype=bench.dtype)
            bias = torch.zeros(weight.shape[0], device=bench.device, dtype=bench.dtype)
            seconds = median_seconds(lambda: torch.nn.functional.linear(given, weight, bias), bench.device)  # noqa: B023
            result[name] = {"ms": seconds * 1e3, "tflops": 2 * tokens * weight.numel() / seconds / 1e12}
    if bench.device.type == "cuda":
        _bench_gpu_products(bench, hidden, layer)
    _bench_finish(bench, hidden, layer, model)
    _bench_attention(bench, tokens)


def _bench_gpu_products(bench: Bench, hidden: torch.Tensor, layer: Any) -> None:
    with bench.part("fused_gelu_tanh") as result:
        up = layer.up.t()
        seconds = median_seconds(
            lambda: torch._addmm_activation(layer.up_bias, hidden, up, use_gelu=True), bench.device
        )
        result["up_ms"] = seconds * 1e3
    with bench.part("fp8_products") as result:
        for name, weight in (("qkv", layer.qkv), ("out", layer.out), ("up", layer.up), ("down", layer.down)):
            given = torch.randn(len(hidden), weight.shape[1], device=bench.device).to(torch.float8_e4m3fn)
            other = weight.float().to(torch.float8_e4m3fn).t()
            for kind, scales in _fp8_scales(len(hidden), weight.shape[0], bench.device).items():
                seconds = median_seconds(
                    lambda: torch._scaled_mm(
                        given,  # noqa: B023
                        other,  # noqa: B023
                        scale_a=scales[0],  # noqa: B023
                        scale_b=scales[1],  # noqa: B023
                        out_dtype=torch.bfloat16,
                        use_fast_accum=True,
                    ),
                    bench.device,
                )
                flops = 2 * len(hidden) * weight.numel()
                result[f"{name}_{kind}"] = {"ms": seconds * 1e3, "tflops": flops / seconds / 1e12}


def _fp8_scales(
    rows: int, columns: int, device: torch.device
) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    one = torch.ones((), device=device)
    return {
        "tensor": (one, one),
        "row": (torch.ones(rows, 1, device=device), torch.ones(1, columns, device=device)),
    }


def _bench_finish(bench: Bench, hidden: torch.Tensor, layer: Any, model: infolm.MaskedModel) -> None:
    flops = len(hidden) * (2 * bench.shape.hidden**2 + 4 * bench.shape.hidden * bench.shape.inner)
    attended = torch.randn_like(hidden)
    for mode in ("none", *bench.options.compile_modes):
        with bench.part(f"finish_{mode}") as result, torch.no_grad():
            finish = layers.Compiled(layers.finish_layer, mode)
            arguments = (hidden, attended, layer, model.encoder.activation, model.encoder.epsilon)
            with DeviceClock(bench.device) as clock:
                finish(*arguments)
            result["first_call_s"] = clock.seconds
            seconds = median_seconds(lambda: finish(*arguments), bench.device)  # noqa: B023
            result["ms"], result["tflops"] = seconds * 1e3, flops / seconds / 1e12


def _bench_attention(bench: Bench, tokens: int) -> None:
    heads, hidden = bench.shape.heads, bench.shape.hidden
    for length in (14, 20, 40, bench.options.length):
        count = tokens // length
        qkv = torch.randn(count * length, 3 * hidden, device=bench.device, dtype=bench.dtype)
        flops = 4 * count * length**2 * hidden
        runs: dict[str, Callable[[], object]] = {
            "library": lambda: attention.attend_equal(qkv, count, heads)  # noqa: B023
        }
        if length <= 64:
            runs["folded"] = lambda: attention.attend_folded(qkv, count, length, heads)  # noqa: B023
        if bench.device.type == "cuda":
            runs |= _gpu_attention(qkv, count, length, heads)
        with bench.part(f"attention_{length}") as result, torch.no_grad():
            expected = attention.attend_equal(qkv[: 16 * length].double(), 16, heads) if count >= 16 else None
            for name, run in runs.items():
                try:
                    seconds = median_seconds(run, bench.device)
                    result[name] = {"ms": seconds * 1e3, "tflops": flops / seconds / 1e12}
                    if expected is not None:
                        error = run()[: 16 * length].double() - expected  # type: ignore[index]
                        result[name]["error"] = float(error.norm() / expected.norm())
                except Exception as error:  # a backend that does not serve this shape is a finding
                    result[name] = f"{type(error).__name__}: {error}"[:200]


def _gpu_attention(qkv: torch.Tensor, count: int, length: int, heads: int) -> dict[str, Callable[[], object]]:
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def forced(backend: SDPBackend) -> Callable[[], object]:
        def run() -> object:
            with sdpa_kernel([backend]):
                return attention.attend_equal(qkv, count, heads)

        return run

    runs = {
        "flash": forced(SDPBackend.FLASH_ATTENTION),
        "cudnn": forced(SDPBackend.CUDNN_ATTENTION),
        "efficient": forced(SDPBackend.EFFICIENT_ATTENTION),
    }
    if length <= 128:
        from meta_eval.kernels.short_attention import attend_short

        runs["triton_64"] = lambda: attend_short(qkv, length, heads, tile=64)
        runs["triton_128"] = lambda: attend_short(qkv, length, heads, tile=128)
    return runs
