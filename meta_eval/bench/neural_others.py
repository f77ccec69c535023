"""What one would use instead, in the neural benchmark: plain transformers, and torchmetrics."""

from typing import Any

import numpy as np
import torch

from meta_eval.bench.neural_setting import MASK, PAD, Bench, DeviceClock, make_texts
from meta_eval.kernels.mask import MaskedTexts
from meta_eval.measures.infolm import InfoLM


def bench_others(bench: Bench, summaries: list[str]) -> None:
    """The same work by a plain transformers forward, and by torchmetrics one pair at a time."""
    from transformers import AutoModelForMaskedLM

    with bench.part("plain_transformers") as result, torch.no_grad():
        module = AutoModelForMaskedLM.from_pretrained(bench.folder, dtype=bench.dtype).to(bench.device).eval()
        some = summaries[: bench.options.plain_summaries]
        document = make_texts(bench.words, 1, bench.options.length + 60, 1, 6)
        for name, texts, size in (("summaries", some, 1024), ("documents", document, 32)):
            masked = bench.plan(texts)
            _plain_forward(bench, masked, module, size, limit=2)
            with DeviceClock(bench.device) as clock:
                _plain_forward(bench, masked, module, size)
            result[f"{name}_per_s"] = len(texts) / clock.seconds
    with bench.part("torchmetrics") as result:
        from torchmetrics.text.infolm import InfoLM as TheirInfoLM

        pairs = min(bench.options.their_pairs, len(summaries) - 1)
        ours = InfoLM(
            model=str(bench.folder), device=str(bench.device), precision="float32", raw=True, max_length=32
        )
        expected = np.array([ours(summaries[i], summaries[i + 1]) for i in range(pairs)])
        metric = TheirInfoLM(
            str(bench.folder),
            information_measure="ab_divergence",
            alpha=1.0,
            beta=1.0,
            idf=False,
            max_length=32,
            device=bench.device,
            verbose=False,
        ).to(bench.device)
        theirs: list[float] = []
        with DeviceClock(bench.device) as clock:
            for i in range(pairs):
                metric.update([summaries[i]], [summaries[i + 1]])
                theirs.append(float(torch.as_tensor(metric.compute())))
                metric.reset()
        result["pairs"], result["pairs_per_s"] = pairs, pairs / clock.seconds
        result["largest_difference"] = float(np.abs(np.array(theirs) - expected).max())


def _plain_forward(
    bench: Bench, masked: MaskedTexts, module: Any, size: int, limit: int | None = None
) -> None:
    """Whole forwards over padded batches of masked copies in length order, full head for the masked rows."""
    offsets = masked.ragged.offsets
    for done, start in enumerate(range(0, len(masked.row), size)):
        if limit is not None and done >= limit:
            return
        rows = masked.row[start : start + size]
        longest = int(masked.ragged.lengths[rows].max())
        ids = np.full((len(rows), longest), PAD)
        for i, row in enumerate(rows):
            ids[i, : offsets[row + 1] - offsets[row]] = masked.ragged.ids[offsets[row] : offsets[row + 1]]
        at = masked.position[start : start + size]
        ids[np.arange(len(rows)), at] = MASK
        batch = torch.from_numpy(ids).to(bench.device)
        states = module.base_model(batch, attention_mask=(batch != PAD).long()).last_hidden_state
        chosen = states[torch.arange(len(rows)), torch.from_numpy(at).to(bench.device)]
        (module.cls(chosen).float() / 0.25).softmax(-1).sum(0)
