"""Meta-evaluation of personalised summarisation metrics; usable without the web site.

What a study needs is here by name; nothing is loaded before it is used.

Examples
--------
Two readers of one document, what three systems wrote for each, and one rater's judgments from 1 to 6:

>>> import io, json
>>> import meta_eval
>>> texts = {
...     "ann": {"user": "rain in the north", "A": "rain in the north", "B": "rain", "C": "sun"},
...     "bob": {"user": "sun in the south", "A": "sun in the south", "B": "rain in the south", "C": "sun"},
... }
>>> document = {"doc_id": "d", "doc_summ": "Weather", "doc_text": "Rain in the north, sun in the south."}
>>> lines = json.dumps({**document, "m_summary_dict": texts})
>>> corpus = meta_eval.read_corpus(io.BytesIO(lines.encode()))
>>> measure = meta_eval.make_measure("rouge-l")
>>> automatic = meta_eval.score_systems(corpus, measure)
>>> [(row["system"], round(row["perseval"], 2)) for row in automatic.records()]
[('A', 1.0), ('B', 0.42), ('C', 0.0)]

>>> rows = ["doc_id,system,reader_a,reader_b,rater,rating"]
>>> rows += [f"d,{system},ann,bob,x,{rating}" for system, rating in zip(["user", *"ABC"], (2, 2, 3, 6))]
>>> table = meta_eval.read_ratings(io.BytesIO("\\n".join(rows).encode()), corpus)
>>> divergences = meta_eval.human_divergences(table.ratings, scale="similarity")
>>> human = meta_eval.score_humans(corpus, divergences, measure)
>>> found = meta_eval.correlate(human.records(), automatic.records())
>>> asked = ("perseval_hj", "kendall")
>>> [round(row["estimate"], 6) for row in found if (row["human"], row["coefficient"]) == asked]
[1.0]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from meta_eval.version import __version__ as __version__

if TYPE_CHECKING:
    from meta_eval.corpus.documents import read_jsonl as read_corpus
    from meta_eval.measures.registry import make_measure
    from meta_eval.publish.bundle.verifying import verify_bundle
    from meta_eval.ratings.divergences import human_divergences
    from meta_eval.ratings.survey import survey_of_ratings
    from meta_eval.ratings.table import read_ratings
    from meta_eval.report.building import build_report
    from meta_eval.report.options import ReportOptions
    from meta_eval.report.reliability import correlate_records as correlate
    from meta_eval.scores.automatic import score_systems
    from meta_eval.scores.human import score_humans

__all__ = [
    "ReportOptions",
    "build_report",
    "correlate",
    "human_divergences",
    "make_measure",
    "read_corpus",
    "read_ratings",
    "score_humans",
    "score_systems",
    "survey_of_ratings",
    "verify_bundle",
]

_HOMES = {
    "ReportOptions": ("report.options", "ReportOptions"),
    "build_report": ("report.building", "build_report"),
    "correlate": ("report.reliability", "correlate_records"),
    "human_divergences": ("ratings.divergences", "human_divergences"),
    "make_measure": ("measures.registry", "make_measure"),
    "read_corpus": ("corpus.documents", "read_jsonl"),
    "read_ratings": ("ratings.table", "read_ratings"),
    "score_humans": ("scores.human", "score_humans"),
    "score_systems": ("scores.automatic", "score_systems"),
    "survey_of_ratings": ("ratings.survey", "survey_of_ratings"),
    "verify_bundle": ("publish.bundle.verifying", "verify_bundle"),
}


def __getattr__(name: str) -> Any:
    """A name of `__all__`, loaded when it is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    globals()[name] = value = getattr(import_module(f"{__name__}.{module}"), attribute)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
