"""Speed, memory and error of the neural measures on a random BERT-base and synthetic PENS-sized texts.

Needs torch, transformers and this repository, no network and no data; prints one JSON object (and writes it
to --out as it grows). `--tiny` shrinks everything so that it runs on a laptop's CPU in a minute.

    python -m meta_eval.bench.neural --out bench.json
    python -m meta_eval.bench.neural --tiny
"""

import argparse
import dataclasses
import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from meta_eval.bench.neural_bertscore import bench_bertscore, bench_large_bertscore, make_pairs
from meta_eval.bench.neural_components import bench_components, bench_matmul
from meta_eval.bench.neural_measures import bench_measures
from meta_eval.bench.neural_others import bench_others
from meta_eval.bench.neural_setting import (
    BASE,
    LARGE,
    SPECIAL,
    TINY,
    Bench,
    DeviceClock,
    done_flops,
    make_texts,
    make_words,
    plain_flops,
    rounded,
    save_model,
    summaries_of,
)
from meta_eval.kernels import infolm
from meta_eval.kernels.config import EngineConfig, choose_config
from meta_eval.kernels.mask import MaskedTexts
from meta_eval.measures.infolm import InfoLM


def bench_documents(bench: Bench) -> EngineConfig:
    """InfoLM over documents cut at --length, for each compile mode and batch size; returns the fastest.

    That one is then measured with its products in 8-bit floats.
    """
    model = bench.masked_model()
    base = choose_config(model.encoder)
    best, best_seconds = base, float("inf")
    with bench.part("documents") as result:
        masked = bench.plan(make_texts(bench.words, bench.options.documents, bench.options.length + 60, 5, 2))
        result.update(_work(bench, masked))
        for tuned in _trials(bench, base):
            if bench.late(0.55):
                break
            name = f"{tuned.compile}_{tuned.batch_tokens}"
            bench.trial(result, name, lambda: _time(bench, masked, model, tuned))  # noqa: B023
            if result[name].get("s", float("inf")) < best_seconds:
                best, best_seconds = tuned, result[name]["s"]
        result["best"] = dataclasses.asdict(best)
        if not bench.late(0.62):
            bench.trial(result, "float8", lambda: _time(bench, masked, bench.masked_model(float8=True), best))
    return best


def _trials(bench: Bench, base: EngineConfig) -> Iterator[EngineConfig]:
    for mode in ("none", *bench.options.compile_modes):
        # Tuning a shape takes a minute or more: one size is enough to see what it gives.
        sizes = bench.options.batch_tokens if mode == "default" else bench.options.batch_tokens[:1]
        for tokens in sizes:
            yield dataclasses.replace(base, batch_tokens=tokens, compile=mode)


def _work(bench: Bench, masked: MaskedTexts) -> dict[str, Any]:
    """How much there is to do: texts, masked copies, word pieces of all copies, operations."""
    return {
        "texts": len(np.unique(masked.text)),
        "copies": len(masked.position),
        "tokens": int(masked.copy_lengths.sum()),
        "plain_tflop": plain_flops(bench.shape, masked) / 1e12,
        "done_tflop": done_flops(bench.shape, masked) / 1e12,
    }


def _time(
    bench: Bench, masked: MaskedTexts, model: infolm.MaskedModel, config: EngineConfig
) -> dict[str, Any]:
    """Rates of the second call: texts, and word pieces of masked copies, a second; TFLOP/s of the work done.

    `plain_tflops` counts what whole forwards would have done.
    """
    with DeviceClock(bench.device) as first:
        _distributions(masked, model, config)
    with DeviceClock(bench.device) as clock:
        _distributions(masked, model, config)
    work, seconds = _work(bench, masked), clock.seconds
    done = work["done_tflop"] / seconds
    return {
        "first_call_s": first.seconds,
        "s": seconds,
        "texts_per_s": work["texts"] / seconds,
        "tokens_per_s": work["tokens"] / seconds,
        "done_tflops": done,
        "plain_tflops": work["plain_tflop"] / seconds,
        "share_of_matmul": bench.share_of_matmul(done),
    }


def _distributions(masked: MaskedTexts, model: infolm.MaskedModel, config: EngineConfig) -> torch.Tensor:
    texts = int(masked.text.max()) + 1
    return infolm.average_distributions(masked, [model], texts=texts, temperature=0.25, config=config)


def bench_summaries(bench: Bench, config: EngineConfig) -> None:
    """InfoLM over all summaries: for each batch size, in 8-bit floats, then as a user calls it."""
    texts = summaries_of(bench)
    with bench.part("summaries") as result, torch.no_grad():
        model = bench.masked_model()
        with DeviceClock(bench.device) as clock:
            masked = bench.plan(texts)
        result.update(_work(bench, masked), plan_s=clock.seconds)
        for tokens in dict.fromkeys((config.batch_tokens, *bench.options.batch_tokens)):
            if bench.late(0.72):
                break
            tuned = dataclasses.replace(config, batch_tokens=tokens)
            bench.trial(result, f"kernels_{tokens}", lambda: _time(bench, masked, model, tuned))  # noqa: B023
        if not bench.late(0.75):
            bench.trial(
                result, "float8", lambda: _time(bench, masked, bench.masked_model(float8=True), config)
            )
    with bench.part("summaries_measure") as result:
        measure = InfoLM(model=str(bench.folder), device=str(bench.device), max_length=bench.options.length)
        measure.prepare(texts[:500])
        for attempt in ("first", "second"):
            with DeviceClock(bench.device) as clock:
                prepared = measure.prepare(texts)
            result[f"{attempt}_s"] = clock.seconds
            result["texts_per_s"] = len(texts) / clock.seconds
        first, second = make_pairs(len(texts), 12)
        with DeviceClock(bench.device) as clock:
            distances = measure.distances(prepared, first, second)
        result.update(pairs=len(first), distances_s=clock.seconds, missing=int(np.isnan(distances).sum()))


def bench_profile(bench: Bench, config: EngineConfig, texts: list[str]) -> None:
    """Which kernels the time goes to: a part of the summaries, and one document."""
    from torch.profiler import ProfilerActivity, profile

    document = make_texts(bench.words, 2, bench.options.length + 60, 1, 7)
    model = bench.masked_model()
    for name, given in (("summaries", texts[:8_000]), ("documents", document)):
        with bench.part(f"profile_{name}") as result, torch.no_grad():
            masked = bench.plan(given)
            _distributions(masked, model, config)
            with profile(activities=[ProfilerActivity.CUDA]) as found, DeviceClock(bench.device) as clock:
                _distributions(masked, model, config)
            events = [event for event in found.key_averages() if event.self_device_time_total > 0]
            busy = sum(event.self_device_time_total for event in events) / 1e3
            result["wall_ms"], result["device_ms"] = clock.seconds * 1e3, busy
            events.sort(key=lambda event: -event.self_device_time_total)
            result["kernels"] = {
                event.key[:70]: [round(event.self_device_time_total / 1e3, 2), event.count]
                for event in events[:18]
            }


def bench_error(bench: Bench, summaries: list[str], config: EngineConfig) -> None:
    """float32 against the precision used here, on distances: 256 summaries and one document."""
    with bench.part("error") as result, torch.no_grad():
        sample = [
            *summaries[: bench.options.sample],
            *make_texts(bench.words, 1, bench.options.length // 2, 1, 5),
        ]
        masked = bench.plan(sample)
        exact_config = dataclasses.replace(config, compile="none", batch_tokens=8192)
        exact = _distributions(masked, bench.masked_model(torch.float32), exact_config)
        from meta_eval.kernels.divergence import cosines

        first, second = (side.astype(np.int64) for side in np.triu_indices(len(sample), 1))
        truth = 1 - cosines(exact, first, second)
        result["distance_mean"], result["distance_sd"] = float(truth.mean()), float(truth.std())
        result["largest_probability_mean"] = float(exact.amax(dim=1).mean())
        plain = dataclasses.replace(config, compile="none")
        trials = {
            "bfloat16": (torch.bfloat16, False, config),
            "bfloat16_uncompiled": (torch.bfloat16, False, plain),
            "float16": (torch.float16, False, config),
            "float8": (torch.bfloat16, True, config),
        }

        def compare(dtype: torch.dtype, float8: bool, chosen: EngineConfig) -> dict[str, Any]:
            rough = _distributions(masked, bench.masked_model(dtype, float8=float8), chosen)
            difference = ((1 - cosines(rough, first, second)) - truth).abs()
            return {
                "distance_error_max": float(difference.max()),
                "distance_error_mean": float(difference.mean()),
                "distribution_error": float((rough - exact).norm() / exact.norm()),
            }

        for name, setting in trials.items():
            bench.trial(result, name, lambda: compare(*setting))  # noqa: B023


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tiny", action="store_true", help="small model and few texts, for any CPU")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--out", help="also write the JSON here, part by part")
    parser.add_argument("--budget", type=float, default=480, help="seconds after which parts are left out")
    parser.add_argument(
        "--parts", default="components,documents,summaries,profile,bertscore,large,error,measures,others"
    )
    parser.add_argument("--documents", type=int, default=8, help="documents timed for InfoLM")
    parser.add_argument("--summaries", type=int, default=45_459)
    parser.add_argument("--length", type=int, default=512, help="word pieces of a document")
    parser.add_argument("--batch-tokens", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--compile-modes", type=lambda text: [part for part in text.split(",") if part])
    parser.set_defaults(bert_documents=3_840, document_pairs=226_000, group=27, sample=256)
    parser.set_defaults(plain_summaries=4_096, their_pairs=20, sustained=2.0)
    options = parser.parse_args(arguments)
    if options.tiny:
        small = {"documents": 2, "summaries": 60, "length": 40, "bert_documents": 4, "document_pairs": 50}
        vars(options).update(small, sample=16, plain_summaries=8, their_pairs=2, sustained=0.05)
    cuda = options.device.startswith("cuda")
    options.batch_tokens = options.batch_tokens or ([65_536, 16_384, 32_768, 131_072] if cuda else [2_048])
    if options.compile_modes is None:
        options.compile_modes = ["default", "max-autotune-no-cudagraphs"] if cuda else []
    return options


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    options = read_options(arguments)
    logging.basicConfig(level=logging.WARNING)
    # Every batch size and mode tried here compiles the same functions anew.
    torch._dynamo.config.recompile_limit = 64
    device = torch.device(options.device)
    if device.type == "cuda" and device.index is None:
        device = torch.device("cuda", torch.cuda.current_device())
    shape = TINY if options.tiny else BASE
    words = make_words(LARGE.vocabulary if not options.tiny else TINY.vocabulary)
    parts = options.parts.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = save_model(
            Path(name), shape, words[: shape.vocabulary - len(SPECIAL)], max(options.length, 64)
        )
        known = words[: shape.vocabulary - len(SPECIAL)]
        bench = Bench(options, device, folder, shape, known, {}, time.perf_counter())
        bench.results["setting"] = {
            "torch": torch.__version__,
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
            "shape": dataclasses.asdict(shape),
        }
        run_parts(bench, parts)
    results: dict[str, Any] = rounded(bench.results)
    return results


def run_parts(bench: Bench, parts: list[str]) -> None:
    """The parts asked for, until the budget is spent; a failure costs the others nothing."""
    bench.attempt("matmul", lambda: bench_matmul(bench))
    if "components" in parts:
        bench.attempt("components", lambda: bench_components(bench))
    chosen: list[EngineConfig] = []
    if "documents" in parts:
        bench.attempt("documents", lambda: chosen.append(bench_documents(bench)))
    if not chosen:
        bench.attempt("setting", lambda: chosen.append(choose_config(bench.masked_model().encoder)))
    if not chosen:
        return
    config, texts = chosen[0], summaries_of(bench)
    cuda, large = bench.device.type == "cuda", not bench.options.tiny
    later: dict[str, tuple[float, bool, Callable[[], None]]] = {
        "summaries": (1.0, True, lambda: bench_summaries(bench, config)),
        "profile": (0.78, cuda, lambda: bench_profile(bench, config, texts)),
        "bertscore": (0.8, True, lambda: bench_bertscore(bench, texts)),
        "error": (0.85, True, lambda: bench_error(bench, texts, config)),
        "measures": (0.88, True, lambda: bench_measures(bench, texts)),
        "others": (0.9, True, lambda: bench_others(bench, texts)),
        "large": (0.8, large, lambda: bench_large_bertscore(bench, texts)),
    }
    for name, (share, wanted, run) in later.items():
        if name not in parts or not wanted:
            continue
        if bench.late(share):
            bench.results[name] = {"left_out": f"{share:.0%} of the budget was spent"}
        else:
            bench.attempt(name, run)
    bench.save()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1:])) + "\n")
