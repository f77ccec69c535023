"""What the library is told of a survey, which it cannot know from its ratings."""

from collections.abc import Mapping
from typing import Any

from meta_eval.corpus import documents as values
from meta_eval.ratings.rating import check_scale
from meta_eval.report.assembling import ReportFacts, count_absent_texts
from meta_eval.report.participants import read_participants
from survey_site.batches.models import Batch
from survey_site.quality.checks import check_raters, count_flagged
from survey_site.reports.models import Report

TOLD_LATER = "what people said of themselves is told, in totals, once the batch is closed"


def _planned_here(batch: Batch, corpus: values.Corpus, survey: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of a survey that this site planned; of uploaded ratings nobody said it."""
    if survey.get("upload"):
        return {"seed": None}
    shown = {name: True for name in ("equal_pairs_once", "one_typography") if getattr(batch, name)}
    return {"seed": batch.seed, "document_shown": batch.document_shown and corpus.has_document_texts, **shown}


def _generated(batch: Batch) -> dict[str, Any]:
    """How language models wrote systems of the batch, where somebody told the site."""
    known = batch.systems.filter(generated__isnull=False).order_by("position")
    records = list(known.values_list("generated", flat=True))
    return {"generated": records} if records else {}


def tell_survey(report: Report, corpus: values.Corpus) -> ReportFacts:
    batch, survey = report.batch, report.survey
    return ReportFacts(
        scale=check_scale(batch.scale),
        subject={
            "batch": batch.name,
            "question": batch.question,
            "corpus": batch.corpus.name,
            "corpus_hash": batch.corpus.content_hash,
            "corpus_documents": len(corpus.documents),
            **_planned_here(batch, corpus, survey),
            **_generated(batch),
            **survey.get("upload", {}),
            **survey.get("frozen", {}),
            "raters_flagged": count_flagged(one for one in check_raters(batch) if one.pages),
        },
        plan=survey["plan"],
        ratings=survey["ratings"],
        options=report.options,
        systems=list(batch.systems.order_by("position").values_list("name", flat=True)),
        counts={**count_absent_texts(corpus), **survey["counts"]},
        participants=read_participants(survey.get("participants", ())),
        notes=[
            *corpus.notes,
            *batch.plan_notes,
            *survey.get("exclusions", []),
            *survey.get("controls", []),
            *survey.get("marks", []),
            *survey.get("copies", []),
            *survey.get("forgotten", []),
            *([TOLD_LATER] if survey.get("participants") == [] else []),
        ],
    )
