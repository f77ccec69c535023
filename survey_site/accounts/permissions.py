"""Who may open a page. Not logged in: the login page. Logged in without the right: 403 with the reason."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


def _requires(allowed: Callable[[Any], bool], refusal: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if not allowed(request.user):
                raise PermissionDenied(refusal)
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def is_researcher(user: Any) -> bool:
    """Any account: there is no role below researcher."""
    return bool(user.is_authenticated)


def is_admin(user: Any) -> bool:
    return bool(user.is_authenticated and user.is_admin_role)


def may_remove(user: Any, owner: int | None) -> bool:
    """Whether the user may archive or delete what the account with the key `owner` made.

    An admin may remove anything; a researcher only what they asked for themselves. `owner` None: what admins
    alone may remove, or what nobody owns any more.
    """
    return is_admin(user) or (is_researcher(user) and owner is not None and user.pk == owner)


researcher_required = _requires(is_researcher, "This page is for researchers.")
admin_required = _requires(
    is_admin, "Only admins may do this. Ask an admin to do it for you, or to change the role of your account."
)
