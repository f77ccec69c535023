"""Accounts of the whole site: who there is, invitations, roles, access; for programs of admins."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ValidationError

from survey_site.accounts.links import NewLink, invite, make_reset_link, open_invitations, withdraw_invitation
from survey_site.accounts.mails import mail_link, mail_second_step_gone
from survey_site.accounts.models import AccountLink, User
from survey_site.accounts.openid_links import require_provider, unlink_account
from survey_site.accounts.permissions import Scope
from survey_site.accounts.projects import set_projects
from survey_site.accounts.second_step import reset_second_step
from survey_site.accounts.services import (
    change_role,
    close_account,
    lock_beside_admins,
    log_out_elsewhere,
    reopen_account,
)
from survey_site.api.base_views import ApiView, InOrder, ListView, checked
from survey_site.api.conditions import require_match, tag_of
from survey_site.api.headers import IDEMPOTENCY, IF_MATCH
from survey_site.api.idempotency import once
from survey_site.api.shapes.accounts import (
    AccountChange,
    AccountShape,
    EndedShape,
    InvitationRequest,
    InvitationShape,
    LinkShape,
)
from survey_site.projects.models import Project


def _who(request: Request) -> dict[str, Any]:
    return {"by": request.user, "now": request._request.now}


def _projects(numbers: Sequence[int]) -> list[Project]:
    found = list(Project.objects.filter(pk__in=[one for one in numbers if one < 2**63]))
    if len(found) != len(set(numbers)):
        raise ValidationError({"projects": ["There is no such project among them."]})
    return found


def _account(pk: int) -> User:
    return get_object_or_404(User.objects.prefetch_related("projects"), pk=pk)


class Accounts(ListView):
    by_project = False  # accounts are of the whole site; only admins come here
    queryset = User.objects.none()
    serializer_class = AccountShape
    pagination_class = InOrder
    scopes = {"GET": Scope.ACCOUNTS}

    @extend_schema(operation_id="list_accounts", summary="Everybody who has an account, closed ones too")
    def get(self, _request: Request) -> Response:
        return self.page(User.objects.prefetch_related("projects"))


class OneAccount(ApiView):
    scopes = {"GET": Scope.ACCOUNTS, "PATCH": Scope.ACCOUNTS}

    @extend_schema(operation_id="read_account", summary="One account", responses=AccountShape)
    def get(self, _request: Request, pk: int) -> Response:
        return Response(AccountShape(_account(pk)).data)

    @extend_schema(
        operation_id="change_account",
        summary="Give an account another role or other projects, close it or open it again",
        description="What is left out stays. All of it or nothing. 409 for the last admin.",
        parameters=[IF_MATCH],
        request=AccountChange,
        responses=AccountShape,
    )
    def patch(self, request: Request, pk: int) -> Response:
        asked, user = checked(AccountChange, request), _account(pk)
        with transaction.atomic():
            lock_beside_admins(user)  # as every service here does, and in the same order
            user = _account(pk)
            require_match(request, AccountShape(user).data)
            if "role" in asked:
                user = change_role(user=user, role=asked["role"], **_who(request))
            if "projects" in asked:
                set_projects(user=user, projects=_projects(asked["projects"]), **_who(request))
            if "is_active" in asked:
                change = reopen_account if asked["is_active"] else close_account
                change(user=user, **_who(request))
            shown = AccountShape(_account(pk)).data
        return Response(shown, headers={"ETag": tag_of(shown)})


AGAIN = (
    "This is the answer to an earlier call, which alone held the link, or said whether it was mailed. "
    "Make a new one if it is lost."
)


class _Link(ApiView):
    """A link that works once: mailed, or shown in this answer alone. The kept answer of a key holds none."""

    made: NewLink | None = None

    def answer(self, request: Request, make: Any, address: str) -> Response:
        def do() -> Response:
            self.made = make()
            shown = LinkShape({"id": self.made.link.pk, "address": "", "not_mailed": AGAIN}).data
            return Response(shown, HTTPStatus.CREATED, headers={"Location": address})

        response = once(request, request.data, do)
        if self.made:
            why_not = mail_link(self.made)
            shown = request.build_absolute_uri(self.made.path) if why_not else ""
            response.data = {**response.data, "address": shown, "not_mailed": why_not}
        return response


class Invitations(ListView, _Link):
    by_project = False
    queryset = AccountLink.objects.none()
    serializer_class = InvitationShape
    scopes = {"GET": Scope.ACCOUNTS, "POST": Scope.ACCOUNTS}

    @extend_schema(operation_id="list_invitations", summary="Invitations that wait to be used, newest first")
    def get(self, request: Request) -> Response:
        return self.page(open_invitations(request._request.now).prefetch_related("projects"))

    @extend_schema(
        operation_id="invite_person",
        summary="Invite somebody: a link that makes one account",
        description="It is mailed where that is set and an address is given, else it stands in this answer "
        "and in no other: the same Idempotency-Key again gives the answer without it.",
        parameters=[IDEMPOTENCY],
        request=InvitationRequest,
        responses={201: LinkShape},
    )
    def post(self, request: Request) -> Response:
        asked = checked(InvitationRequest, request)
        if "projects" in asked:
            asked["projects"] = _projects(asked["projects"])
        return self.answer(request, lambda: invite(**asked, **_who(request)), reverse("api:invitations"))


class OneInvitation(ApiView):
    scopes = {"DELETE": Scope.ACCOUNTS}

    @extend_schema(
        operation_id="withdraw_invitation",
        summary="Take an invitation back before it is used",
        responses={204: None},
    )
    def delete(self, request: Request, invitation: int) -> Response:
        get_object_or_404(AccountLink, pk=invitation)
        withdraw_invitation(link_id=invitation, **_who(request))
        return Response(status=HTTPStatus.NO_CONTENT)


class PasswordLink(_Link):
    scopes = {"POST": Scope.ACCOUNTS}

    @extend_schema(
        operation_id="make_password_link",
        summary="Make a link to a new password",
        description="Earlier ones of the person end. It is mailed, or stands in this answer and in no other.",
        parameters=[IDEMPOTENCY],
        request=None,
        responses={201: LinkShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        user = _account(pk)
        address = reverse("api:account", args=[pk])
        return self.answer(request, lambda: make_reset_link(user=user, **_who(request)), address)


class EndLogIns(ApiView):
    scopes = {"POST": Scope.ACCOUNTS}

    @extend_schema(
        operation_id="end_log_ins",
        summary="End every log-in of an account",
        request=None,
        responses=EndedShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        ended = log_out_elsewhere(user=_account(pk), **_who(request))
        return Response(EndedShape({"ended": ended}).data)


class ResetSecondStep(ApiView):
    scopes = {"POST": Scope.ACCOUNTS}

    @extend_schema(
        operation_id="reset_second_step",
        summary="Take the second step away from somebody who has lost app and codes",
        description="Every log-in of theirs ends, and they are told by mail where it is set. Not one's own.",
        request=None,
        responses=AccountShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        user = reset_second_step(user=_account(pk), **_who(request))
        mail_second_step_gone(user=user)
        return Response(AccountShape(_account(pk)).data)


class Unlink(ApiView):
    scopes = {"POST": Scope.ACCOUNTS}

    @extend_schema(
        operation_id="unlink_account",
        summary="End the link of an account with the provider of OpenID Connect",
        description="Every log-in of the account ends. 404 where no provider is set.",
        request=None,
        responses=AccountShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        require_provider()
        unlink_account(user=_account(pk), **_who(request))
        return Response(AccountShape(_account(pk)).data)
