"""Cosine of sentence embeddings (Reimers and Gurevych, EMNLP 2019) as a distance: 1 - cos, at most 1."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.base import MeasureInfo
from meta_eval.measures.encoding import EncodingMeasure
from meta_eval.measures.neural import PreparedVectors

if TYPE_CHECKING:
    from meta_eval.kernels.config import Tensor

ENGLISH = "sentence-transformers/all-MiniLM-L6-v2"
MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


def model_of(languages: Sequence[str]) -> str:
    """The sentence encoder for a corpus of these languages (BCP 47 tags); that of English where none is
    named.
    """
    tags = {tag.partition("-")[0].lower() for tag in languages if tag}
    return ENGLISH if tags <= {"en", "eng"} else MULTILINGUAL


@dataclass(frozen=True, kw_only=True)
class SentenceCosine(EncodingMeasure):
    """1 - cos of two texts' embeddings, clipped to [0, 1].

    An embedding is the mean of the last layer's hidden states over all word pieces of the text, special ones
    included, as sentence-transformers' mean pooling. `model` "auto" is a sentence encoder for the language of
    the corpus, English where none is named. Texts that point apart (a cosine below 0) are at 1.
    """

    model: str = "auto"
    max_length: int = 256
    settled: ClassVar[frozenset[str]] = frozenset({"idf"})
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="sbert",
        title="SBERT cosine",
        range="[0, 1]",
        symmetric=True,
        cost="one forward pass of the model for each text; pairs cost next to nothing",
        source="Reimers and Gurevych, EMNLP 2019; mean pooling as sentence-transformers",
    )

    def in_languages(self, languages: Sequence[str]) -> Self:
        """With the model for these languages, unless one was chosen."""
        return replace(self, model=model_of(languages)) if self.model == "auto" else self

    def _model(self) -> str:
        return model_of(()) if self.model == "auto" else self.model

    def prepare(self, texts: Sequence[str]) -> PreparedVectors:
        """The embedding of each text, float32; raises MeasureError first where the model cannot."""
        from meta_eval.kernels.encode import embed_texts

        encoders = self._encoders(self._layers())
        ragged = self._tokenise(texts, self.max_length)
        embeddings = embed_texts(ragged, encoders)
        self._require_finite(embeddings)
        return PreparedVectors(embeddings, self._holding_nothing(ragged))

    def _compare(self, content: "Tensor", first: IntArray, second: IntArray) -> FloatArray:
        from meta_eval.kernels.divergence import cosines

        return np.clip(1.0 - cosines(content, first, second).numpy(), 0.0, 1.0)
