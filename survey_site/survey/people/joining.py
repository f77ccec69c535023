"""Letting people into a batch: who they are, by which link they came, what they agreed to."""

import hashlib
from datetime import datetime
from http import HTTPStatus

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from survey_site.batches.models import Batch
from survey_site.common.errors import (
    ApplicationError,
    ConflictError,
    GoneError,
    NotAllowedError,
    NotFoundError,
    PausedError,
)
from survey_site.common.moments import in_words
from survey_site.common.prepared import Parameter, prepared
from survey_site.survey.models import Consent, ConsentText, Entry, Rater, make_rater_code
from survey_site.survey.people.consent import ensure_consent_text
from survey_site.survey.people.participation import may_enter, read_participation


class EarlyError(ApplicationError):
    """It will be possible, from a time that is known."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = gettext_lazy("Not open yet")


def hash_key(secret: str) -> str:
    """What is stored of a rater's secret: its SHA-256, in hexadecimal."""
    return hashlib.sha256(secret.encode()).hexdigest()


def join_batch(
    *,
    batch: Batch,
    secret: str,
    now: datetime,
    consent: int | None = None,
    consent_language: str = "",
    language: str = "",
    name: str = "",
    entry: str = Entry.OPEN,
    simulated: bool = False,
) -> Rater:
    """The rater with this secret, created if new, the batch is live, and its settings ask for such links.

    consent: the version of the consent text that the person agreed to, in `consent_language`. Without one,
    nobody but a simulated rater is let in or stored; who has agreed before needs none. language: in which the
    person reads the pages. Both languages are the batch's where none is given.
    """
    key_hash = hash_key(secret)
    known = _with_consent.first(batch=batch.pk, key_hash=key_hash)
    if known and (known.simulated or hasattr(known, "consent")):
        known.batch = batch
        return known
    if not known:
        require_handing_out(batch, now)
        if not simulated:
            _require_entry(batch, entry)
    agreed = None if simulated else _require_consent(batch, consent, consent_language or batch.language, now)
    code = make_rater_code(simulated=simulated)
    with transaction.atomic():
        newcomer = Rater(
            batch=batch,
            key_hash=key_hash,
            name=name.strip()[:100],
            simulated=simulated,
            entry=entry,
            code=code,
            language=language or batch.language,
            created_at=now,
        )
        rater = known or _store_once(newcomer)
        if agreed:
            # The row that is there already is set to what it is: SQLite's way to pass over it would pass over
            # every other fault of the row, too.
            Consent.objects.bulk_create(
                [Consent(rater=rater, text=agreed, given_at=now)],
                update_conflicts=True,
                unique_fields=["rater"],
                update_fields=["rater"],
            )
    return rater


def _store_once(newcomer: Rater) -> Rater:
    """The row of somebody who may be joining twice at this moment, by a double click: one, whoever is first.

    The database settles it in the statement that stores: looking first would take two more, and could still
    come too late.
    """
    Rater.objects.bulk_create([newcomer], ignore_conflicts=True)
    rater = _with_consent.get(batch=newcomer.batch_id, key_hash=newcomer.key_hash)
    rater.batch = newcomer.batch
    return rater


@prepared
def _with_consent(batch: Parameter, key_hash: Parameter) -> QuerySet[Rater]:
    rows = Rater.objects.filter(batch=batch, key_hash=key_hash)
    return rows.select_related("consent").order_by()


def require_handing_out(batch: Batch, now: datetime) -> None:
    if batch.is_over(now):
        raise GoneError(_("This survey is closed."), action=_("No further answers are needed. Thank you!"))
    if batch.is_live and batch.opens_at and batch.is_early(now):
        raise EarlyError(
            _("This survey is not open yet."),
            action=_("It opens on %(moment)s. Please come back then with the same link.")
            % {"moment": in_words(batch.opens_at)},
        )
    if batch.is_paused:
        raise PausedError(
            _(
                "This survey is paused: no questionnaires are handed out at the moment. What you have "
                "answered is stored, and what you have begun you can finish."
            ),
            action=_("Please come back later with the same link."),
        )
    if not batch.is_live:
        raise NotFoundError(_("This survey is not open yet."), action=_("Please try the link again later."))


def _require_entry(batch: Batch, entry: str) -> None:
    if not may_enter(read_participation(batch), entry):
        raise NotAllowedError(
            _("This survey is for people who were sent a link of their own."),
            action=_("Open the link that you were sent, all of it."),
        )


def _require_consent(batch: Batch, version: int | None, language: str, now: datetime) -> ConsentText:
    text = version and ensure_consent_text(
        batch=batch,
        participation=read_participation(batch),
        version=version,
        language=language,
        now=now,
    )
    if not text:
        raise ConflictError(
            _("You have not agreed to take part yet."),
            action=_("Open the survey, read what taking part means, and start from there."),
        )
    return text
