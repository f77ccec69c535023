"""InfoLM's distributions from a model's own forward, for architectures unknown to the kernels: slower."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from meta_eval.kernels.mask import MaskedTexts, masked_copies
from meta_eval.kernels.pack import PackedBatch, run_batches


@torch.no_grad()
def module_distributions(
    masked: MaskedTexts, module: Any, mask: int, *, texts: int, temperature: float, tokens: int
) -> Tensor:
    """The distribution of each text, (texts, V) float32, as `infolm.average_distributions`, text by text."""
    vocabulary = module.get_output_embeddings().weight.shape[0]
    total = torch.zeros(texts, vocabulary, device=module.device)
    ends = np.cumsum(masked.copies)
    for row, end in enumerate(ends.tolist()):
        copies = slice(end - int(masked.copies[row]), end)
        mean = _window_mean(
            masked, module, mask, row=row, copies=copies, temperature=temperature, tokens=tokens
        )
        total[int(masked.text[row])] += mean
    return total


def _window_mean(
    masked: MaskedTexts, module: Any, mask: int, *, row: int, copies: slice, temperature: float, tokens: int
) -> Tensor:
    """The share of one window in its text's distribution: (V,)."""
    offsets = masked.ragged.offsets
    ids = torch.from_numpy(masked.ragged.ids[offsets[row] : offsets[row + 1]]).to(module.device)
    position = torch.from_numpy(masked.position[copies]).to(module.device)
    weight = torch.from_numpy(masked.weight[copies]).to(module.device)
    parts: list[Tensor] = []

    def run(batch: PackedBatch) -> None:
        at = position[batch.sequences]
        copied = masked_copies(ids, at, mask)  # (T,) -> (C, T)
        logits = module(copied, attention_mask=torch.ones_like(copied)).logits  # (C, T) -> (C, T, V)
        chosen = logits[torch.arange(len(at), device=at.device), at].float()  # (C, T, V) -> (C, V)
        parts.append(weight[batch.sequences] @ (chosen / temperature).softmax(dim=-1))  # (C,) (C, V) -> (V,)

    run_batches(masked.copy_lengths[copies], run, tokens=tokens)
    return torch.stack(parts).sum(dim=0)
