"""Word vectors as a text file: word2vec's form, with a first line that may say where they come from."""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import MeasureError

ORIGIN = "# word vectors by "
"""How a first line begins that names the model; a word "#" of other files is followed by numbers."""


def write_vectors(vectors: Mapping[str, FloatArray], origin: str) -> str:
    """The text of a file that `read_vectors` reads.

    Parameters
    ----------
    vectors : mapping of str to array of shape (d,)
        By word; no word holds a space or an end of line.
    origin : str
        What made them, in one line.

    Returns
    -------
    str
        A line with `origin`, one with the number of words and of their numbers, and one a word, with seven
        significant digits: what single precision holds.

    Raises
    ------
    MeasureError
        For a word that the form cannot hold.

    Examples
    --------
    >>> print(write_vectors({"rain": np.array([0.6, 0.8])}, "encoder 1"), end="")
    # word vectors by encoder 1
    1 2
    rain 0.6 0.8
    """
    width = len(next(iter(vectors.values()), ()))
    lines = [f"{ORIGIN}{origin}", f"{len(vectors)} {width}"]
    for word, vector in vectors.items():
        if not word or word.split() != [word]:
            raise MeasureError(f"{word!r} holds a space, so it cannot stand in a file of word vectors.")
        lines.append(" ".join((word, *(f"{value:.7g}" for value in vector.tolist()))))
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=2)
def read_vectors(path: Path) -> dict[str, FloatArray]:
    """Word vectors of length 1 from a text file: a word and its numbers on each line, separated by spaces.

    A first line that says what made them, and then two whole numbers (word2vec's count and width), are
    skipped. MeasureError with the line where the file is not of this form.
    """
    vectors: dict[str, FloatArray] = {}
    width = 0
    counts_at = 1
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if number == 1 and line.startswith(ORIGIN):
                    counts_at = 2
                    continue
                word, *values = line.rstrip().split(" ")
                if number == counts_at and len(values) == 1 and word.isdigit() and values[0].isdigit():
                    continue
                width = width or len(values)
                if not values or len(values) != width:
                    raise MeasureError(f"{path}:{number}: expected a word and {width or 'some'} numbers.")
                vectors[word] = _unit(np.array(values, dtype=np.float64))
    except (OSError, ValueError) as error:
        raise MeasureError(f"Word vectors cannot be read from {path}: {error}.") from error
    return vectors


def hash_file(path: Path) -> str:
    """SHA-256 of a file, for signatures."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise MeasureError(f"Word vectors cannot be read from {path}: {error}.") from error


def _unit(vector: FloatArray) -> FloatArray:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
