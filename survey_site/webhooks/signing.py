"""Secrets of endpoints and the signatures made with them, as Standard Webhooks 1.0.0 lays them down.

A secret is derived from the site's SECRET_KEY and a random number of the endpoint: no secret is stored, and a
copy of the database alone signs nothing.
"""

import base64
import hashlib
import hmac
from datetime import datetime

from django.utils.crypto import salted_hmac

from survey_site.webhooks.models import Endpoint

PREFIX = "whsec_"
_SALT = "survey_site.webhooks"


def secret_of(endpoint: Endpoint) -> str:
    """The secret that the owner gives to their program."""
    return PREFIX + base64.b64encode(_key(endpoint.nonce)).decode()


def headers_of(endpoint: Endpoint, uid: str, body: bytes, now: datetime) -> dict[str, str]:
    """What a request with this body carries; two signatures while the secret before still counts."""
    timestamp = str(int(now.timestamp()))
    content = b".".join((uid.encode(), timestamp.encode(), body))
    nonces = [endpoint.nonce]
    if endpoint.previous_until and now < endpoint.previous_until:
        nonces.append(endpoint.previous_nonce)
    return {
        "webhook-id": uid,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(_signature(_key(nonce), content) for nonce in nonces),
    }


def _key(nonce: str) -> bytes:
    """32 bytes; the specification asks for at least 24."""
    return salted_hmac(_SALT, nonce, algorithm="sha256").digest()


def _signature(key: bytes, content: bytes) -> str:
    return "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
