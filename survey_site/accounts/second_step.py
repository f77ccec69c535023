"""The second step of logging in: a code of an authenticator app (TOTP, RFC 6238), or a recovery code.

django-otp checks the app's codes and takes none twice. Its secret has to be readable in the database; of
recovery codes the hash alone is kept. Switching on, off and resetting end the log-ins from before.
"""

import base64
import re
import secrets
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django_otp.plugins.otp_totp.models import TOTPDevice

from survey_site.accounts.audit import record_action
from survey_site.accounts.links import hash_secret
from survey_site.accounts.models import RecoveryCode, User
from survey_site.accounts.permissions import Role
from survey_site.accounts.sessions import end_sessions
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row

RECOVERY_CODES = 10
_CODE_BYTES, _GROUP = 15, 4
"""A recovery code has 120 random bits, so that its hash needs no salt: 24 letters and digits in groups."""
_OF_THE_APP = re.compile(r"[0-9]{6}")


def must_set_up(user: User) -> bool:
    """Whether the settings ask this person for a second step that is not there yet."""
    required = settings.CONCORD_REQUIRE_SECOND_STEP
    if required == "none" or user.second_step_at:
        return False
    return required == "all" or user.held_role == Role.ADMIN


def setup_address(user: User, key: str) -> str:
    """The address (otpauth://) by which an app takes the secret; `key` is hexadecimal."""
    return str(TOTPDevice(user=user, key=key).config_url)


def secret_as_text(key: str) -> str:
    """The secret as people type it into an app that cannot see the picture, in groups."""
    return _in_groups(base64.b32encode(bytes.fromhex(key)).decode(), " ")


def switch_on(*, user: User, key: str, code: str, session: str, now: datetime) -> list[str] | None:
    """Ask for codes of that secret from now on; every log-in but that with this session's key ends.

    Returns the recovery codes, which nobody can read again; None where `code` is not one of the secret's.
    Raises ConflictError where the second step is on already.
    """
    with transaction.atomic():
        user = lock_row(User.objects.filter(pk=user.pk))
        if user.second_step_at:
            raise ConflictError(
                "The second step is on already.",
                action="Switch it off before you set it up with another app.",
            )
        device = TOTPDevice.objects.create(user=user, key=key, name="app", confirmed=True)
        if not (_is_of_the_app(code) and device.verify_token(_plain(code))):
            device.delete()
            return None
        _mark(user, now)
        end_sessions(user, but=session)
        record_action(action="second step switched on", subject=user, by=user, now=now)
        return _make_codes(user)


def check_code(*, user: User, code: str, now: datetime) -> bool:
    """Whether it is the app's code of this moment or an unused recovery code; neither works twice.

    The account's row is locked: of two who send the same code at once the second finds it used.
    """
    with transaction.atomic():
        user = lock_row(User.objects.filter(pk=user.pk))
        if _is_of_the_app(code):
            device = TOTPDevice.objects.filter(user=user, confirmed=True).first()
            return device is not None and bool(device.verify_token(_plain(code)))
        return _use_recovery_code(user, code, now)


def codes_left(user: User) -> int:
    """How many recovery codes have not been used."""
    return user.recovery_codes.filter(used_at=None).count()


def renew_codes(*, user: User, now: datetime) -> list[str]:
    """New recovery codes in place of all that there were."""
    with transaction.atomic():
        user = _lock_with_step(user)
        record_action(action="recovery codes renewed", subject=user, by=user, now=now)
        return _make_codes(user)


def switch_off(*, user: User, session: str, now: datetime) -> User:
    """Ask for the password alone again; every log-in but that with this session's key ends."""
    with transaction.atomic():
        user = _lock_with_step(user)
        _remove(user)
        end_sessions(user, but=session)
        record_action(action="second step switched off", subject=user, by=user, now=now)
        return user


def reset_second_step(*, user: User, by: User | None, now: datetime) -> User:
    """Take somebody's second step away, who has lost app and codes; every log-in of theirs ends.

    by: None for the command on the server. Raises ConflictError for one's own, which needs password and code.
    """
    if by == user:
        raise ConflictError(
            "Your own second step you switch off yourself.", action="Open Your account, then Second step."
        )
    with transaction.atomic():
        user = _lock_with_step(user)
        _remove(user)
        end_sessions(user)
        record_action(action="second step reset", subject=user, by=by, now=now)
        return user


def _lock_with_step(user: User) -> User:
    user = lock_row(User.objects.filter(pk=user.pk))
    if not user.second_step_at:
        raise ConflictError(f"“{user}” has no second step.", action="There is nothing to change.")
    return user


def _mark(user: User, at: datetime | None) -> None:
    user.second_step_at = at
    user.save(update_fields=["second_step_at"])


def _remove(user: User) -> None:
    TOTPDevice.objects.filter(user=user).delete()
    user.recovery_codes.all().delete()
    _mark(user, None)


def _make_codes(user: User) -> list[str]:
    user.recovery_codes.all().delete()
    made = [_in_groups(_random_code(), "-") for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, code_hash=_hashed(one)) for one in made)
    return made


def _random_code() -> str:
    return base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode().lower()


def _in_groups(text: str, between: str) -> str:
    return between.join(text[start : start + _GROUP] for start in range(0, len(text), _GROUP))


def _use_recovery_code(user: User, code: str, now: datetime) -> bool:
    found = user.recovery_codes.filter(code_hash=_hashed(code), used_at=None)
    if not found.update(used_at=now):
        return False
    record_action(
        action="recovery code used", subject=user, by=user, now=now, detail={"left": codes_left(user)}
    )
    return True


def _hashed(code: str) -> str:
    """However it was typed: in capitals, with spaces, without hyphens."""
    return hash_secret(re.sub(r"[\s-]", "", code).lower())


def _is_of_the_app(code: str) -> bool:
    return bool(_OF_THE_APP.fullmatch(_plain(code)))


def _plain(code: str) -> str:
    """A code of the app as it was shown: some apps put a space in the middle."""
    return re.sub(r"\s", "", code)
