"""Pages of admins: the audit log, the list of accounts, and one account."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from survey_site.accounts.audit import audit_choices, audit_entries, without_subject
from survey_site.accounts.forms import InviteForm, PersonProjectsForm, RoleForm
from survey_site.accounts.links import NewLink, invite, make_reset_link, open_invitations, withdraw_invitation
from survey_site.accounts.mails import mail_link
from survey_site.accounts.models import User
from survey_site.accounts.openid import provider_name
from survey_site.accounts.openid_links import login_of
from survey_site.accounts.permissions import accounts_required, auditor_required
from survey_site.accounts.queries import people
from survey_site.accounts.services import change_role, close_account, log_out_elsewhere, reopen_account
from survey_site.accounts.sessions import sessions_of
from survey_site.common.mail import mails_are_sent
from survey_site.common.pagination import paginate


@require_safe
@auditor_required
def audit(request: HttpRequest) -> HttpResponse:
    """Who did what and when; ?action=, ?actor= and ?batch= narrow it."""
    chosen = {name: request.GET.get(name, "") for name in ("action", "actor", "batch")}
    batch, reader = chosen["batch"], cast(User, request.user)
    entries = audit_entries(
        action=chosen["action"],
        actor=chosen["actor"],
        subject=("batches.batch", int(batch)) if batch.isdecimal() else None,
        reader=reader,
    )
    page = paginate(request, entries, per_page=100)
    context = {
        "page": page,
        "deleted": without_subject(list(page)),
        "chosen": chosen,
        **audit_choices(reader),
    }
    return render(request, "accounts/audit.html", context)


@require_safe
@accounts_required
def account_list(request: HttpRequest) -> HttpResponse:
    return _list_page(request, InviteForm())


@require_POST
@accounts_required
def invite_person(request: HttpRequest) -> HttpResponse:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _list_page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    made = invite(**form.cleaned_data, by=cast(User, request.user), now=timezone.now())
    return _hand_over(request, made)


@require_POST
@accounts_required
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    link = withdraw_invitation(link_id=pk, by=cast(User, request.user), now=timezone.now())
    messages.success(request, f"The invitation of {link} is taken back: its link works no more.")
    return redirect("accounts:list")


@require_safe
@accounts_required
def person(request: HttpRequest, pk: int) -> HttpResponse:
    user = get_object_or_404(User, pk=pk)
    return _person_page(request, user, RoleForm(initial={"role": user.held_role}))


@require_POST
@accounts_required
def role(request: HttpRequest, pk: int) -> HttpResponse:
    user, form = get_object_or_404(User, pk=pk), RoleForm(request.POST)
    if not form.is_valid():
        return _person_page(request, user, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    user = change_role(
        user=user, role=form.cleaned_data["role"], by=cast(User, request.user), now=timezone.now()
    )
    messages.success(request, f"{user} is now {_with_article(user.role_name)}.")
    return redirect("accounts:list") if user == request.user else redirect("accounts:person", pk)


@require_POST
@accounts_required
def access(request: HttpRequest, pk: int) -> HttpResponse:
    """Close an account, or open it again: the button that was pressed says which."""
    user, by, now = get_object_or_404(User, pk=pk), cast(User, request.user), timezone.now()
    if "close" in request.POST:
        user = close_account(user=user, by=by, now=now)
        messages.success(request, f"The account of {user} is closed, and every log-in of theirs has ended.")
    else:
        user = reopen_account(user=user, by=by, now=now)
        messages.success(request, f"{user} is let in again.")
    return redirect("accounts:person", pk)


@require_POST
@accounts_required
def reset(request: HttpRequest, pk: int) -> HttpResponse:
    user = get_object_or_404(User, pk=pk)
    return _hand_over(request, make_reset_link(user=user, by=cast(User, request.user), now=timezone.now()))


@require_POST
@accounts_required
def end_person_sessions(request: HttpRequest, pk: int) -> HttpResponse:
    user = get_object_or_404(User, pk=pk)
    here = request.session.session_key if user == request.user else None
    ended = log_out_elsewhere(user=user, by=cast(User, request.user), but=here, now=timezone.now())
    messages.success(request, f"{ended} log-in{'s' * (ended != 1)} of {user} ended.")
    return redirect("accounts:person", pk)


def _list_page(request: HttpRequest, form: InviteForm, status: int = HTTPStatus.OK) -> HttpResponse:
    context = {
        "page": paginate(request, people(), per_page=100),
        "invitations": open_invitations(timezone.now())
        .select_related("made_by")
        .prefetch_related("projects"),
        "form": form,
        "mails": mails_are_sent(),
    }
    return render(request, "accounts/list.html", context, status=status)


def _person_page(
    request: HttpRequest, user: User, form: RoleForm, status: int = HTTPStatus.OK
) -> HttpResponse:
    context: dict[str, Any] = {
        "person": user,
        "form": form,
        "sessions": sessions_of(user, now=timezone.now()),
        "mails": mails_are_sent() and user.email,
        "provider": provider_name(),
        "linked": login_of(user),
        "projects_form": PersonProjectsForm(initial={"projects": user.projects.all()}),
    }
    return render(request, "accounts/person.html", context, status=status)


def _hand_over(request: HttpRequest, made: NewLink) -> HttpResponse:
    """Mail the link or, where that does not work, show it: once, since only its hash is kept."""
    why_not = mail_link(made)
    address = request.build_absolute_uri(made.path) if why_not else ""
    context = {"link": made.link, "address": address, "why_not": why_not}
    return render(request, "accounts/handed_over.html", context)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name.lower()}"
