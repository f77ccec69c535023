"""The sealed bundle of a report: all that it was computed from, as it was then."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from meta_eval.measures.given import DistanceBook
from meta_eval.publish.bundle import BundleContent
from meta_eval.publish.bundle.layout import COUNTED
from meta_eval.publish.bundle.sealing import seal_distances
from meta_eval.publish.heds import Entry, fill_datasheet
from meta_eval.ratings.rating import Rating
from meta_eval.ratings.rows import rating_of_row, rating_row
from survey_site.batches.states import AssignmentState
from survey_site.common.errors import ConflictError
from survey_site.corpus.queries import load_corpus
from survey_site.reports.beside import judged_run, rated_by_models
from survey_site.reports.models import Report
from survey_site.scoring.given.measures import books_of
from survey_site.scoring.storage import distance_store
from survey_site.survey.models import Assignment
from survey_site.survey.people.participation import read_participation
from survey_site.survey.rating_rows import UNCOUNTED, rating_rows
from survey_site.uploads.queries import design_of, plan_of, study_of, upload_of

Row = dict[str, Any]

EXCLUDED = "excluded"
"""State of a row that was held when the report was made and that it did not count."""

_ANSWERED = (AssignmentState.SUBMITTED, *UNCOUNTED)


def bundle_content(report: Report) -> BundleContent:
    """What the bundle of a finished report seals.

    Raises ConflictError where the report is not finished, or rests on ratings that are no longer held.
    """
    corpus, result = load_corpus(report.batch.corpus), report.read()
    return BundleContent(
        report=result,
        corpus=corpus,
        ratings=_rows_of_report(report),
        questionnaires=list(_questionnaire_rows(report)),
        plan=plan_of(report.batch),
        study=_study(report),
        given=_given(report),
        sealed=seal_distances(result, corpus, distance_store()),
        models=rated_by_models(report),
        judge=judged_run(report, corpus),
    )


def _given(report: Report) -> list[DistanceBook]:
    """The distances from outside that the report rests on; without one of them nobody could verify it."""
    books = books_of(report.batch.corpus, report.given)
    if lost := sorted(set(report.given) - {book.name for book in books}):
        raise ConflictError(
            f"The distances {', '.join(lost)} of this report are no longer held.",
            action="Upload the same distances again, then download the bundle.",
        )
    return books


def report_datasheet(report: Report) -> list[Entry]:
    """The human evaluation datasheet, filled in from the finished report and its survey as they were."""
    corpus = report.batch.corpus
    named = {tag or corpus.language for tag in corpus.documents.values_list("language", flat=True)}
    return fill_datasheet(
        report.read(),
        plan=design_of(report.batch),
        study=_study(report),
        languages=sorted(named),
    )


def _study(report: Report) -> Row:
    """What raters were told and asked until the report was made."""
    if upload_of(report.batch):
        return {**study_of(report.batch), **report.survey.get("frozen", {})}
    taking_part = read_participation(report.batch)
    texts = report.batch.consent_texts.filter(created_at__lte=report.created_at)
    return {
        **study_of(report.batch),
        "entry": str(taking_part.entry),
        "practice": taking_part.practice,
        "consent": list(texts.order_by("language", "version").values("language", "version", "text")),
        **report.survey.get("frozen", {}),
    }


def require_held(report: Report, *, missing: int = 0) -> None:
    """Raises ConflictError where ratings that it rests on were withdrawn, or `missing` are not found."""
    if lost := missing + report.ratings.withdrawn:
        raise ConflictError(
            f"{lost} ratings of this report are no longer held: people withdrew them after it was made.",
            action="Make a new report on the batch: it rests on the ratings that are held.",
        )


def _rows_of_report(report: Report) -> list[Row]:
    """The rows that the report counted, and those that it did not although they had been submitted."""
    wanted = Counter(rating_row(Rating(*row)) for row in report.ratings.ratings)
    rows = sorted(_matching_rows(report, wanted), key=_place)
    require_held(report, missing=sum(wanted.values()))
    return rows


def _place(row: Row) -> tuple[Any, ...]:
    """Page by page as its rater met it; what was not shown, or has no known position, stands behind."""
    return row["questionnaire"], row["rater"], row["position"] is None, row["position"] or 0


def _matching_rows(report: Report, wanted: Counter[tuple[Any, ...]]) -> Iterator[Row]:
    """States as the report saw them, whatever was excluded, included or submitted since."""
    until = seen_until(report)
    held = rating_rows(report.batch, further=UNCOUNTED)
    excluded = rating_rows(report.batch, further=UNCOUNTED, excluded=True)
    for row in chain(held, excluded):
        key = rating_row(rating_of_row(row))
        if row["state"] not in UNCOUNTED and wanted[key]:
            wanted[key] -= 1
            yield _plain(row, state=COUNTED)
        elif row["submitted_at"] is None or row["submitted_at"] <= until:
            yield _plain(row, state=row["state"] if row["state"] in UNCOUNTED else EXCLUDED)


def seen_until(report: Report) -> datetime:
    """What was submitted later is no part of the report; nor is what comes after its batch was frozen."""
    frozen_at = report.survey.get("frozen", {}).get("frozen_at")
    return min(report.created_at, datetime.fromisoformat(frozen_at)) if frozen_at else report.created_at


def _plain(row: Row, *, state: str) -> Row:
    return {name: _iso(value) for name, value in row.items()} | {"state": str(state)}


def _iso(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _questionnaire_rows(report: Report) -> Iterator[Row]:
    """One row a questionnaire and rater, as it stood when the report was made, whatever came later."""
    until = seen_until(report)
    seen = Assignment.objects.filter(questionnaire__batch=report.batch, claimed_at__lte=until)
    rows = seen.order_by("questionnaire__number", "claimed_at", "rater__code")
    columns = ("questionnaire__number", "rater__code", "state", "claimed_at", "submitted_at")
    upload = upload_of(report.batch)
    timed = upload is None or upload.knows_times
    for number, rater, state, claimed_at, submitted_at in rows.values_list(*columns).iterator():
        submitted = state in _ANSWERED and submitted_at <= until
        yield {
            "questionnaire": number,
            "rater": rater,
            "state": state if submitted else "unsubmitted",
            "claimed_at": None if upload else claimed_at.isoformat(),
            "submitted_at": submitted_at.isoformat() if submitted and timed else None,
        }
