"""A small study whose every number can be computed in a moment: texts, ratings, plan and report."""

from dataclasses import replace
from itertools import product

from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.measures import parse_measure
from meta_eval.publish.bundle import BundleContent
from meta_eval.publish.bundle.reading import BundleData
from meta_eval.publish.bundle.recomputing import recompute_report
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import Rating
from meta_eval.ratings.rows import ratings_hash
from meta_eval.report.assembling import (
    ReportFacts,
    assemble_report,
    count_absent_texts,
)
from meta_eval.report.options import InferenceOptions
from meta_eval.report.same_texts import find_same_texts
from meta_eval.report.schema import Inference, PartFailure
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.human import score_humans

READERS = ("reader1", "reader2", "reader3")
PAIR = ("reader1", "reader2")
SYSTEMS = ("Copy", "Long & wide", "Same_50%")
VALUES = {GOLD: (2, 3), "Copy": (2, 1), "Long & wide": (4, 3), "Same_50%": (6, 5)}

_TEXTS = {
    "bridge": ("old bridge closed", "repairs last until winter", "council closes the bridge for repairs"),
    "bakery": ("bakery opens early", "bread beside the station", "new bakery sells bread from four"),
    "rain": ("rain floods two streets", "firemen pump out cellars", "heavy rain fills the cellars"),
}
_BODIES = {
    "bridge": "The council closed the old bridge for repairs that will last until winter.",
    "bakery": "A new bakery opened beside the station and sells bread from four in the morning.",
    "rain": "Heavy rain flooded two streets while firemen pumped water out of the cellars.",
}


def make_corpus() -> Corpus:
    return Corpus(tuple(_document(name) for name in _TEXTS))


def _document(name: str) -> Document:
    references = dict(zip(READERS, _TEXTS[name], strict=True))
    summaries = {
        "Copy": references,
        "Long & wide": {reader: f"{text} {_TEXTS[name][0]} again" for reader, text in references.items()},
        "Same_50%": dict.fromkeys(READERS, f"news of the {name}"),
    }
    return Document(name, f"Report on the {name}", _BODIES[name], references, summaries)


def make_rows() -> list[dict[str, object]]:
    """One row a rating: two raters for each pair of each document."""
    return [
        {
            "doc_id": document,
            "system": system,
            "reader_a": PAIR[0],
            "reader_b": PAIR[1],
            "rater": f"r-{rater}",
            "rating": min(6, max(1, VALUES[system][rater] - (number == 1))),
            "questionnaire": number + 1,
            "position": position,
            "flipped": position % 2 == 0,
            "simulated": False,
            "submitted_at": "2026-03-01T12:00:00+00:00",
            "state": "submitted",
        }
        for (number, document), rater in product(enumerate(_TEXTS), (0, 1))
        for position, system in enumerate(VALUES, start=1)
    ]


def make_plan() -> dict[str, object]:
    return {
        "seed": 7,
        "systems": list(SYSTEMS),
        "questionnaires": [
            {
                "number": number,
                "document": document,
                "reader_a": PAIR[0],
                "reader_b": PAIR[1],
                "items": [{"system": system, "places": [[1, False], [2, True]]} for system in VALUES],
            }
            for number, document in enumerate(_TEXTS, start=1)
        ],
    }


def make_content(
    *, measures: tuple[str, ...] = ("rouge-l", "jsd"), surrogates: tuple[str, ...] = ("rouge-l",)
) -> BundleContent:
    """Everything of the study, with the report that the library makes of it."""
    corpus, rows = make_corpus(), make_rows()
    return BundleContent(
        report=make_study_report(corpus, rows, measures, surrogates),
        corpus=corpus,
        ratings=rows,
        questionnaires=[
            {
                "questionnaire": number,
                "rater": f"r-{rater}",
                "state": "submitted",
                "claimed_at": "2026-03-01T11:00:00+00:00",
                "submitted_at": "2026-03-01T12:00:00+00:00",
            }
            for number, rater in product((1, 2, 3), (0, 1))
        ],
        plan=make_plan(),
        study={"scale": "similarity", "raters": 2, "question": "How similar are the two texts?"},
    )


def make_study_report(corpus, rows, measures, surrogates):
    ratings = [Rating(*list(row.values())[:6]) for row in rows]
    divergences = human_divergences(ratings, scale="similarity", full=2, min_raters=2)
    return assemble_report(
        automatic=[
            record for spec in measures for record in score_systems(corpus, parse_measure(spec)).records()
        ],
        human=[
            record
            for spec in surrogates
            for record in score_humans(corpus, divergences, parse_measure(spec)).records()
        ],
        facts=ReportFacts(
            scale="similarity",
            subject={
                "batch": "Pilot",
                "question": "How similar are the two texts?",
                "corpus": "News",
                "corpus_hash": corpus.content_hash,
                "corpus_documents": 3,
                "seed": 7,
            },
            plan={
                "questionnaires": 3,
                "raters_per_questionnaire": 2,
                "completions_wanted": 6,
                "documents": 3,
                "pairs": 12,
            },
            ratings={
                "hash": ratings_hash(ratings),
                "ratings": 24,
                "completions": 6,
                "raters": 2,
                "simulated_raters": 0,
                "simulated_ratings": 0,
            },
            options={
                "normalise": "document",
                "min_raters": 2,
                "beta": 1.7,
                "edp_readers": "document",
                "alpha": 3.0,
                "gamma": 4.0,
                "p_acc_alpha": 0.5,
                "p_acc_beta": 1.0,
                "mode": "paper",
                "preprocess": None,
                "tokeniser": None,
                "measures": list(measures),
                "surrogates": list(surrogates),
            },
            systems=SYSTEMS,
            counts={**count_absent_texts(corpus), "pairs_unrated": 0, "surplus_questionnaires": 0},
        ),
        failures=[PartFailure("automatic", "bleu", "stopped for a test")] if "bleu" in measures else [],
        same_texts=find_same_texts(corpus, ratings, SYSTEMS),
    )


def with_inference(content: BundleContent, **options: object) -> BundleContent:
    """The study with the statistics of its report, as a site's report has them."""
    asked = InferenceOptions(resamples=200, **options)
    stored = {**content.report.options, **asked.asked}
    data = BundleData(
        report=replace(content.report, inference=Inference(options=asked), options=stored),
        record={},
        plan=dict(content.plan),
        study={**content.study, "corpus_systems": list(content.corpus.systems)},
        rows=tuple({name: str(value) for name, value in row.items()} for row in content.ratings),
        corpus=content.corpus,
    )
    return replace(content, report=recompute_report(data).report)
