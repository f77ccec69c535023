"""Meta-evaluation of personalised summarisation metrics; usable without the web site.

What a study needs is here by name; nothing is loaded before it is used.

Examples
--------
Two readers of one document, what three systems wrote for each, and one rater's judgments from 1 to 6; from
data frames to a report:

>>> import meta_eval
>>> import pandas
>>> own = ("rain in the north", "sun in the south")
>>> written = {"user": own, "A": own, "B": ("rain", "rain in the south"), "C": ("sun", "sun")}
>>> rows = [("d", reader, name, text) for name, pair in written.items() for reader, text in zip("xy", pair)]
>>> texts = pandas.DataFrame(rows, columns=["doc_id", "reader", "system", "text"])
>>> corpus = meta_eval.read_corpus(texts.assign(doc_text="Rain in the north, sun in the south."))
>>> rated = [("d", system, "x", "y", "p", rating) for system, rating in zip(written, (2, 2, 3, 6))]
>>> columns = ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
>>> ratings = meta_eval.read_ratings(pandas.DataFrame(rated, columns=columns), corpus)
>>> asked = {"measures": ["rouge-l"], "surrogates": ["rouge-l"], "scale": "similarity"}
>>> quick = meta_eval.InferenceOptions(resamples=40, shuffles=40, splits=10, simulations=10)
>>> report = meta_eval.make_report(corpus, ratings, **asked, inference=quick)
>>> report.answer.partition(":")[0]
'These ratings cannot answer it yet'

Step by step:

>>> measure = meta_eval.make_measure("rouge-l")
>>> automatic = meta_eval.score_systems(corpus, measure)
>>> automatic.to_frame()[["system", "perseval"]].round(2).values.tolist()
[['A', 1.0], ['B', 0.42], ['C', 0.0]]
>>> divergences = meta_eval.human_divergences(ratings, scale="similarity")
>>> human = meta_eval.score_humans(corpus, divergences, measure)
>>> found = meta_eval.correlate(human, automatic).to_frame()
>>> found.query("human == 'perseval_hj' and coefficient == 'kendall'")["estimate"].round(6).tolist()
[1.0]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from meta_eval.version import __version__ as __version__

if TYPE_CHECKING:
    from meta_eval.corpus.tables import read_corpus
    from meta_eval.measures.registry import make_measure
    from meta_eval.publish.bundle.verifying import verify_bundle
    from meta_eval.publish.making import make_report
    from meta_eval.ratings.divergences import human_divergences
    from meta_eval.ratings.survey import survey_of_ratings
    from meta_eval.ratings.table import read_ratings
    from meta_eval.report.building import build_report
    from meta_eval.report.options import InferenceOptions, ReportOptions
    from meta_eval.report.reliability import correlate_scores as correlate
    from meta_eval.scores.automatic import score_systems
    from meta_eval.scores.human import score_humans

__all__ = [
    "InferenceOptions",
    "ReportOptions",
    "build_report",
    "correlate",
    "human_divergences",
    "make_measure",
    "make_report",
    "read_corpus",
    "read_ratings",
    "score_humans",
    "score_systems",
    "survey_of_ratings",
    "verify_bundle",
]

_HOMES = {
    "InferenceOptions": ("report.options", "InferenceOptions"),
    "ReportOptions": ("report.options", "ReportOptions"),
    "build_report": ("report.building", "build_report"),
    "correlate": ("report.reliability", "correlate_scores"),
    "human_divergences": ("ratings.divergences", "human_divergences"),
    "make_measure": ("measures.registry", "make_measure"),
    "make_report": ("publish.making", "make_report"),
    "read_corpus": ("corpus.tables", "read_corpus"),
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
