"""What a report is made from, read at one moment: ratings, what was asked for, the state of the survey."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from meta_eval.report.schema import SCHEMA_VERSION
from survey_site.batches.models import Batch
from survey_site.common.digest import digest
from survey_site.common.locking import lock_row
from survey_site.reports import validators
from survey_site.reports.models import Report
from survey_site.reports.queries import survey_facts
from survey_site.scoring import jobs
from survey_site.scoring.adapters import computing_versions
from survey_site.scoring.models import RatingSet
from survey_site.scoring.rating_sets import ReadRatings, read_while_people_go_on, record_and_read


@dataclass(frozen=True)
class Inputs:
    """What a report is made from: the ratings, what was asked for, and the survey at that moment."""

    rating_set: RatingSet
    options: dict[str, Any]
    survey: dict[str, Any]

    @property
    def key(self) -> str:
        batch = self.rating_set.batch_id
        return digest({**program(), "batch": batch, "options": self.options, "survey": self.survey})


def program() -> dict[str, Any]:
    """What else a result depends on: the version of the record, and what computes."""
    return {"schema": SCHEMA_VERSION, "versions": computing_versions()}


def read_inputs(
    batch: Batch, options: dict[str, Any], now: datetime, read: ReadRatings | None = None
) -> Inputs:
    """In the transaction of the caller, so that ratings and survey are of one moment."""
    rating_set, ratings = record_and_read(batch=batch, now=now, read=read)
    if not ratings:
        raise ValidationError({"batch": f"Nobody has submitted a questionnaire of “{batch}” yet."})
    validators.validate_rated(options["min_raters"], batch)
    return Inputs(rating_set, options, survey_facts(batch, ratings))


def read_for(report: Report, clock: jobs.Clock) -> None:
    """Read the ratings of a report that was asked for; from then on it is made from these.

    Raises ValidationError where they are too few. Only what changed while they were read is read under the
    lock for which people who rate may wait. Where the same inputs have a report already, because what had
    changed was changed back, this one keeps a key of its own. The row is changed, and `report` only after the
    commit: who tries again after a fault begins with what is stored.
    """
    read = read_while_people_go_on(report.batch)
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=report.batch_id))
        now = clock()  # the moment of its ratings, which bundles go by: nobody is waited for after it
        inputs = read_inputs(batch, report.options, now, read)
        row = lock_row(Report.objects.filter(pk=report.pk))
        if not row.rating_set_id:  # else another process has, which had been taken for dead
            row.rating_set, row.survey, row.created_at = inputs.rating_set, inputs.survey, now
            row.save(update_fields=["rating_set", "survey", "created_at"])
            jobs.take_key(row, inputs.key)
    report.refresh_from_db(fields=["rating_set", "survey", "created_at", "key"])
