"""Distances between the texts of a corpus: computed in shards, kept in a store, written as CSV."""

from meta_eval.distances.blocks import DistanceBlock
from meta_eval.distances.computing import (
    DistanceCounts,
    DistanceSource,
    DistanceStream,
    DistanceTable,
    Normalise,
    compute_distances,
)

__all__ = [
    "DistanceBlock",
    "DistanceCounts",
    "DistanceSource",
    "DistanceStream",
    "DistanceTable",
    "Normalise",
    "compute_distances",
]
