"""InfoLM (Colombo, Clavel and Piantanida, AAAI 2022): texts as distributions of a masked language model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.measures.base import MeasureInfo, Mode, OptionValue, Preprocess, default_options, round_each
from meta_eval.measures.lexical import require_range
from meta_eval.measures.neural import NeuralMeasure, PreparedVectors, load_cached, module_on
from meta_eval.measures.words.languages import is_foreign

if TYPE_CHECKING:
    from meta_eval.kernels.config import Device, DType, Tensor
    from meta_eval.kernels.infolm import MaskedModel
    from meta_eval.kernels.mask import MaskedTexts
    from meta_eval.kernels.models import LoadedModel, ModelFolder, Task

ENGLISH = "bert-base-uncased"

Divergence = Literal[
    "ab", "alpha", "beta", "renyi", "kl", "fisher-rao", "total-variation", "l1", "l2", "l-infinity"
]
"""What InfoLM may compare distributions by."""
_PARAMETERS: Mapping[str, tuple[str, ...]] = {"alpha": ("ab", "alpha", "renyi"), "beta": ("ab", "beta")}
"""The divergences that have each parameter."""
MOST = 5.0
"""Of a parameter: larger powers of small probabilities leave the range of float64."""


def _check_parameters(divergence: Divergence, alpha: float, beta: float) -> None:
    """MeasureError where a divergence has no such parameter, or is not defined with it."""
    for name, value in (("alpha", alpha), ("beta", beta)):
        if divergence not in _PARAMETERS[name] and value != 1.0:
            raise MeasureError(f"divergence={divergence} has no {name}: leave it out.")
        require_range("infolm", name, value, least=-MOST, most=MOST)
    defined = {
        "ab": 0 not in (alpha, beta, alpha + beta),
        "alpha": alpha not in (0, 1),
        "beta": beta not in (0, -1),
        "renyi": alpha > 0 and alpha != 1,
    }
    if not defined.get(divergence, True):
        raise MeasureError(
            f"divergence={divergence} is not defined with alpha={alpha:g}, beta={beta:g}: ab needs both and "
            "their sum other than 0, alpha an alpha other than 0 and 1, beta a beta other than 0 and -1, "
            "renyi an alpha above 0 other than 1."
        )


def _is_symmetric(divergence: Divergence, alpha: float, beta: float) -> bool:
    rules = {
        "ab": alpha == beta,
        "beta": beta == 1,
        "alpha": alpha == 0.5,
        "renyi": alpha == 0.5,
        "kl": False,
    }
    return rules.get(divergence, True)


@dataclass(frozen=True, kw_only=True)
class InfoLM(NeuralMeasure):
    """A divergence of averaged masked-LM distributions: AB with alpha = beta = 1 (protocol 2) or another.

    Every word piece of a text but the special ones is masked once; softmax(logits / `temperature`) at the
    masked place, averaged over the word pieces, is the text's distribution p. D(p, q) = -log cos(p, q); the
    distance is 1 - exp(-D) = 1 - cos(p, q) in [0, 1], or D itself with `raw`, in [0, inf).

    A text longer than `max_length` word pieces is cut there, or with `window` read whole: in windows of
    `max_length` - 2 of its word pieces that start every `window` word pieces (the last one ends with the
    text), each between the text's special ones. A word piece is masked once, in the window whose middle is
    nearest to it (of two the earlier), and the distribution is the average over all word pieces of the text.

    `divergence` chooses D, of candidate p and reference q; `alpha` and `beta` are the parameters of "ab",
    "alpha", "beta" (AB with alpha = 1) and "renyi". The distance is 1 - exp(-D), or for one that is bounded
    ("fisher-rao", "total-variation", "l1", "l2", "l-infinity") D over the most it can be.

    With `idf` the average is weighted by inverse document frequency (see `fit`). Distributions are kept in
    float32, 4 bytes a word of the vocabulary and text (122 kB for BERT): on the GPU if they fill at most half
    of its free memory, else in main memory; products are accumulated in float64.
    """

    model: str = ENGLISH
    temperature: float = 0.25
    raw: bool = False
    window: int | None = None
    divergence: Divergence = "ab"
    alpha: float = 1.0
    beta: float = 1.0
    task: ClassVar["Task"] = "masked-lm"
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="infolm",
        title="InfoLM",
        range="[0, 1]; [0, inf) with raw",
        symmetric=True,
        symmetry="d(a, b) = d(b, a); the divergence kl and unequal parameters change that",
        cost="about one forward pass of the model for each word piece of a text; use a GPU for documents",
        source="Colombo et al., AAAI 2022; AB-divergence, alpha = beta = 1, as 1 - exp(-D)",
    )

    def __post_init__(self) -> None:
        _check_parameters(self.divergence, self.alpha, self.beta)

    @property
    def symmetric(self) -> bool:
        """Whether D of (p, q) is that of (q, p)."""
        return _is_symmetric(self.divergence, self.alpha, self.beta)

    def _signed_options(self) -> dict[str, OptionValue]:
        """What came later is signed where it is not the default, so that what was kept before is found."""
        default = default_options(InfoLM)
        later = {name for name in ("divergence", *_PARAMETERS) if getattr(self, name) == default[name]}
        return {name: value for name, value in super()._signed_options().items() if name not in later}

    def remark(self, languages: Sequence[str]) -> str:
        """Says where the model was trained on another language."""
        if self.model == ENGLISH and is_foreign(languages):
            return f"its model {ENGLISH} was trained on English: give model another masked language model"
        return ""

    def prepare(self, texts: Sequence[str]) -> PreparedVectors:
        """The distribution of each text, float32; raises MeasureError first where the model cannot."""
        masked = self._plan(texts)
        empty = np.ones(len(texts), dtype=bool)
        empty[masked.text] = False
        distributions = self._distributions(masked, len(texts))
        self._require_finite(distributions)
        return PreparedVectors(distributions, empty)

    def _plan(self, texts: Sequence[str]) -> "MaskedTexts":
        from meta_eval.kernels.mask import plan_copies
        from meta_eval.kernels.tokens import kept_tokens, slide_windows, whole_windows

        self._check()
        tokenizer = self._load().tokenizer
        ragged = self._tokenise(texts, None if self.window else self.max_length)
        windows = (
            slide_windows(ragged, self.max_length, self.window) if self.window else whole_windows(ragged)
        )
        ids = windows.ragged.ids
        special = (tokenizer.pad_token_id, tokenizer.cls_token_id, tokenizer.sep_token_id)
        weights = self._fitted().weights(ids) if self.idf else None
        return plan_copies(windows, kept_tokens(ids, special), weights)

    def _check(self) -> None:
        if not self.temperature > 0:
            raise MeasureError(f"temperature is {self.temperature}; it must be above 0.")
        if self.window is not None and not 1 <= self.window <= self.max_length - 2:
            raise MeasureError(
                f"window is {self.window}; with max_length {self.max_length} it must be from 1 to "
                f"{self.max_length - 2} word pieces."
            )

    def _distributions(self, masked: "MaskedTexts", texts: int) -> "Tensor":
        from meta_eval.kernels.generic import module_distributions
        from meta_eval.kernels.infolm import average_distributions
        from meta_eval.kernels.pack import roomy_device

        devices, dtype = self._devices(), self._dtype()
        float8 = self._precision() == "float8"
        models = [_masked_model(self.model, self._folder(), device, dtype, float8) for device in devices]
        if models[0] is None:
            self._require_kernels()
            module = module_on(self.model, self._folder(), self.task, devices[0], dtype)
            mask = self._load().tokenizer.mask_token_id
            return module_distributions(
                masked, module, mask, texts=texts, temperature=self.temperature, tokens=1 << 13
            )
        return average_distributions(
            masked,
            [model for model in models if model is not None],
            texts=texts,
            temperature=self.temperature,
            config=self._config(models[0].encoder),
            store=roomy_device(devices[0], 4 * texts * models[0].vocabulary),
        )

    def _compare(self, content: "Tensor", first: IntArray, second: IntArray) -> FloatArray:
        from meta_eval.kernels.divergence import ab_divergence, cosines
        from meta_eval.kernels.information import as_distance, divergences

        if (self.divergence, self.alpha, self.beta) != ("ab", 1.0, 1.0):
            words = self._load().module.get_output_embeddings().weight.shape[0]  # the rest is filler
            found = divergences(
                content[:, :words], first, second, self.divergence, alpha=self.alpha, beta=self.beta
            )
            other: FloatArray = (found if self.raw else as_distance(found, self.divergence)).numpy()
            return other
        distance: FloatArray = ab_divergence(cosines(content, first, second), raw=self.raw).numpy()
        return distance


@lru_cache(maxsize=8)
def _masked_model(
    name: str, folder: "ModelFolder", device: "Device", dtype: "DType", float8: bool
) -> "MaskedModel | None":
    """None where the kernels do not know the architecture; the last layer and the head are never float8."""
    from meta_eval.kernels.infolm import make_masked_model
    from meta_eval.kernels.weights import extract_encoder, extract_head

    loaded: LoadedModel = load_cached(name, folder, "masked-lm")
    encoder, head = extract_encoder(loaded.module), extract_head(loaded.module)
    if encoder is None or head is None:
        return None
    moved = encoder.to(device, dtype)
    chosen = moved.in_float8(len(moved.layers) - 1) if float8 else moved
    if chosen is None:
        return None
    return make_masked_model(chosen, head.to(device, dtype), loaded.tokenizer.mask_token_id)


@dataclass(frozen=True, kw_only=True)
class KdmInfoLM(InfoLM):
    """As in the released code (protocol 10): a 2-layer BERT, 20 word pieces, raw, rounded; 0 for an empty
    text.

    The released code calls torchmetrics, which cuts at 20 word pieces unless told otherwise and turns the
    missing distance of an empty text into 0.
    """

    mode: Mode = "kdm"
    preprocess: Preprocess = "pens"
    model: str = "google/bert_uncased_L-2_H-128_A-2"
    max_length: int = 20
    raw: bool = True
    settled: ClassVar[frozenset[str]] = frozenset({"divergence", "alpha", "beta"})

    def _compare(self, content: "Tensor", first: IntArray, second: IntArray) -> FloatArray:
        return round_each(super()._compare(content, first, second), 5)

    def _empty_one(self) -> float:
        return 0.0
