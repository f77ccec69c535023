"""What a report says of a survey and its corpus, beside the scores."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from meta_eval.corpus.documents import Corpus
from meta_eval.ratings.survey import Survey
from meta_eval.report.assembling import ReportFacts, count_absent_texts

ONLY_WHERE_SO = ("equal_pairs_once", "one_typography")
"""What a study says, and so its report, only where it is so."""


def facts_of_survey(
    corpus: Corpus,
    survey: Survey,
    options: Mapping[str, Any],
    names: Mapping[str, str],
    generated: Sequence[Mapping[str, Any]] = (),
) -> ReportFacts:
    """Of a report that keeps these `options`; `names` calls the survey (`batch`) and its `corpus`.

    `generated` are records of how systems came about; those of systems of the survey are kept.
    """
    known = [dict(record) for record in generated if record["system"] in survey.plan["systems"]]
    return ReportFacts(
        scale=survey.scale,
        subject={
            "batch": names.get("batch", ""),
            "question": survey.study.get("question", ""),
            "corpus": names.get("corpus", ""),
            **facts_of_corpus(corpus, survey.study),
            "seed": survey.plan.get("seed"),
            **{name: True for name in ONLY_WHERE_SO if survey.study.get(name)},
            **({"generated": known} if known else {}),
            **({"plan_known": False} if survey.plan.get("from_ratings") else {}),
        },
        plan=survey.plan_counts,
        ratings=survey.rating_counts,
        options=options,
        systems=survey.plan["systems"],
        counts={**count_absent_texts(corpus), **survey.unrated_pairs},
        notes=[*corpus.notes, *plan_notes(survey)],
    )


def facts_of_corpus(corpus: Corpus, study: Mapping[str, Any]) -> dict[str, Any]:
    """Its hash and size, and whether raters read the documents, where the study says it."""
    shown = study.get("document_shown")
    return {
        "corpus_hash": corpus.content_hash,
        "corpus_documents": len(corpus.documents),
        **({} if shown is None else {"document_shown": bool(shown) and corpus.has_document_texts}),
    }


def plan_notes(survey: Survey) -> Iterator[str]:
    """What the plan itself says of how it was made."""
    yield from survey.plan.get("notes", ())
    if survey.plan.get("from_ratings") and "source_file" not in survey.study:  # of an upload that is said
        yield (
            "The plan of the survey is taken from its ratings; what was planned and never rated is not known."
        )
