"""BERTScore in the neural benchmark: encoding and matching, with models of two sizes."""

import dataclasses
import tempfile
from pathlib import Path

import numpy as np

from meta_eval.bench.neural_setting import LARGE, SPECIAL, Bench, DeviceClock, make_texts, save_model
from meta_eval.measures.bertscore import BERTScore


def make_pairs(texts: int, group: int) -> tuple[np.ndarray, np.ndarray]:
    """All pairs within consecutive groups of texts, as within documents."""
    first, second = np.triu_indices(group, 1)
    starts = np.arange(0, texts - group + 1, group)[:, None]
    return (starts + first).ravel(), (starts + second).ravel()


def bench_bertscore(bench: Bench, summaries: list[str]) -> None:
    """BERTScore over the same texts: all pairs within groups, and each summary against a document."""
    documents = make_texts(bench.words, bench.options.bert_documents, bench.options.length + 60, 5, 2)
    texts = [*summaries, *documents]
    first, second = make_pairs(len(summaries), bench.options.group)
    pairs = bench.options.document_pairs
    near = np.arange(pairs) % len(summaries)
    far = len(summaries) + np.arange(pairs) * len(documents) // max(pairs, 1)
    shapes = {"base": (bench.folder, bench.shape, 9 if bench.shape.layers > 9 else 2)}
    for name, (folder, _, layer) in shapes.items():
        with bench.part(f"bertscore_{name}") as result:
            measure = BERTScore(
                model=str(folder), layer=layer, device=str(bench.device), max_length=bench.options.length
            )
            measure.prepare(texts[:200])
            with DeviceClock(bench.device) as clock:
                prepared = measure.prepare(texts)
            tokens = len(prepared.content.vectors.vectors)
            result.update(texts=len(texts), tokens=tokens, prepare_s=clock.seconds)
            result["tokens_per_s"] = tokens / clock.seconds
            for kind, (a, b) in {"short": (first, second), "document": (near, far)}.items():
                with DeviceClock(bench.device) as clock:
                    distances = measure.distances(prepared, a, b)
                result[f"{kind}_pairs"], result[f"{kind}_s"] = len(a), clock.seconds
                result[f"{kind}_missing"] = int(np.isnan(distances).sum())


def bench_large_bertscore(bench: Bench, summaries: list[str]) -> None:
    """The same with a model of the shape of roberta-large, layer 17."""
    with tempfile.TemporaryDirectory() as folder:
        bench_words = bench.words[: LARGE.vocabulary - len(SPECIAL)]
        save_model(Path(folder), LARGE, bench_words, 512)
        other = dataclasses.replace(bench, folder=Path(folder), shape=LARGE)
        results = dict(bench.results)
        bench_bertscore(other, summaries)
        results["bertscore_large"] = other.results["bertscore_base"]
        results["bertscore_base"] = bench.results.get("bertscore_base")
        bench.results.update(results)
