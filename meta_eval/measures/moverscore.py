"""MoverScore (Zhao et al., EMNLP 2019): what it costs to move one text's word pieces onto another's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.measures.base import MeasureInfo, OptionValue, Signature, library_versions
from meta_eval.measures.encoding import EncodingMeasure
from meta_eval.measures.neural import PreparedVectors
from meta_eval.measures.words.languages import base_tag

if TYPE_CHECKING:
    from meta_eval.kernels.models import ModelFolder
    from meta_eval.kernels.tokens import Ragged

ENGLISH = "distilbert-base-uncased"
MULTILINGUAL = "distilbert-base-multilingual-cased"


@dataclass(frozen=True, slots=True)
class WeighedPieces:
    """The word pieces of texts that have a weight: unit vectors (pieces, d) and weights (pieces,), float64.

    Text i has rows offsets[i] : offsets[i + 1], whose weights sum to 1.
    """

    vectors: FloatArray
    weights: FloatArray
    offsets: IntArray

    def of(self, text: int) -> tuple[FloatArray, FloatArray]:
        rows = slice(self.offsets[text], self.offsets[text + 1])
        return self.vectors[rows], self.weights[rows]


@dataclass(frozen=True, kw_only=True)
class MoverScore(EncodingMeasure):
    """Half of the least cost of moving one text's word pieces onto the other's, in [0, 1].

    Word pieces but the special ones are unit vectors of the hidden states after `layer` (the last, unless it
    is given), each with an equal share of its text, or with `idf` one by its inverse document frequency.
    Moving costs the Euclidean distance, at most 2. `raw` gives the cost itself, one less MoverScore.
    """

    layer: int | None = None
    raw: bool = False
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="moverscore",
        title="MoverScore",
        range="[0, 1]; [0, 2] with raw",
        symmetric=True,
        cost="one forward pass of the model for each text, about four thousand pairs of headlines a second",
        source="Zhao et al., EMNLP 2019, of single word pieces; optimal transport by POT",
        triangle="holds",
    )

    @classmethod
    def model_of(cls, languages: Sequence[str]) -> str:
        tags = {base_tag(tag) for tag in languages if tag}
        return ENGLISH if tags <= {"en", "eng"} else MULTILINGUAL

    @property
    def signature(self) -> Signature:
        """Names the model and POT."""
        found = super().signature
        return replace(found, versions={**found.versions, **library_versions("POT")})

    def _folder(self) -> "ModelFolder":
        """Where work begins; a web process, which only names the measure, has no POT."""
        if find_spec("ot") is None:
            raise MeasureError("Measure 'moverscore' needs POT: run `pip install POT`.")
        return super()._folder()

    def _signed_options(self) -> dict[str, OptionValue]:
        return {**super()._signed_options(), "layer": self._layer()}

    def _layer(self) -> int:
        return self._layers() if self.layer is None else self.layer

    def prepare(self, texts: Sequence[str]) -> PreparedVectors:
        """Unit vectors and weights of the word pieces; raises MeasureError first where the model cannot."""
        from meta_eval.kernels.encode import encode_texts

        encoders = self._encoders(self._layer())
        ragged = self._tokenise(texts, self.max_length)
        weights, empty = self._weights(ragged)
        found = encode_texts(ragged, encoders).vectors
        self._require_finite(found)
        return PreparedVectors(_weigh(found.cpu().numpy(), weights, ragged), empty)

    def _compare(self, content: WeighedPieces, first: IntArray, second: IntArray) -> FloatArray:
        costs = [_moving_cost(content, a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        return np.array(costs) / (1.0 if self.raw else 2.0)


def _weigh(vectors: NDArray[np.float32], weights: NDArray[np.float32], ragged: "Ragged") -> WeighedPieces:
    """The pieces with a weight; those of a text sum to 1."""
    kept, rows, texts = weights > 0, ragged.rows(), len(ragged.lengths)
    totals = np.bincount(rows, weights, minlength=texts)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(rows[kept], minlength=texts))))
    shares = weights[kept] / totals[rows[kept]]
    return WeighedPieces(vectors[kept].astype(np.float64), shares, offsets)


def _moving_cost(content: WeighedPieces, first: int, second: int) -> float:
    import ot

    (a, of_a), (b, of_b) = content.of(first), content.of(second)
    return float(ot.emd2(of_a, of_b, cdist(a, b)))
