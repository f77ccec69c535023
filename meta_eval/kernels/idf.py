"""Inverse document frequencies of word pieces, as bert-score and torchmetrics weigh them."""

import hashlib
from dataclasses import dataclass

import numpy as np

from meta_eval.kernels.tokens import FloatArray, IntArray, Ragged


@dataclass(frozen=True, eq=False)
class Idf:
    """log((N + 1) / (df + 1)) of each word piece over N texts: `table` (vocabulary,), and its digest."""

    table: FloatArray

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.table.tobytes()).hexdigest()

    def weights(self, ids: IntArray) -> FloatArray:
        """The weight of each word piece: (tokens,) -> (tokens,)."""
        return self.table[ids]


def count_idf(texts: Ragged, vocabulary: int) -> Idf:
    """Inverse document frequencies over texts of word pieces, special ones included.

    Parameters
    ----------
    texts : Ragged
        Numbers of word pieces.
    vocabulary : int
        How many pieces there are.

    Returns
    -------
    Idf

    Examples
    --------
    >>> texts = Ragged(np.array([0, 1, 0]), np.array([0, 2, 3]))
    >>> [round(float(one), 3) for one in count_idf(texts, 3).table]
    [0.0, 0.405, 1.099]
    """
    number = len(texts.lengths)
    unique = np.unique(texts.rows() * vocabulary + texts.ids)
    frequency = np.bincount(unique % vocabulary, minlength=vocabulary)
    return Idf(np.log((number + 1) / (frequency + 1)).astype(np.float32))
