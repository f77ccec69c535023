"""Where readers differ and their summaries do not: weak and strong insensitivity (thesis, definition 3.1)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from meta_eval.distances.computing import DistanceSource
from meta_eval.errors import InputError
from meta_eval.scores.contributions import present_pairs


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which distance on two references, and two summaries, lie apart; each in [0, 1].

    References are apart above theirs, summaries from theirs on. Raises `InputError` for another number.
    """

    references: float
    summaries: float

    def __post_init__(self) -> None:
        for name, value in (("references", self.references), ("summaries", self.summaries)):
            if not 0.0 <= value <= 1.0:
                raise InputError(f"the threshold of {name} is from 0 to 1, not {value}")


def count_insensitive(source: DistanceSource, thresholds: Thresholds) -> list[dict[str, Any]]:
    """How often each system treats two readers alike who differ, and apart who do not.

    The definition prints a similarity of summaries with an upper limit, against its own words; it is read as
    a distance here.

    Parameters
    ----------
    source : DistanceSource
        Distances by one measure. Both orders of a pair count, so that no order of readers matters.
    thresholds : Thresholds

    Returns
    -------
    list of dict
        One a system: `system`, `pairs` (ordered, over documents), the shares of them in which `both_apart`,
        `insensitive` (references apart, summaries not), `over_sensitive` (the other way round) and
        `both_alike`, None without pairs; and `verdict`: "strong" where it is insensitive somewhere and
        over-sensitive nowhere, "weak" where it is both, "none" where it is never insensitive, or None.

    References
    ----------
    Vansh 2023 (thesis), definition 3.1.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"copies": references, "fixed": dict.fromkeys(references, "rain and sun")}
    >>> corpus = Corpus((Document("d", "Weather", "Rain and sun.", references, systems),))
    >>> found = count_insensitive(compute_distances(corpus, make_measure("jsd")), Thresholds(0.3, 0.3))
    >>> [(one["system"], one["both_apart"], one["insensitive"], one["verdict"]) for one in found]
    [('copies', 1.0, 0.0, 'none'), ('fixed', 0.0, 1.0, 'strong')]
    """
    counts = np.zeros((len(source.systems), 2, 2), dtype=np.int64)  # references apart, summaries apart
    for block in source.blocks:
        for row in range(len(source.systems)):
            present = present_pairs(block, row)
            apart = block.gold[present] > thresholds.references
            told_apart = block.systems[row][present] >= thresholds.summaries
            np.add.at(counts[row], (apart.astype(np.int64), told_apart.astype(np.int64)), 1)
    return [_record(system, table) for system, table in zip(source.systems, counts, strict=True)]


def _record(system: str, table: Any) -> dict[str, Any]:
    pairs = int(table.sum())
    (both_alike, over_sensitive), (insensitive, both_apart) = table.tolist()
    shares = {
        "both_apart": both_apart,
        "insensitive": insensitive,
        "over_sensitive": over_sensitive,
        "both_alike": both_alike,
    }
    verdict = "none" if not insensitive else "weak" if over_sensitive else "strong"
    return {
        "system": system,
        "pairs": pairs,
        **{name: count / pairs if pairs else None for name, count in shares.items()},
        "verdict": verdict if pairs else None,
    }
