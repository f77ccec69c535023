"""Writes on accounts."""

from django.db import transaction

from survey_site.accounts.models import Role, User


@transaction.atomic
def ensure_user(*, username: str, role: str, password: str) -> User:
    """The account of that name with that role and password; made if it does not exist."""
    user, _ = User.objects.get_or_create(username=username)
    user.role = Role(role)
    if not user.check_password(password):  # setting it anew would end the user's sessions
        user.set_password(password)
    user.full_clean()
    user.save()
    return user
