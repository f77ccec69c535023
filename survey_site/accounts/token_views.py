"""Tokens of your own programs: the list, a new one, whose secret is shown once, and revoking."""

from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from survey_site.accounts.forms import TokenForm
from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required
from survey_site.accounts.tokens import NewToken, make_token, revoke_token, tokens_of
from survey_site.common.errors import ConflictError


@require_http_methods(["GET", "HEAD", "POST"])
@reader_required
def tokens(request: HttpRequest) -> HttpResponse:
    """GET lists your tokens, POST makes one and shows its secret, which is never shown again."""
    user, made = cast(User, request.user), None
    form = TokenForm(request.POST or None, role=user.held_role)
    if request.method == "POST" and form.is_valid():
        made = _make(user, form)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    now = timezone.now()
    context = {
        "form": TokenForm(role=user.held_role) if made else form,
        "made": made,
        "tokens": [(one, one.is_open(now)) for one in tokens_of(user)],
    }
    return render(request, "accounts/tokens.html", context, status=status)


def _make(user: User, form: TokenForm) -> NewToken | None:
    try:
        return make_token(user=user, **form.cleaned_data, now=timezone.now())
    except ConflictError as error:
        form.add_error(None, f"{error.message} {error.action}")
        return None


@require_POST
@reader_required
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    user = cast(User, request.user)
    token = get_object_or_404(tokens_of(user), pk=pk)
    revoke_token(token=token, by=user, now=timezone.now())
    messages.success(request, f"The token “{token}” works no more.")
    return redirect("accounts:tokens")
