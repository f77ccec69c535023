"""Ratings that were collected elsewhere become a closed batch, whole or not at all."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from django.db import IntegrityError, transaction

from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.questionnaires import RatedQuestionnaire, group_ratings
from meta_eval.ratings.rating import check_scale, order_readers
from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.states import BatchStatus, Scale
from survey_site.batches.validators import require_offered
from survey_site.common.digest import digest
from survey_site.common.errors import ConflictError
from survey_site.corpus.models import Corpus
from survey_site.uploads.files import RatingFile
from survey_site.uploads.models import Upload
from survey_site.uploads.storage import code_raters, store_questionnaires
from survey_site.uploads.validators import validate_upload


@dataclass(frozen=True, kw_only=True)
class UploadSettings:
    """What the file does not say. name: of the batch, empty for that of the file; raters: ratings that a pair
    needs, by default the most that any system's pair has; an empty wording is not known.
    """

    name: str
    scale: str
    raters: int | None = None
    question: str = ""
    low_label: str = ""
    high_label: str = ""


@dataclass(frozen=True)
class UploadResult:
    """The batch, and whether this upload made it or it was there already."""

    batch: Batch
    created: bool


def import_ratings(
    *, corpus: Corpus, file: RatingFile, settings: UploadSettings, now: datetime, by: User | None = None
) -> UploadResult:
    """Store a file's ratings as a closed batch; the same file with the same settings is the batch that is
    there, whatever its name.

    Raises ValidationError by field, ConflictError for a corpus that is archived; then nothing is stored.
    """
    require_offered(corpus)
    questionnaires = _group(file)
    batch = _describe_batch(corpus, file, settings, questionnaires)
    validate_upload(batch)
    upload = _describe_upload(batch, file, now, by)
    if found := _find(upload.key):
        return found
    try:
        with transaction.atomic():
            _store(upload, file, questionnaires)
    except IntegrityError as error:
        if found := _find(upload.key):
            return found
        raise ConflictError(
            "Somebody else stored ratings of raters with the same names at this moment.",
            action="Upload the file again.",
        ) from error
    return UploadResult(batch, created=True)


def _group(file: RatingFile) -> list[RatedQuestionnaire]:
    """The file's questionnaires in the order of their numbers, which are the file's where it has some."""
    numbers = [str(row.columns.questionnaire) for row in file.rows]
    numbered = numbers if "questionnaire" in file.known else None
    questionnaires = group_ratings([row.rating for row in file.rows], numbered)
    return sorted(questionnaires, key=lambda one: int(one.number))


def _find(key: str) -> UploadResult | None:
    upload = Upload.objects.filter(key=key).select_related("batch").first()
    return UploadResult(upload.batch, created=False) if upload else None


def _key(batch: Batch, file: RatingFile) -> str:
    return digest(
        {
            "file": file.content_hash,
            "corpus": batch.corpus_id,
            "scale": batch.scale,
            "raters": batch.raters,
            "wording": [batch.question, batch.low_label, batch.high_label],
            **({"said": file.said} if file.said else {}),
        }
    )


def _describe_batch(
    corpus: Corpus, file: RatingFile, settings: UploadSettings, questionnaires: list[RatedQuestionnaire]
) -> Batch:
    pairs = {(one.document, *order_readers(one.reader_a, one.reader_b)) for one in questionnaires}
    documents = Counter(document for document, *_ in pairs)
    return Batch(
        name=settings.name.strip() if settings.name else PurePath(file.name).stem,
        corpus=corpus,
        status=BatchStatus.CLOSED,
        documents=len(documents),
        reader_pairs=max(documents.values()),
        systems_per_questionnaire=max(len(one.systems) for one in questionnaires),
        raters=_full_number(file) if settings.raters is None else settings.raters,
        scale=settings.scale,
        equal_pairs_once=any(row.columns.copied_from for row in file.rows),
        question=settings.question.strip(),
        low_label=settings.low_label.strip(),
        high_label=settings.high_label.strip(),
    )


def _describe_upload(batch: Batch, file: RatingFile, now: datetime, by: User | None) -> Upload:
    """The batch is closed from the moment of its upload on."""
    batch.created_at = batch.launched_at = batch.closed_at = now
    batch.created_by = by
    batch.plan_notes = [_source_note(file, now), *file.notes]
    return Upload(
        batch=batch,
        key=_key(batch, file),
        file=file.name[:200],
        content_hash=file.content_hash,
        known=list(file.known),
        uploaded_by=by,
        uploaded_at=now,
    )


def _full_number(file: RatingFile) -> int:
    """The most ratings that any system's pair has, as `python -m meta_eval human` takes it."""
    ratings = [row.rating for row in file.rows]
    return human_divergences(ratings, scale=check_scale(Scale.SIMILARITY), min_raters=1).full


def _store(upload: Upload, file: RatingFile, questionnaires: list[RatedQuestionnaire]) -> None:
    batch, now, by = upload.batch, upload.uploaded_at, upload.uploaded_by
    raters = code_raters(_raters(file), named=upload.knows_raters)
    if upload.knows_raters:
        upload.renamed = {name: one.code for name, one in raters.items() if name != one.code}
    if upload.renamed:
        batch.plan_notes.append(_renamed_note(len(upload.renamed)))
    batch.save()
    upload.batch = batch  # its key is known now
    upload.save()
    store_questionnaires(batch, questionnaires, file.rows, raters, now=now)
    detail = {"file": file.name, "hash": file.content_hash, "ratings": len(file.rows)}
    record_action(action="ratings uploaded", subject=batch, by=by, now=now, detail=detail)


def _raters(file: RatingFile) -> dict[str, bool]:
    """Every rater of the file, and whether any row says that a program rated."""
    raters: dict[str, bool] = {}
    for row in file.rows:
        name = row.rating.rater
        raters[name] = raters.get(name, False) or bool(row.columns.simulated)
    return raters


def _source_note(file: RatingFile, now: datetime) -> str:
    return f"The ratings were collected elsewhere and uploaded on {now:%Y-%m-%d} from {file.name}"


def _renamed_note(count: int) -> str:
    return (
        f"{count} rater{'s' * (count > 1)} of the file {'have' if count > 1 else 'has'} another name here: "
        "the file's is no pseudonym that fits, or is taken; the page of the batch lists them"
    )
