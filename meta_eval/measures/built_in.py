"""The measures that come with this package, and where the class of each is."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from meta_eval.errors import MeasureError
from meta_eval.measures.base import Measure, Mode

_PACKAGE = "meta_eval.measures"


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """Where the classes of a measure live: "module:Class", imported on demand.

    `kdm` is None where the mode is an argument of the same class, "" where the released code
    does not have the measure.
    """

    paper: str
    kdm: str | None = None


BUILT_IN: Mapping[str, BuiltIn] = {
    "rouge-l": BuiltIn("rouge:RougeL", "kdm:KdmRougeL"),
    "rouge-su4": BuiltIn("rouge:RougeSU4", "kdm:KdmRougeSU4"),
    "bleu": BuiltIn("bleu:Bleu", "kdm:KdmBleu"),
    "meteor": BuiltIn("meteor:Meteor", "kdm:KdmMeteor"),
    "bertscore": BuiltIn("bertscore:BERTScore", "bertscore:KdmBERTScore"),
    "jsd": BuiltIn("jsd:JensenShannon", "kdm:KdmJensenShannon"),
    "jsd-oov": BuiltIn("jsd_oov:JensenShannonOov", ""),
    "infolm": BuiltIn("infolm:InfoLM", "infolm:KdmInfoLM"),
    "rouge-1": BuiltIn("rouge_n:Rouge1", ""),
    "rouge-2": BuiltIn("rouge_n:Rouge2", ""),
    "chrf": BuiltIn("chrf:ChrF", ""),
    "sbert": BuiltIn("sbert:SentenceCosine", ""),
    "moverscore": BuiltIn("moverscore:MoverScore", ""),
    "bartscore": BuiltIn("bartscore:BARTScore", ""),
}
"""The measures that come with this package, by id: those of the protocol in its order, then the others."""


@cache
def built_in_class(measure_id: str, mode: Mode) -> type[Measure]:
    entry = BUILT_IN[measure_id]
    path = entry.paper if mode == "paper" or entry.kdm is None else entry.kdm
    if not path:
        raise MeasureError(
            f"Measure {measure_id!r} has no mode 'kdm': the released code does not compute it."
        )
    module, name = path.split(":")
    found: type[Measure] = getattr(import_module(f"{_PACKAGE}.{module}"), name)
    return found
