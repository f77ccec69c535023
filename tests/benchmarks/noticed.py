"""How often the interval of the difference that people notice holds, of systems' scores without noise."""

from dataclasses import dataclass

import numpy as np

from meta_eval.stats.coefficients.system_pairs import noticed_steps
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.noticed import noticed_interval
from tests.benchmarks.families import Families
from tests.benchmarks.simulation import correlated_normals
from tests.benchmarks.trials import Figures, Rng, mean_of

RESAMPLES = 500


@dataclass(frozen=True)
class Noticed:
    """Systems so many standard errors of a mean score `apart`, whose true scores correlate `rho`."""

    apart: float
    rho: float
    systems: int = 10
    documents: int = 60


def cover_noticed(rng: Rng, simulations: int, design: Noticed | Families) -> Figures:
    """The share of intervals that hold the truth, and of those without an upper end."""

    def once() -> dict[str, bool | float | None]:
        if isinstance(design, Families):
            truth, seen = design.draw(rng)
        else:
            truth = correlated_normals(rng, [[1, design.rho], [design.rho, 1]], design.systems)
            noise = rng.standard_normal((2, design.systems, design.documents))
            seen = truth[:, :, None] + noise * np.sqrt(design.documents) / design.apart
        samples = resample_documents(dict(zip("xy", seen, strict=True)), resamples=RESAMPLES, rng=rng)
        found = noticed_interval(samples["x"], samples["y"])
        true = noticed_steps(truth[:1], truth[1:])[0]
        low, high = (end if end is not None else np.inf for end in (found.low, found.high))
        return {"holds": bool(low - 1e-9 <= true <= high + 1e-9), "no upper end": bool(np.isinf(high))}

    return mean_of(once() for _ in range(simulations))
