"""Distances as the three CSV files in which others keep them (protocol 11), out and in.

One folder for each system, in it `sum_doc_distances.csv` (doc_id, origin_model, uid, score: sigma(s_j, d)),
`sum_sum_doc_distances.csv` (doc_id, origin_model, uid1, uid2, score: sigma(s_j, s_k), both directions) and
`sum_user_distances.csv` (doc_id, origin_model, uid, score: sigma(s_j, u_j)). Gold rows have the origin_model
`user` and stand in the first two files of every system. A missing distance has no row, or, between gold
references, an empty score. Beside the folders `signature.json` says what the distances are; other people's
files do not have it.
"""

from meta_eval.distances.csv.layout import TO_DOCUMENT, TO_EACH_OTHER, TO_GOLD, Readers
from meta_eval.distances.csv.reading import IMPORTED, DistanceFiles, read_distances
from meta_eval.distances.csv.writing import readers_of, write_distances

__all__ = [
    "IMPORTED",
    "TO_DOCUMENT",
    "TO_EACH_OTHER",
    "TO_GOLD",
    "DistanceFiles",
    "Readers",
    "read_distances",
    "readers_of",
    "write_distances",
]
