"""Writes on studies: uploaded whole or not at all."""

from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from meta_eval.studies.users.checking import Most
from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.projects.choosing import named_project
from survey_site.projects.models import Project
from survey_site.studies.files import PAGE, ReadStudy, StudyFiles, read_study_files
from survey_site.studies.models import MAX_NAME, Study

MAX_SOURCE = 500


@dataclass(frozen=True)
class StudyResult:
    """The study, and whether this upload stored it or it was there already."""

    study: Study
    created: bool


def import_study(
    *,
    name: str,
    files: StudyFiles,
    now: datetime,
    by: User | None = None,
    project: Project | None = None,
    most: Most = PAGE,
) -> StudyResult:
    """Store the results of a study; the same files again change nothing, whatever the name.

    project: whose it is; None: the only one that there is. most: how much the results may hold.

    Raises InputError with every fault of the files, ValidationError for a name that cannot be used; then
    nothing is stored.
    """
    name = checked_name(name)
    read = read_study_files(files, most)
    project = project or named_project(now=now)
    return store_study(name=name, source=files.source, read=read, project=project, now=now, by=by)


def checked_name(name: str) -> str:
    """The name without spaces too many. Raises ValidationError for one that cannot be used."""
    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_NAME:
        raise ValidationError({"name": f"Give the study a name of at most {MAX_NAME} letters."})
    return name


def store_study(
    *, name: str, source: str, read: ReadStudy, project: Project, now: datetime, by: User | None = None
) -> StudyResult:
    """Store what was read and checked; the same files again change nothing. source: what was chosen."""
    with transaction.atomic():
        study, created = Study.objects.get_or_create(
            content_hash=read.content_hash,
            project=project,
            defaults=_columns(checked_name(name), source, read, now, by),
        )
        if created:
            detail = {"hash": study.content_hash, "files": study.source}
            record_action(action="study uploaded", subject=study, by=by, now=now, detail=detail)
    return StudyResult(study, created)


def _columns(name: str, source: str, read: ReadStudy, now: datetime, by: User | None) -> dict[str, object]:
    return {
        "name": name,
        "source": source[:MAX_SOURCE],
        "names": list(read.names),
        "content": read.packed,
        "findings": read.findings.as_record(),
        "users": read.findings.users,
        "summaries": read.findings.summaries,
        "created_at": now,
        "created_by": by,
    }


def record_download(*, study: Study, file: str, by: User | None, now: datetime) -> None:
    """Write down that somebody takes a file of the study."""
    with transaction.atomic():
        record_action(action="study exported", subject=study, by=by, now=now, detail={"file": file})
