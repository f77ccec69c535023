"""How likely an encoder-decoder finds one text given another: the mean log-probability of its word pieces."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from meta_eval.arrays import IntArray
from meta_eval.kernels.tokens import Ragged

_TOKENS = 1 << 12
"""Padded word pieces of a batch on either side: bounds memory, changes results by rounding alone."""
_LOGITS = 1 << 26
"""Numbers of a batch's logits, likewise."""


@torch.inference_mode()
def mean_log_likelihoods(
    module: Any, texts: Ragged, source: IntArray, target: IntArray, padding: int
) -> Tensor:
    """log p(target | source) per word piece of the target, for each pair of text numbers.

    Each target is fed to the decoder shifted by one, as in training; every piece of it counts, special ones
    included. A source that several pairs share is encoded once in a batch.

    Parameters
    ----------
    module : an encoder-decoder of transformers on one device
    texts : the word pieces of texts, special ones included
    source, target : (pairs,) numbers of texts
    padding : the number of the padding piece

    Returns
    -------
    (pairs,) float64 on the CPU, at most 0
    """
    found = torch.empty(len(source), dtype=torch.float64)
    vocabulary = int(module.get_output_embeddings().weight.shape[0])
    for batch in _batches(texts.lengths, source, target, vocabulary):
        encoded, place = np.unique(source[batch], return_inverse=True)
        pieces, mask = _pad(texts, encoded, padding, module.device)
        states = module.get_encoder()(input_ids=pieces, attention_mask=mask).last_hidden_state
        rows = torch.from_numpy(place).to(module.device)
        wanted = _pad(texts, target[batch], padding, module.device)
        found[torch.from_numpy(batch)] = _score(module, states[rows], mask[rows], wanted).cpu()
    return found


def _score(module: Any, states: Tensor, mask: Tensor, target: tuple[Tensor, Tensor]) -> Tensor:
    """(B,): mean log-probabilities of the targets, given the encoder's states (B, n, d) of their sources."""
    from transformers.modeling_outputs import BaseModelOutput

    pieces, counted = target
    logits = module(
        encoder_outputs=BaseModelOutput(last_hidden_state=states),
        attention_mask=mask,
        decoder_input_ids=module.prepare_decoder_input_ids_from_labels(labels=pieces),
        use_cache=False,
    ).logits.float()  # (B, m, V)
    each = logits.gather(-1, pieces[..., None])[..., 0] - logits.logsumexp(dim=-1)  # (B, m)
    total = torch.where(counted.bool(), each, 0.0).double().sum(dim=-1)
    return total / counted.sum(dim=-1)


def _batches(lengths: IntArray, source: IntArray, target: IntArray, vocabulary: int) -> Iterator[IntArray]:
    """Pairs of like lengths together, so that little is padded; those of one source side by side."""
    order = np.lexsort((lengths[target], source, lengths[source]))
    start, longest = 0, (0, 0)
    for end, pair in enumerate(order.tolist()):
        grown = (max(longest[0], int(lengths[source[pair]])), max(longest[1], int(lengths[target[pair]])))
        pairs = end - start + 1
        if pairs > 1 and (max(grown) * pairs > _TOKENS or grown[1] * pairs * vocabulary > _LOGITS):
            yield order[start:end]
            start = end
            grown = int(lengths[source[pair]]), int(lengths[target[pair]])
        longest = grown
    if start < len(order):
        yield order[start:]


def _pad(texts: Ragged, rows: IntArray, padding: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Word pieces of the rows (B, n), and 1 where there is one."""
    lengths = texts.lengths[rows]
    there = np.arange(int(lengths.max())) < lengths[:, None]
    pieces = np.full(there.shape, padding, dtype=np.int64)
    pieces[there] = np.concatenate([texts.ids[texts.offsets[row] : texts.offsets[row + 1]] for row in rows])
    return torch.from_numpy(pieces).to(device), torch.from_numpy(there.astype(np.int64)).to(device)
