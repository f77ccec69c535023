"""What the measures over hidden states of an encoder have in common: the encoder on each device."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from meta_eval.arrays import BoolArray
from meta_eval.errors import MeasureError
from meta_eval.measures.neural import NeuralMeasure, load_cached, module_on
from meta_eval.measures.words.languages import is_foreign

if TYPE_CHECKING:
    from meta_eval.kernels.config import Device, DType
    from meta_eval.kernels.encode import Encoder
    from meta_eval.kernels.models import ModelFolder, Task
    from meta_eval.kernels.tokens import Ragged
    from meta_eval.kernels.weights import EncoderWeights


@dataclass(frozen=True, kw_only=True)
class EncodingMeasure(NeuralMeasure):
    """A measure over the hidden states of an encoder's layer.

    `model` "auto" is what `model_of` takes for the language of the corpus.
    """

    model: str = "auto"
    task: ClassVar["Task"] = "encoder"

    @classmethod
    @abstractmethod
    def model_of(cls, languages: Sequence[str]) -> str:
        """The model for a corpus of these languages (BCP 47 tags); that of English where none is named."""

    def in_languages(self, languages: Sequence[str]) -> Self:
        """With the model for these languages, unless one was chosen."""
        return replace(self, model=self.model_of(languages)) if self.model == "auto" else self

    def remark(self, languages: Sequence[str]) -> str:
        """Says where the model is that of English, and the corpus is not."""
        if self._model() == self.model_of(()) and is_foreign(languages):
            return f"its model {self._model()} was trained on English: give model another encoder"
        return ""

    def as_signed(self, signature: Mapping[str, Any]) -> NeuralMeasure:
        """With the model and the precision that a signature names, unless they were chosen."""
        named = signature.get("model")
        chosen = replace(self, model=named) if named and self.model == "auto" else self
        return super(EncodingMeasure, chosen).as_signed(signature)

    def _model(self) -> str:
        return self.model_of(()) if self.model == "auto" else self.model

    def _encoders(self, layer: int) -> "list[Encoder]":
        """One a device, for the states after `layer`; MeasureError where the model has no such layer."""
        most = self._layers()
        if not 1 <= layer <= most:
            raise MeasureError(f"layer is {layer}; model {self._model()!r} has layers 1 to {most}.")
        return [self._encoder(device, layer) for device in self._devices()]

    def _layers(self) -> int:
        """How many layers the model has."""
        return int(self._load().module.config.num_hidden_layers)

    def _weights(self, ragged: "Ragged") -> tuple[NDArray[np.float32], BoolArray]:
        """Weights of all word pieces, shape (tokens,), and which texts have none but special ones."""
        from meta_eval.kernels.tokens import kept_tokens

        tokenizer, rows, texts = self._load().tokenizer, ragged.rows(), len(ragged.lengths)
        kept = kept_tokens(ragged.ids, (tokenizer.cls_token_id, tokenizer.sep_token_id)).astype(np.float32)
        empty = np.bincount(rows, kept, minlength=texts) == 0
        if not self.idf:
            return kept, empty
        weights = self._fitted().weights(ragged.ids)
        # A text of which every word piece is in every other text still counts: each piece alike.
        even = np.bincount(rows, weights, minlength=texts) <= 0
        return np.where(even[rows], kept, weights), empty

    def _encoder(self, device: "Device", layers: int) -> "Encoder":
        from meta_eval.kernels.encode import Encoder, layer_states, module_states

        loaded, dtype = self._load(), self._dtype()
        hidden = int(loaded.module.config.hidden_size)
        weights = _encoder(self._model(), self._folder(), device, dtype, self._precision() == "float8")
        if weights is None:
            self._require_kernels()
            module = module_on(self._model(), self._folder(), self.task, device, dtype)
            return Encoder(module_states(module, layers), device, hidden, tokens=1 << 13)
        config = self._config(weights)
        return Encoder(
            layer_states(weights, layers, config),
            device,
            hidden,
            tokens=config.batch_tokens,
            fixed=config.compile != "none",
        )


@lru_cache(maxsize=8)
def _encoder(
    name: str, folder: "ModelFolder", device: "Device", dtype: "DType", float8: bool
) -> "EncoderWeights | None":
    """None where the kernels do not know the architecture."""
    from meta_eval.kernels.weights import extract_encoder

    weights = extract_encoder(load_cached(name, folder, "encoder").module)
    if weights is None:
        return None
    moved = weights.to(device, dtype)
    return moved.in_float8(len(moved.layers)) if float8 else moved
