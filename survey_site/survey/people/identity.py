"""How a person is known as a rater: a secret in a signed cookie that only its batch receives.

Who comes by the open link gets a random secret, so the browser is the person. A personal link and a panel's
id each give one and the same secret wherever they are opened, so the person is the same on every device. It
is a keyed hash: neither the id nor the link can be found out from what is stored.
"""

import secrets
from dataclasses import dataclass

from django.core import signing
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import salted_hmac

from survey_site.batches.models import Batch
from survey_site.common.prepared import Parameter, prepared
from survey_site.survey.models import Entry, Rater
from survey_site.survey.people.consent import ConsentWording
from survey_site.survey.people.joining import hash_key
from survey_site.survey.people.participation import read_participation

COOKIE = "rater"
COOKIE_SECONDS = 180 * 24 * 3600
_JOIN_SALT = "survey.join"
_SEPARATOR = "."  # occurs in no random secret


@dataclass(frozen=True)
class JoinKey:
    """What a join form carries: a secret for a newcomer, and which consent text stood above its button."""

    secret: str
    consent: int
    language: str


def new_secret() -> str:
    """A secret for somebody who is known by their cookie alone, 192 random bits."""
    return secrets.token_urlsafe(24)


def make_join_key(consent: ConsentWording) -> str:
    """A new key for a join form. Posting the same form twice is then one rater, not two."""
    return signing.dumps([new_secret(), consent.version, consent.language], salt=_JOIN_SALT)


def read_join_key(key: str) -> JoinKey | None:
    """What the key of a join form says; None where the form was not ours."""
    try:
        secret, consent, language = signing.loads(key, salt=_JOIN_SALT)
    except (signing.BadSignature, ValueError):
        return None
    return JoinKey(secret, consent, language)


def entry_of(secret: str) -> str:
    """By which link the holder of this secret came."""
    kind, separator, _ = secret.partition(_SEPARATOR)
    return kind if separator else Entry.OPEN


def panel_secret(batch: Batch, person: str) -> str:
    """The secret of the person whom a panel knows by this id."""
    return _keyed_secret(Entry.PANEL, batch, person)


def invitation_code(batch: Batch, number: int) -> str:
    """The signed end of a personal link."""
    return _invitation_signer(batch).sign(str(number))


def invitation_secret(batch: Batch, code: str) -> str | None:
    """The secret of the person with this personal link; None where the link is not one of ours."""
    try:
        number = _invitation_signer(batch).unsign(code)
    except signing.BadSignature:
        return None
    return _keyed_secret(Entry.INVITATION, batch, number)


def _invitation_signer(batch: Batch) -> signing.Signer:
    return signing.Signer(salt=f"survey.invitation/{batch.token}", sep="~")


def _keyed_secret(kind: str, batch: Batch, value: str) -> str:
    digest = salted_hmac(f"survey.{kind}/{batch.token}", value, algorithm="sha256").hexdigest()
    return f"{kind}{_SEPARATOR}{digest}"


def read_secret(request: HttpRequest, token: str) -> str | None:
    """The secret that came as a cookie to the batch with this link; None without one."""
    secret: str | None = request.get_signed_cookie(COOKIE, default=None, salt=token)
    return secret


def recognise(secret: str, token: str) -> Rater | None:
    """The rater who has this secret, with the batch, and with it how people take part in it."""
    return _raters.first(key_hash=hash_key(secret), token=token)


def count_browsers(batch: Batch, secret: str) -> int:
    """In how many browsers the link of this person was opened, with one more that does not know them yet.

    Counted from their joining on: of who has agreed to nothing, nothing is stored.
    """
    rater = recognise(secret, batch.token)
    if rater is None:
        return 1
    Rater.objects.filter(pk=rater.pk).update(browsers=F("browsers") + 1)
    return rater.browsers + 1


@prepared
def _raters(key_hash: Parameter, token: Parameter) -> QuerySet[Rater]:
    """In no order, which would join tables for nothing."""
    rows = Rater.objects.filter(batch__token=token, key_hash=key_hash)
    return rows.select_related("batch__participation").order_by()


def remember_rater(request: HttpRequest, response: HttpResponse, batch: Batch, secret: str) -> None:
    response.set_signed_cookie(
        COOKIE,
        secret,
        salt=batch.token,
        max_age=COOKIE_SECONDS,
        path=reverse("survey:join", args=[batch.token]),
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def personal_links(batch: Batch) -> list[tuple[int, str]]:
    """Each personal link: its number and its path."""
    numbers = range(1, read_participation(batch).invitations + 1)
    return [
        (number, reverse("survey:invited", args=[batch.token, invitation_code(batch, number)]))
        for number in numbers
    ]
