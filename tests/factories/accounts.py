"""Accounts for tests."""

from itertools import count

from survey_site.accounts.models import User

_numbers = count(1)


def make_user(*, username: str | None = None, role: str = "researcher", password: str | None = None) -> User:
    user = User(username=username or f"user{next(_numbers)}", role=role)
    if password is None:
        user.set_unusable_password()
    else:
        user.set_password(password)
    user.save()
    return user
