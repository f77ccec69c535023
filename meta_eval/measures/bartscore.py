"""BARTScore (Yuan et al., NeurIPS 2021) as a distance: a text's likelihood given another and given itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.measures.base import MeasureInfo, ShardLimit
from meta_eval.measures.neural import NeuralMeasure, PreparedVectors, module_on
from meta_eval.measures.rouge import SYMMETRY, Form
from meta_eval.measures.words.languages import is_foreign

if TYPE_CHECKING:
    from meta_eval.kernels.models import Task
    from meta_eval.kernels.tokens import Ragged

ENGLISH = "facebook/bart-large-cnn"


@dataclass(frozen=True, kw_only=True)
class BARTScore(NeuralMeasure):
    """1 - exp(l(a, b) - l(a, a)), where l(a, b) is the mean log-probability of a's word pieces given b.

    An encoder-decoder reads b and is asked how likely each word piece of a is, special ones included: that
    mean is BARTScore. Set against that of a given itself, it is 0 for equal texts; a text that is more likely
    given the other than given itself is at 0, too. `form` "precision" takes the candidate given the
    reference, "recall" the reference given the candidate, "f" the mean of both differences before exp.
    """

    model: str = ENGLISH
    max_length: int = 1024
    form: Form = "f"
    settled: ClassVar[frozenset[str]] = frozenset({"idf", "compile"})
    shard_limit: ClassVar[ShardLimit] = ShardLimit(documents=64, texts=1 << 13)
    task: ClassVar["Task"] = "seq2seq-lm"
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="bartscore",
        title="BARTScore",
        range="[0, 1]",
        symmetric=True,
        symmetry=SYMMETRY,
        cost="a pass of the decoder for each pair in each order, and of the encoder for each text of a batch",
        source="Yuan et al., NeurIPS 2021, less the score of a text given itself",
    )

    @property
    def symmetric(self) -> bool:
        return self.form == "f"

    def remark(self, languages: Sequence[str]) -> str:
        if self.model == ENGLISH and is_foreign(languages):
            return f"its model {ENGLISH} was trained on English: give model another encoder-decoder"
        return ""

    def prepare(self, texts: Sequence[str]) -> PreparedVectors:
        """The word pieces of each text; raises MeasureError first where the model cannot."""
        self._require_kernels()
        ragged = self._tokenise(texts, self.max_length)
        return PreparedVectors(ragged, self._holding_nothing(ragged))

    def _holding_nothing(self, ragged: "Ragged") -> BoolArray:
        from meta_eval.kernels.tokens import kept_tokens

        tokenizer = self._load().tokenizer
        names = ("pad", "bos", "eos", "cls", "sep")
        special = [getattr(tokenizer, f"{name}_token_id") for name in names]
        kept = kept_tokens(ragged.ids, [number for number in special if number is not None])
        nothing: BoolArray = np.bincount(ragged.rows(), kept, minlength=len(ragged.lengths)) == 0
        return nothing

    def _compare(self, content: "Ragged", first: IntArray, second: IntArray) -> FloatArray:
        number = _number_rows(content)
        candidate, reference = number[first], number[second]
        differences = []
        if self.form != "recall":
            differences.append((candidate, reference))
        if self.form != "precision":
            differences.append((reference, candidate))
        asked = [pair for target, source in differences for pair in ((source, target), (target, target))]
        found = np.split(
            self._likelihoods(content, *map(np.concatenate, zip(*asked, strict=True))), len(asked)
        )
        lower = [given - own for given, own in zip(found[::2], found[1::2], strict=True)]
        mean = lower[0] if len(lower) == 1 else (lower[0] + lower[1]) / 2.0
        return -np.expm1(np.minimum(mean, 0.0))

    def _likelihoods(self, texts: "Ragged", source: IntArray, target: IntArray) -> FloatArray:
        """log p(target | source) per word piece of each pair; each different pair is asked for once."""
        from meta_eval.kernels.likelihood import mean_log_likelihoods

        codes, inverse = np.unique(source * len(texts.lengths) + target, return_inverse=True)
        device = self._devices()[0]
        module = module_on(self.model, self._folder(), self.task, device, self._dtype())
        padding = self._load().tokenizer.pad_token_id
        found = mean_log_likelihoods(module, texts, *np.divmod(codes, len(texts.lengths)), padding)
        self._require_finite(found)
        likelihoods: FloatArray = found.numpy()[inverse]
        return likelihoods


def _number_rows(texts: "Ragged") -> IntArray:
    """The first text that has the same word pieces, for each text."""
    rows = [
        texts.ids[start:end].tobytes()
        for start, end in zip(texts.offsets[:-1], texts.offsets[1:], strict=True)
    ]
    firsts: dict[bytes, int] = {}
    return np.array([firsts.setdefault(row, number) for number, row in enumerate(rows)], dtype=np.int64)
