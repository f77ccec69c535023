"""The further measures in the neural benchmark: each prepares the same summaries and compares pairs."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from meta_eval.bench.neural_bertscore import make_pairs
from meta_eval.bench.neural_setting import PAD, Bench, DeviceClock
from meta_eval.measures import make_measure
from meta_eval.measures.bartscore import BARTScore
from meta_eval.measures.base import Measure
from meta_eval.measures.moverscore import MoverScore
from meta_eval.measures.sbert import SentenceCosine

PAIRS, FEW_PAIRS = 2_000, 20
"""Compared at most, and with --tiny: MoverScore and BARTScore work anew for each pair."""
DIVERGENCES = ("fisher-rao", "total-variation", "l2")


def bench_measures(bench: Bench, summaries: list[str]) -> None:
    """Seconds of each measure for encoding the texts and for pairs within groups of them."""
    most = FEW_PAIRS if bench.options.tiny else PAIRS
    pairs = tuple(side[:most] for side in make_pairs(len(summaries), bench.options.group))
    texts = summaries[: int(max(side.max() for side in pairs)) + 1]
    own: dict[str, Any] = {
        "model": str(bench.folder),
        "device": str(bench.device),
        "max_length": bench.options.length,
    }
    with TemporaryDirectory() as folder:
        _save_encoder_decoder(bench, Path(folder))
        measures: dict[str, Measure] = {
            "sbert": SentenceCosine(**own),
            "moverscore": MoverScore(**own),
            **{f"infolm_{name}": make_measure("infolm", divergence=name, **own) for name in DIVERGENCES},
            "bartscore": BARTScore(**{**own, "model": folder}),
        }
        for name, measure in measures.items():
            with bench.part(name) as result:
                measure.distances(measure.prepare(texts[:20]), *(side[:4] for side in make_pairs(20, 5)))
                with DeviceClock(bench.device) as clock:
                    prepared = measure.prepare(texts)
                result.update(texts=len(texts), prepare_s=clock.seconds, pairs=len(pairs[0]))
                with DeviceClock(bench.device) as clock:
                    distances = measure.distances(prepared, *pairs)
                result["pairs_per_s"] = len(pairs[0]) / clock.seconds
                result["missing"] = int(np.isnan(distances).sum())


def _save_encoder_decoder(bench: Bench, folder: Path) -> None:
    """A random one of the same shape, with the tokenizer of the other measures."""
    from transformers import AutoTokenizer, BartConfig, BartForConditionalGeneration

    shape = bench.shape
    torch.manual_seed(0)
    sides: dict[str, Any] = {
        f"{side}_{name}": size
        for side in ("encoder", "decoder")
        for name, size in (
            ("layers", shape.layers),
            ("attention_heads", shape.heads),
            ("ffn_dim", shape.inner),
        )
    }
    config = BartConfig(
        vocab_size=shape.vocabulary,
        d_model=shape.hidden,
        max_position_embeddings=512,
        pad_token_id=PAD,
        **sides,
    )
    BartForConditionalGeneration(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(bench.folder).save_pretrained(folder)
