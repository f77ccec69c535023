"""What the neural measures have in common: finding the model, devices and precision, empty texts, signatures.

Nothing here imports torch before a measure is used.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.measures.base import (
    Measure,
    Mode,
    OptionValue,
    Preprocess,
    ShardLimit,
    Signature,
    default_options,
    library_versions,
)
from meta_eval.measures.words.coverage import Seen, letters_of, remember

if TYPE_CHECKING:
    from meta_eval.kernels.config import Device, DType, EngineConfig, Tensor
    from meta_eval.kernels.idf import Idf
    from meta_eval.kernels.models import LoadedModel, ModelFolder, Task
    from meta_eval.kernels.tokens import Ragged
    from meta_eval.kernels.weights import EncoderWeights

Precision = Literal["auto", "float32", "bfloat16", "float16", "float8"]
Compile = Literal["auto", "none", "default", "max-autotune-no-cudagraphs"]
# Named by fields of their own in the signature, or without influence on the result.
_NOT_OPTIONS = ("model", "revision", "max_length", "device", "compile")


@dataclass(frozen=True, slots=True)
class PreparedVectors:
    """Encoded texts and which of them are empty, shape (texts,)."""

    content: Any
    empty: BoolArray


@dataclass(frozen=True, kw_only=True)
class NeuralMeasure(Measure):
    """A measure over a pretrained model.

    `model` is a folder or a name on the Hugging Face hub, with `revision` there; `max_length` cuts texts,
    special word pieces included. `precision`: float32 on a CPU and bfloat16 on a GPU unless given; "float8"
    is bfloat16 with the large matrix products in 8-bit floats, on a GPU that has them (`kernels.float8`).
    `device`: "auto" (the first GPU, else the CPU), "cpu", "cuda:1", or "all" for one worker on each visible
    GPU; `compile`: whether torch.compile fuses what stands between matrix products, "auto" on a GPU alone;
    results depend on both by rounding alone. `idf` weighs word pieces by their inverse document frequency in
    the texts given to `fit`.
    """

    mode: Mode = "paper"
    preprocess: Preprocess = "none"
    model: str = "bert-base-uncased"
    revision: str | None = None
    max_length: int = 512
    idf: bool = False
    precision: Precision = "auto"
    device: str = "auto"
    compile: Compile = "auto"
    # A text is a vector over the vocabulary (InfoLM) or one for each of up to 512 word pieces (BERTScore):
    # about 2 GB.
    shard_limit: ClassVar[ShardLimit] = ShardLimit(documents=256, texts=1 << 14)
    task: ClassVar["Task"]

    @property
    def signature(self) -> Signature:
        """Names the model by its commit or by the hash of its files; finds it, and raises where it cannot."""
        from meta_eval.measures.preprocess import preprocessing_libraries

        return Signature(
            measure=self.id,
            options=self._signed_options(),
            preprocess=self.preprocess,
            mode=self.mode,
            tokenizer="the model's",
            model=self._model(),
            revision=self._folder().revision,
            max_length=self.max_length,
            versions={
                "device": self._devices()[0].type,
                **library_versions(
                    "torch", "transformers", "tokenizers", *preprocessing_libraries(self.preprocess)
                ),
            },
        )

    def sign_as(self, signed: Signature) -> Signature:
        """The signature of this measure with what a model, a device and a corpus decide as `signed` has it.

        Nothing is loaded; whatever else differs from `signed` shows that it is another measure's.
        """
        asked = {name: getattr(self, name) for name in signed.options if name in default_options(type(self))}
        decided = {name for name, value in asked.items() if value in (None, "auto")}
        decided |= {"baseline", *(["idf"] if self.idf else [])}
        options = {name: value for name, value in asked.items() if name not in decided}
        return replace(
            signed,
            measure=self.id,
            options={**signed.options, **options},
            preprocess=self.preprocess,
            mode=self.mode,
            tokenizer="the model's",
            model=self._model(),
            max_length=self.max_length,
        )

    def as_signed(self, signature: Mapping[str, Any]) -> "NeuralMeasure":
        """In the precision that a signature names, unless one was chosen."""
        named = signature.get("options", {}).get("precision")
        return replace(self, precision=named) if named and self.precision == "auto" else self

    def _signed_options(self) -> dict[str, OptionValue]:
        names = [name for name in default_options(type(self)) if name not in _NOT_OPTIONS]
        options: dict[str, OptionValue] = {name: getattr(self, name) for name in names}
        options["precision"] = self._precision()
        if "idf" in options:
            options["idf"] = self._fitted().digest if self.idf else False
        return options

    def _model(self) -> str:
        """The folder or name of the model."""
        return self.model

    def fit(self, texts: Sequence[str]) -> Self:
        """The measure with inverse document frequencies counted over `texts`.

        Without `idf`, or with frequencies counted before, the measure itself.
        """
        if not self.idf or getattr(self, "_idf", None) is not None:
            return self
        from meta_eval.kernels.idf import count_idf

        loaded = self._load()
        vocabulary = loaded.module.get_input_embeddings().weight.shape[0]
        fitted = replace(self)
        object.__setattr__(fitted, "_idf", count_idf(self._tokenise(texts, self.max_length), vocabulary))
        return fitted

    def _fitted(self) -> "Idf":
        found: Idf | None = getattr(self, "_idf", None)
        if found is None:
            raise MeasureError(
                f"Measure {self.id!r} with idf=True counts word pieces over a corpus first: call fit(texts)."
            )
        return found

    def hold_nothing(self, texts: Sequence[str]) -> BoolArray:
        """Which texts have no word piece but special ones, shape (texts,).

        Any letter or digit makes a word piece, so the tokenizer is asked about the rest alone.
        """
        from meta_eval.measures.preprocess import pieces_of

        nothing = np.zeros(len(texts), dtype=bool)
        doubtful = []
        for number, text in enumerate(texts):
            if not any(any(map(str.isalnum, piece)) for piece in pieces_of(text, self.preprocess)):
                nothing[number] = not any(pieces_of(text, self.preprocess))
                doubtful += [] if nothing[number] else [number]
        if doubtful:
            nothing[doubtful] = self._without_pieces([texts[number] for number in doubtful])
        return nothing

    def look(self, texts: Iterable[str], *, words: bool) -> Seen | None:
        """How many letters stand in word pieces that the model does not know, before any preparation.

        None where the tokenizer does not say which letters a piece is made of.
        """
        from meta_eval.kernels.models import load_tokenizer

        folder = self._folder()
        tokenizer = load_tokenizer(self._model(), folder)
        if not tokenizer.is_fast:
            return None
        given = list(texts)
        return remember((folder, words), given, lambda: _look(tokenizer, given, words=words))

    def look_each(self, texts: Sequence[str]) -> list[tuple[int | None, int | None]]:
        """Of each text as `look` counts them: known word pieces, and letters in others."""
        from meta_eval.kernels.models import load_tokenizer

        tokenizer = load_tokenizer(self._model(), self._folder())
        if not tokenizer.is_fast:
            return [(None, None) for _ in texts]
        seen = [_look(tokenizer, [text], words=True) for text in texts]
        return [(one.words, one.dropped) for one in seen]

    def _without_pieces(self, texts: Sequence[str]) -> BoolArray:
        return self._holding_nothing(self._tokenise(texts, self.max_length))

    def _holding_nothing(self, ragged: "Ragged") -> BoolArray:
        """Which of tokenised texts have no word piece but special ones, shape (texts,)."""
        from meta_eval.kernels.tokens import kept_tokens

        tokenizer = self._load().tokenizer
        special = (tokenizer.pad_token_id, tokenizer.cls_token_id, tokenizer.sep_token_id)
        kept = kept_tokens(ragged.ids, special)
        nothing: BoolArray = np.bincount(ragged.rows(), kept, minlength=len(ragged.lengths)) == 0
        return nothing

    def distances(self, prepared: PreparedVectors, first: IntArray, second: IntArray) -> FloatArray:
        """sigma of each pair, shape (pairs,). Two empty texts: 0; one: 1 (protocol 2)."""
        first, second = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
        one, other = prepared.empty[first], prepared.empty[second]
        distance = np.where(one & other, self._empty_both(), self._empty_one())
        same = first == second
        distance[same & ~one] = 0.0
        compared = ~(one | other | same)
        if compared.any():
            distance[compared] = self._compare(prepared.content, first[compared], second[compared])
        return distance

    def _empty_both(self) -> float:
        return 0.0

    def _empty_one(self) -> float:
        return 1.0

    @abstractmethod
    def _compare(self, content: Any, first: IntArray, second: IntArray) -> FloatArray:
        """Distances of pairs of different texts that both have word pieces."""

    def _folder(self) -> "ModelFolder":
        from meta_eval.kernels.models import find_model

        return find_model(self._model(), self.revision)

    def _load(self) -> "LoadedModel":
        loaded = load_cached(self._model(), self._folder(), self.task)
        most = loaded.max_length
        if self.max_length < 3 or (most is not None and self.max_length > most):
            raise MeasureError(
                f"max_length is {self.max_length}; model {self._model()!r} takes from 3 to {most} word "
                "pieces."
            )
        return loaded

    def _tokenise(self, texts: Sequence[str], max_length: int | None) -> "Ragged":
        from meta_eval.kernels.tokens import tokenise

        if self.preprocess != "none":
            from meta_eval.measures.preprocess import preprocess_texts

            texts = preprocess_texts(texts, self.preprocess)
        return tokenise(self._load().tokenizer, texts, max_length)

    def _devices(self) -> "list[Device]":
        from meta_eval.kernels.config import find_devices

        return find_devices(self.device)

    def _precision(self) -> str:
        """Of the matrix products; MeasureError where the device does not have it."""
        if self.precision == "float8":
            from meta_eval.kernels.float8 import require_float8

            for device in self._devices():
                require_float8(device)
        if self.precision != "auto":
            return self.precision
        return "bfloat16" if self._devices()[0].type == "cuda" else "float32"

    def _dtype(self) -> "DType":
        """Of everything but the products of float8."""
        from meta_eval.kernels.config import dtype_of

        return dtype_of(self._precision())

    def _config(self, weights: "EncoderWeights") -> "EngineConfig":
        from meta_eval.kernels.config import choose_config

        return choose_config(weights, None if self.compile == "auto" else self.compile)

    def _require_kernels(self) -> None:
        """A model that runs through its own forward has no products in float8."""
        if self.precision == "float8":
            raise MeasureError(
                f"Model {self._model()!r} cannot run with precision=float8: only models of the BERT and "
                "RoBERTa families can, with sizes that are multiples of 16. Use precision=bfloat16."
            )

    def _require_finite(self, values: "Tensor") -> None:
        if not bool(values.isfinite().all()):
            raise MeasureError(
                f"Model {self._model()!r} leaves the range of {self._precision()}: use precision=float32."
            )


def _look(tokenizer: Any, texts: Sequence[str], *, words: bool) -> Seen:
    from meta_eval.kernels.tokens import find_unknown

    known, unknown = find_unknown(tokenizer, texts)
    return Seen(
        texts=len(texts),
        letters=sum(count for _, count in letters_of(texts)),
        dropped=sum(count for _, count in letters_of(unknown)),
        undivided=0,
        words=known if words else None,
    )


@lru_cache(maxsize=4)
def load_cached(name: str, folder: "ModelFolder", task: "Task") -> "LoadedModel":
    """The model that all measures of this process share; nobody may move or change it, see `module_on`."""
    from meta_eval.kernels.models import load_model

    return load_model(name, folder, task)


@lru_cache(maxsize=4)
def module_on(name: str, folder: "ModelFolder", task: "Task", device: "Device", dtype: "DType") -> Any:
    """The model on a device in a precision: a copy, because `module.to` would move the one that all share."""
    module = load_cached(name, folder, task).module
    if (module.device, module.dtype) == (device, dtype):
        return module
    return deepcopy(module).to(device, dtype)
