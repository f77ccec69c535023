"""Cosine of sentence embeddings (Reimers and Gurevych, EMNLP 2019) as a distance: 1 - cos, at most 1."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.base import MeasureInfo
from meta_eval.measures.encoding import EncodingMeasure
from meta_eval.measures.neural import PreparedVectors
from meta_eval.measures.words.languages import base_tag

if TYPE_CHECKING:
    from meta_eval.kernels.config import Tensor

ENGLISH = "sentence-transformers/all-MiniLM-L6-v2"
MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


@dataclass(frozen=True, kw_only=True)
class SentenceCosine(EncodingMeasure):
    """1 - cos of two texts' embeddings, clipped to [0, 1].

    An embedding is the mean of the last layer's hidden states over all word pieces of the text, special ones
    included, as sentence-transformers' mean pooling. `model` "auto" is a sentence encoder for the language of
    the corpus, English where none is named. Texts that point apart (a cosine below 0) are at 1.
    """

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

    @classmethod
    def model_of(cls, languages: Sequence[str]) -> str:
        tags = {base_tag(tag) for tag in languages if tag}
        return ENGLISH if tags <= {"en", "eng"} else MULTILINGUAL

    def prepare(self, texts: Sequence[str]) -> PreparedVectors:
        """The embedding of each text, float32; raises MeasureError first where the model cannot."""
        from meta_eval.kernels.encode import embed_texts

        encoders = self._encoders(self._layers())
        ragged = self._tokenise(texts, self.max_length)
        embeddings = embed_texts(ragged, encoders)
        self._require_finite(embeddings)
        return PreparedVectors(embeddings, self._holding_nothing(ragged))

    def embed_words(self, words: Sequence[str], *, special: bool = False) -> FloatArray:
        """The vector of each word as a text of its own, of length 1: the thesis' word similarity.

        Parameters
        ----------
        words : sequence of str
        special : bool
            Whether the tokenizer's special word pieces enter the mean, as sentence-transformers pools.

        Returns
        -------
        array of shape (words, d)
            Rows of length 1; NaN for a word in which the model finds no word piece.

        Raises
        ------
        MeasureError
            Where the model cannot be used.

        References
        ----------
        Vansh 2023 (thesis), chapter 5.
        """
        from meta_eval.kernels.encode import embed_texts

        tokenizer = self._load().tokenizer
        ragged = self._tokenise(words, self.max_length)
        pieces = (tokenizer.pad_token_id, tokenizer.cls_token_id, tokenizer.sep_token_id)
        means = embed_texts(ragged, self._encoders(self._layers()), without=() if special else pieces)
        vectors: FloatArray = means.double().cpu().numpy()
        vectors[self._holding_nothing(ragged)] = np.nan
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _compare(self, content: "Tensor", first: IntArray, second: IntArray) -> FloatArray:
        from meta_eval.kernels.divergence import cosines

        return np.clip(1.0 - cosines(content, first, second).numpy(), 0.0, 1.0)
