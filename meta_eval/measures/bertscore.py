"""BERTScore (Zhang et al., ICLR 2020): greedy matching of contextual word pieces."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.files.package import read_data_table
from meta_eval.measures.base import MeasureInfo, Mode, OptionValue, Preprocess, round_each
from meta_eval.measures.encoding import EncodingMeasure
from meta_eval.measures.neural import PreparedVectors
from meta_eval.measures.words.languages import base_tag

if TYPE_CHECKING:
    from meta_eval.kernels.match import MatchedTexts
    from meta_eval.kernels.tokens import Ragged

_BY_LANGUAGE = {
    **dict.fromkeys(("en", "eng"), "roberta-large"),
    **dict.fromkeys(("zh", "zho"), "bert-base-chinese"),
    **dict.fromkeys(("tr", "tur"), "dbmdz/bert-base-turkish-cased"),
}
"""The models that bert-score takes for a language, by either of its tags."""
MULTILINGUAL = "bert-base-multilingual-cased"
"""What it takes for any other, and we for a corpus in several."""
_OWNERS = ("google-bert/", "FacebookAI/", "distilbert/")


@cache
def known_layers() -> dict[str, int]:
    """The layers that bert-score 0.3.13 chose on WMT16, by model."""
    return {row["model"]: int(row["layer"]) for row in read_data_table("bertscore-layers.csv")}


@dataclass(frozen=True, kw_only=True)
class BERTScore(EncodingMeasure):
    """1 - F1 of BERTScore, clipped to [0, 1].

    `model` "auto" is what bert-score takes for the language of the corpus, English where none is named.
    `layer` is the layer whose hidden states are compared; for well-known models the one that bert-score uses.
    `baseline` rescales F1 to (F1 - b) / (1 - b): a number, or a baseline file of bert-score (LAYER,P,R,F), of
    which the layer's row is taken. Equal to bert-score 0.3.13: a text's white space at the ends is dropped,
    [CLS] and [SEP] have weight 0 but may be matched, and with `idf` weights come from the texts given to
    `fit`.
    """

    layer: int | None = None
    baseline: str | None = None
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="bertscore",
        title="BERTScore",
        range="[0, 1]",
        symmetric=True,
        cost="one forward pass of the model for each text, a small matrix product for each pair",
        source="Zhang et al., ICLR 2020; 1 - F1 as bert-score 0.3.13",
    )

    @classmethod
    def model_of(cls, languages: Sequence[str]) -> str:
        tags = [base_tag(tag) for tag in languages if tag] or ["en"]
        models = {_BY_LANGUAGE.get(tag, MULTILINGUAL) for tag in tags}
        return models.pop() if len(models) == 1 else MULTILINGUAL

    def _signed_options(self) -> dict[str, OptionValue]:
        return {**super()._signed_options(), "layer": self._layer(), "baseline": self._baseline()}

    def _layer(self) -> int:
        if self.layer is not None:
            return self.layer
        name = self._model()
        for owner in _OWNERS:
            name = name.removeprefix(owner)
        if name not in known_layers():
            raise MeasureError(
                f"Which layer of model {self._model()!r} BERTScore compares is not known (bert-score names "
                f"that of {len(known_layers())} models): give layer=NUMBER."
            )
        return known_layers()[name]

    def _baseline(self) -> float | None:
        return None if self.baseline is None else _read_baseline(self.baseline, self._layer())

    def prepare(self, texts: Sequence[str]) -> PreparedVectors:
        """Unit vectors of the word pieces of each text; raises MeasureError first where it cannot."""
        from meta_eval.kernels.encode import encode_texts
        from meta_eval.kernels.match import weigh

        self._baseline()
        encoders = self._encoders(self._layer())
        ragged = self._tokenise(texts, self.max_length)
        weights, empty = self._weights(ragged)
        vectors = encode_texts(ragged, encoders)
        self._require_finite(vectors.vectors)
        return PreparedVectors(weigh(vectors, weights), empty)

    def _tokenise(self, texts: Sequence[str], max_length: int | None) -> "Ragged":
        tokenizer = self._load().tokenizer
        # bert-score strips texts, and puts a space before them where word pieces know about leading spaces.
        lead = " " if type(tokenizer).__name__.startswith(("Roberta", "GPT2")) else ""
        stripped = [text.strip() for text in texts]
        return super()._tokenise([lead + text if text else text for text in stripped], max_length)

    def _compare(self, content: "MatchedTexts", first: IntArray, second: IntArray) -> FloatArray:
        from meta_eval.kernels.match import match_pairs

        scores = match_pairs(content.vectors, content.weights, first, second)
        f1: FloatArray = scores.f1.double().numpy()
        baseline = self._baseline()
        if baseline is not None:
            f1 = (f1 - baseline) / (1 - baseline)
        return np.clip(1 - f1, 0.0, 1.0)


def _read_baseline(text: str, layer: int) -> float:
    """The baseline of F1: `text` is a number, or a file of bert-score with a row for each layer from 0."""
    try:
        value = float(text)
    except ValueError:
        value = _baseline_of_layer(Path(text), layer)
    if not value < 1:
        raise MeasureError(f"The baseline is {value}; it must be below 1.")
    return value


def _baseline_of_layer(path: Path, layer: int) -> float:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = {int(row["LAYER"]): float(row["F"]) for row in csv.DictReader(stream)}
    except OSError as error:
        raise MeasureError(
            f"The baseline {str(path)!r} is neither a number nor a file that can be read."
        ) from error
    except (KeyError, TypeError, ValueError) as error:
        raise MeasureError(f"The baseline file {str(path)!r} has not the columns LAYER,P,R,F.") from error
    if layer not in rows:
        raise MeasureError(f"The baseline file {str(path)!r} has no row for layer {layer}.")
    return rows[layer]


@dataclass(frozen=True, kw_only=True)
class KdmBERTScore(BERTScore):
    """With the released code's model, rounded to 5 decimals (protocol 10); an empty text is at 1 from every
    text.
    """

    mode: Mode = "kdm"
    preprocess: Preprocess = "pens"
    model: str = "distilbert-base-uncased"

    def _compare(self, content: "MatchedTexts", first: IntArray, second: IntArray) -> FloatArray:
        return round_each(super()._compare(content, first, second), 5)

    def _empty_both(self) -> float:
        return 1.0
