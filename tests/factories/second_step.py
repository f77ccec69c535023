"""An authenticator app for tests: it makes the codes of a secret, at a moment that the test says."""

import base64
from datetime import datetime

from django_otp.oath import TOTP

from survey_site.accounts.models import User
from survey_site.accounts.second_step import switch_on
from tests.factories.batches import NOW

STEP_SECONDS = 30
KEY = "3132333435363738393031323334353637383930"
"""The secret of RFC 6238's examples, in hexadecimal."""


class App:
    """An app that has the secret, and the clock that it shares with the site."""

    def __init__(self, key: str = KEY, at: float = NOW.timestamp()) -> None:
        self.key, self.at = key, at

    @classmethod
    def typed(cls, secret: str) -> "App":
        """An app into which somebody typed the secret as the page shows it."""
        return cls(base64.b32decode(secret.replace(" ", "")).hex())

    def time(self) -> float:
        """As the module `time` has it, in whose place the app stands."""
        return self.at

    def code(self, steps: int = 0) -> str:
        """The code of now, or of so many half minutes later."""
        made = TOTP(bytes.fromhex(self.key), STEP_SECONDS, 0, 6, 0)
        made.time = self.at + steps * STEP_SECONDS
        return f"{made.token():06d}"

    def wait(self, steps: int = 1) -> None:
        self.at += steps * STEP_SECONDS


def give_second_step(user: User, app: App, now: datetime = NOW) -> list[str]:
    """Switch it on with this app; returns the recovery codes, and the next half minute has come."""
    codes = switch_on(user=user, key=app.key, code=app.code(), session="", now=now)
    assert codes is not None
    user.refresh_from_db()
    app.wait()
    return codes
