"""The scores once more, word for word from the protocol, with loops and no arrays: the oracle."""

from collections.abc import Callable
from math import exp
from statistics import fmean

from meta_eval.corpus.documents import Corpus, Document

Distance = Callable[[str, str], float]


def deviations(texts: dict[str, str], sigma: Distance, document: str | None) -> dict[tuple[str, str], float]:
    result = {}
    for j, text in texts.items():
        distances = {k: sigma(text, other) for k, other in texts.items() if k != j}
        denominator = 1.0 if document is None else sigma(text, document)
        weights = {k: distance / denominator if denominator else 0.0 for k, distance in distances.items()}
        top = max(weights.values())
        total = sum(exp(weight - top) for weight in weights.values())
        for k, weight in weights.items():
            result[j, k] = exp(weight - top) / total * distances[k]
    return result


def degress_by_reader(document: Document, system: str, sigma: Distance, normalise: str) -> dict[str, float]:
    text = document.text if normalise == "document" else None
    x = deviations(dict(document.references), sigma, text)
    y = deviations(dict(document.summaries[system]), sigma, text)
    eps = 1e-5
    ratio = {pair: (min(x[pair], y[pair]) + eps) / (max(x[pair], y[pair]) + eps) for pair in x}
    return {j: fmean(ratio[j, k] for k in document.references if k != j) for j in document.references}


def sig(x: float, a: float, b: float) -> float:
    return 1 / (1 + 10**a * exp(-(10**b) * x))


def penalties(
    document: Document,
    system: str,
    sigma: Distance,
    *,
    alpha: float = 3,
    beta: float = 1.7,
    gamma: float = 4,
) -> dict[str, float]:
    a = {j: sigma(document.summaries[system][j], gold) for j, gold in document.references.items()}
    best, mean, eps = min(a.values()), fmean(a.values()), 1e-7
    # A worst possible best reader makes the term 1e7; beyond 1e3 its logistic is 1 to the last digit.
    adp = sig(min(best / (1 - best + eps), 50.0), gamma, 1)
    return {j: 1 - sig(adp + sig((a[j] - best) / (mean - best + eps), gamma, 1), alpha, beta) for j in a}


def scores(corpus: Corpus, system: str, sigma: Distance, normalise: str) -> dict[str, float]:
    degress, perseval, accuracy = [], [], []
    for document in corpus.documents:
        if len(document.references) > 1:
            by_reader = degress_by_reader(document, system, sigma, normalise)
            penalty = penalties(document, system, sigma)
            degress.append(fmean(by_reader.values()))
            perseval.append(fmean(by_reader[j] * penalty[j] for j in by_reader))
            accuracy.append(
                1 - fmean(sigma(document.summaries[system][j], u) for j, u in document.references.items())
            )
    return {"degress": fmean(degress), "perseval": fmean(perseval), "accuracy": fmean(accuracy)}
