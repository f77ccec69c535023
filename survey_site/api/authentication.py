"""Who asks: the owner of a token, and nobody else. A browser's log-in is no way in."""

from typing import Any

from django.conf import settings
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from survey_site.accounts.models import ApiToken, User
from survey_site.accounts.permissions import Scope
from survey_site.accounts.tokens import find_token, require_scope
from survey_site.api.errors import NotAuthenticatedError
from survey_site.common.limits import address_of, count_request

MINUTE = 60
WRONG_TOKENS = 60
"""Requests with a token that does not work, from one network address in a minute."""
HOW = "Send the header “Authorization: Bearer …” with a token of the page “API tokens”."


class TokenAuthentication(BaseAuthentication):
    """By `Authorization: Bearer`. The view has put the time of the request into `request.now`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        kind, _, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        if kind.lower() != "bearer":
            return None
        now = request._request.now
        token = find_token(secret.strip(), now=now)
        if token is None:
            address = address_of(request._request)
            count_request("api-wrong-token", address, seconds=MINUTE, most=WRONG_TOKENS, now=now)
            raise NotAuthenticatedError("This token does not work: it is wrong, over or revoked.", action=HOW)
        count_token(request, token)
        return token.user, token

    def authenticate_header(self, _request: Request) -> str:
        return NotAuthenticatedError.headers["WWW-Authenticate"]


def count_token(request: Request, token: ApiToken) -> None:
    """Count a request of the token, and say in every answer's headers how many are left."""
    http = request._request
    most = settings.CONCORD_API_REQUESTS
    policy = f'"token";q={most};w={MINUTE}'
    http.further_headers = {"RateLimit-Policy": policy}
    left = count_request("api", str(token.pk), seconds=MINUTE, most=most, now=http.now)
    http.further_headers["RateLimit"] = f'"token";r={left.left};t={left.ends_in}'


class HasScope(BasePermission):
    """Asks for the scope that the view's table names for the method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.auth is None:
            raise NotAuthenticatedError("This needs a token.", action=HOW)
        require_scope(request.auth, scope_of(view, str(request.method)))
        return True


def scope_of(view: Any, method: str) -> Scope:
    """What a token needs for this method of the view."""
    scopes: dict[str, Scope] = view.scopes
    return scopes["GET" if method in {"HEAD", "OPTIONS"} else method]
