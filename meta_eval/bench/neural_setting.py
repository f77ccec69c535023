"""What the parts of the neural benchmark share: model, texts, clock, counts of operations."""

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from meta_eval.kernels import infolm
from meta_eval.kernels.mask import MaskedTexts, plan_copies
from meta_eval.kernels.models import find_model, load_model
from meta_eval.kernels.tokens import kept_tokens, tokenise, whole_windows
from meta_eval.kernels.weights import extract_encoder, extract_head

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, CLS, SEP, MASK = 0, 2, 3, 4


@dataclass(frozen=True)
class Shape:
    """Sizes of the model."""

    vocabulary: int = 30_522
    hidden: int = 768
    layers: int = 12
    heads: int = 12
    inner: int = 3_072


BASE = Shape()
LARGE = Shape(vocabulary=50_265, hidden=1_024, layers=24, heads=16, inner=4_096)
TINY = Shape(vocabulary=600, hidden=64, layers=3, heads=4, inner=96)


class DeviceClock:
    """Wall time of a block with all device work in it."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.seconds = 0.0

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def __enter__(self) -> "DeviceClock":
        self._wait()
        self._start = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self._wait()
        self.seconds = time.perf_counter() - self._start


def say(*parts: object) -> None:
    """One line on standard error, at once."""
    sys.stderr.write(" ".join(str(part) for part in parts) + "\n")
    sys.stderr.flush()


def median_seconds(run: Callable[[], object], device: torch.device, repeats: int = 12) -> float:
    for _ in range(3):
        run()
    times = []
    for _ in range(repeats):
        with DeviceClock(device) as clock:
            run()
        times.append(clock.seconds)
    return float(np.median(times))


def make_words(count: int) -> list[str]:
    """Distinct lower-case words that no tokenizer takes apart."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [
        letters[i // 676 % 26] + letters[i // 26 % 26] + letters[i % 26] + "xqzj"[i // 17_576]
        for i in range(count)
    ]


def make_texts(words: list[str], count: int, mean: float, deviation: float, seed: int) -> list[str]:
    """Distinct texts of Zipf-distributed words."""
    generator = np.random.default_rng(seed)
    lengths = np.clip(np.round(generator.normal(mean, deviation, count)), 3, None).astype(int)
    weights = 1.0 / np.arange(1, len(words) + 1) ** 0.8
    drawn = generator.choice(len(words), size=int(lengths.sum()), p=weights / weights.sum())
    ends = np.cumsum(lengths)
    return [
        " ".join(words[i] for i in drawn[end - length : end])
        for end, length in zip(ends, lengths, strict=True)
    ]


def save_model(folder: Path, shape: Shape, words: list[str], positions: int) -> Path:
    """A random BERT with a sharper initialisation than usual, so that its distributions are not flat."""
    from transformers import BertConfig, BertForMaskedLM, BertTokenizer

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        max_position_embeddings=positions,
        initializer_range=0.04,
    )
    BertForMaskedLM(config).save_pretrained(folder)
    vocabulary = {piece: number for number, piece in enumerate([*SPECIAL, *words])}
    BertTokenizer(vocab=vocabulary, model_max_length=positions).save_pretrained(folder)
    return folder


@dataclass
class Bench:
    """What all parts share: the model, the texts, and the results so far."""

    options: argparse.Namespace
    device: torch.device
    folder: Path
    shape: Shape
    words: list[str]
    results: dict[str, Any]
    started: float

    @property
    def dtype(self) -> torch.dtype:
        return torch.bfloat16 if self.device.type == "cuda" else torch.float32

    def masked_model(self, dtype: torch.dtype | None = None, *, float8: bool = False) -> infolm.MaskedModel:
        loaded = load_model(str(self.folder), find_model(str(self.folder)), "masked-lm")
        encoder, head = extract_encoder(loaded.module), extract_head(loaded.module)
        assert encoder is not None
        assert head is not None
        chosen = dtype or self.dtype
        encoder = encoder.to(self.device, chosen)
        moved = encoder.in_float8(len(encoder.layers) - 1) if float8 else encoder
        assert moved is not None
        return infolm.make_masked_model(moved, head.to(self.device, chosen), MASK)

    def plan(self, texts: list[str]) -> MaskedTexts:
        tokenizer = load_model(str(self.folder), find_model(str(self.folder)), "masked-lm").tokenizer
        windows = whole_windows(tokenise(tokenizer, texts, self.options.length))
        return plan_copies(windows, kept_tokens(windows.ragged.ids, (PAD, CLS, SEP)))

    @contextmanager
    def part(self, name: str) -> Iterator[dict[str, Any]]:
        """One part: its results, its errors, its peak memory; skipped once the time is spent."""
        result: dict[str, Any] = {}
        self.results[name] = result
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(self.device)
        begun = time.perf_counter()
        try:
            yield result
        except Exception as error:  # a part that fails must not cost the others their numbers
            result["error"] = _describe(error)
            traceback.print_exc(limit=6)
        result["part_s"] = round(time.perf_counter() - begun, 2)
        if self.device.type == "cuda":
            result["peak_gb"] = round(torch.cuda.max_memory_allocated(self.device) / 1e9, 2)
        say(f"[{time.perf_counter() - self.started:6.1f} s] {name}: {json.dumps(rounded(result))}")
        self.save()

    def attempt(self, name: str, run: Callable[[], object]) -> None:
        """Run what may fail outside of its own parts: the failure is recorded and the rest goes on."""
        try:
            run()
        except Exception as error:
            traceback.print_exc(limit=6)
            self.results.setdefault(name, {})["error"] = _describe(error)
            self.save()

    def trial(self, result: dict[str, Any], name: str, run: Callable[[], dict[str, Any]]) -> None:
        """One of several trials of a part: its numbers, its peak memory so far or its failure."""
        try:
            result[name] = run()
        except Exception as error:
            result[name] = {"error": _describe(error)}
        say("   ", name, rounded(result[name]))

    def share_of_matmul(self, tflops: float) -> float | None:
        """Of the rate of the matrix product measured in this run; None where that failed."""
        rate = self.results.get("matmul", {}).get("tflops")
        return tflops / rate if rate else None

    def save(self) -> None:
        if self.options.out:
            Path(self.options.out).write_text(json.dumps(rounded(self.results), indent=1))

    def late(self, share: float) -> bool:
        return bool(time.perf_counter() - self.started > share * self.options.budget)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:600]


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value


def layer_flops(shape: Shape, tokens: float, length: float) -> float:
    """Multiply-adds counted twice: projections, output, feed-forward, then scores and mixing of attention."""
    return tokens * (8 * shape.hidden**2 + 4 * shape.hidden * shape.inner + 4 * length * shape.hidden)


def plain_flops(shape: Shape, masked: MaskedTexts) -> float:
    """InfoLM by whole forwards, the head for the masked rows only: what the algorithm asks for, nothing
    saved.
    """
    lengths = masked.copy_lengths.astype(float)
    copies = len(lengths)
    encoder = float(layer_flops(shape, 1, 0) * lengths.sum() + 4 * shape.hidden * (lengths**2).sum())
    return shape.layers * encoder + copies * 2 * shape.hidden * (shape.hidden + shape.vocabulary)


def done_flops(shape: Shape, masked: MaskedTexts) -> float:
    """What the kernels do: in the first layer only the texts' own projections, in the last one row."""
    lengths = masked.copy_lengths.astype(float)
    copies, tokens = len(lengths), float(lengths.sum())
    whole = float(layer_flops(shape, 1, 0) * tokens + 4 * shape.hidden * (lengths**2).sum())
    first_projection = 6 * shape.hidden**2 * (tokens - float(masked.ragged.lengths.sum()))
    last = (
        copies * (8 * shape.hidden**2 + 4 * shape.hidden * shape.inner)
        + 4 * shape.heads * shape.hidden * tokens
    )
    head = copies * 2 * shape.hidden * (shape.hidden + shape.vocabulary)
    return (shape.layers - 1) * whole - first_projection + last + head


def summaries_of(bench: Bench) -> list[str]:
    """Different texts of about 12 words, --summaries of them but for repeats."""
    return list(dict.fromkeys(make_texts(bench.words, bench.options.summaries, 12, 3.2, 3)))
