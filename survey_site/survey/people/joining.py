"""Letting people into a batch: who they are, by which link they came, what they agreed to."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any, cast

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
from survey_site.common.prepared import Parameter, PreparedInsert, prepared
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
    is_unknown: bool = False,
    newcomer: Callable[[Rater], None] | None = None,
) -> Rater:
    """The rater with this secret, created if new, the batch is live, and its settings ask for such links.

    consent: the version of the consent text that the person agreed to, in `consent_language`. Without one,
    nobody but a simulated rater is let in or stored; who has agreed before needs none. language: in which the
    person reads the pages. Both languages are the batch's where none is given. is_unknown: the person is most
    likely new, so that they are looked for only where no newcomer is let in, or where they turn out to be
    there already. newcomer: called with a rater who is new, in the transaction that stores them.
    """
    key_hash = hash_key(secret)
    is_expected = is_unknown and batch.hands_out(now)
    known = None if is_expected else _with_consent(batch, key_hash).first()
    if known:
        known.batch = batch
        if _has_joined(known):
            return known
    if not known:
        require_handing_out(batch, now)
        if not simulated:
            _require_entry(batch, entry)
    if not consent and not simulated:
        raise _consent_error()
    values = {
        "batch_id": batch.pk,
        "key_hash": key_hash,
        "name": name.strip()[:100],
        "simulated": simulated,
        "entry": str(entry),
        "code": make_rater_code(simulated=simulated),
        "language": language or batch.language,
        "created_at": now,
        "withdrawn_at": None,
        "browsers": 1,
    }
    with transaction.atomic():
        rater, is_new = (known, False) if known else _store_once(batch, values)
        if not is_new and _has_joined(rater):
            return rater
        if consent and not simulated:
            _store_consent(rater, consent, consent_language or batch.language, now)
        if is_new and newcomer:
            newcomer(rater)
    return rater


def _has_joined(rater: Rater) -> bool:
    return rater.simulated or hasattr(rater, "consent")


def _store_once(batch: Batch, values: Mapping[str, Any]) -> tuple[Rater, bool]:
    """The row of somebody who may be joining twice at this moment, by a double click: one, whoever is first.

    And whether it is new. The database settles it in the statement that stores: looking first could still
    come too late.
    """
    pk = _newcomers.one(**values)
    if pk is None:
        rater = _with_consent(batch, values["key_hash"]).get()
    else:
        rater = Rater(pk=pk, **values)
        rater._state.adding = False
    rater.batch = batch
    return rater, pk is not None


_newcomers = PreparedInsert(
    Rater,
    (
        *("batch_id", "key_hash", "name", "simulated", "entry", "code", "language"),
        *("created_at", "withdrawn_at", "browsers"),
    ),
    once_by=("batch_id", "key_hash"),
)
_consents = PreparedInsert(Consent, ("rater_id", "text_id", "given_at"), once_by=("rater_id",))


def _with_consent(batch: Batch, key_hash: str) -> QuerySet[Rater]:
    return Rater.objects.filter(batch=batch, key_hash=key_hash).select_related("consent").order_by()


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


def _store_consent(rater: Rater, version: int, language: str, now: datetime) -> None:
    """Write down that a person agreed to the text of this version; of two at the same moment, one."""
    agreed = {"batch": rater.batch_id, "version": version, "language": language}
    if _consents.one_from(_agreed_to, rater=rater.pk, now=now, **agreed):
        return
    text = ensure_consent_text(
        batch=rater.batch,
        participation=read_participation(rater.batch),
        version=version,
        language=language,
        now=now,
    )
    if not text:
        raise _consent_error()
    _consents.one(rater_id=rater.pk, text_id=text.pk, given_at=now)


@prepared
def _agreed_to(
    rater: Parameter, now: Parameter, batch: Parameter, version: Parameter, language: Parameter
) -> "QuerySet[ConsentText, tuple[object, int, object]]":
    """The row of a consent to the stored text of this version."""
    rows = ConsentText.objects.filter(batch=batch, version=version, language=language).order_by()
    return cast("QuerySet[ConsentText, tuple[object, int, object]]", rows.values_list(rater, "pk", now))


def _consent_error() -> ConflictError:
    return ConflictError(
        _("You have not agreed to take part yet."),
        action=_("Open the survey, read what taking part means, and start from there."),
    )
