"""Projects: those that a program sees; made, renamed, deleted, and who is of them, by admins."""

from http import HTTPStatus

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.models import User
from survey_site.accounts.permissions import Scope
from survey_site.accounts.projects import (
    add_member,
    delete_project,
    make_project,
    person_named,
    remove_member,
    rename_project,
)
from survey_site.api.base_views import ApiView, InOrder, ListView, checked
from survey_site.api.conditions import require_match, tag_of
from survey_site.api.headers import IDEMPOTENCY, IF_MATCH
from survey_site.api.idempotency import once
from survey_site.api.shapes.projects import MemberRequest, MemberShape, ProjectRequest, ProjectShape
from survey_site.common.locking import locked
from survey_site.projects.models import Project


class Projects(ListView):
    queryset = Project.objects.none()
    serializer_class = ProjectShape
    pagination_class = InOrder
    scopes = {"GET": Scope.READ, "POST": Scope.PROJECTS}

    @extend_schema(
        operation_id="list_projects",
        summary="The projects that you see",
        description="A corpus and all that rests on it belong to one project.",
    )
    def get(self, _request: Request) -> Response:
        return self.page(Project.objects.all())

    @extend_schema(
        operation_id="make_project",
        summary="Make a project, which has no members yet",
        parameters=[IDEMPOTENCY],
        request=ProjectRequest,
        responses={201: ProjectShape},
    )
    def post(self, request: Request) -> Response:
        asked = checked(ProjectRequest, request)

        def make() -> Response:
            made = make_project(name=asked["name"], by=request.user, now=request._request.now)
            headers = {"Location": reverse("api:project", args=[made.pk])}
            return Response(ProjectShape(made).data, HTTPStatus.CREATED, headers=headers)

        return once(request, request.data, make)


class OneProject(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.PROJECTS, "DELETE": Scope.PROJECTS}

    @extend_schema(operation_id="read_project", summary="One project", responses=ProjectShape)
    def get(self, _request: Request, pk: int) -> Response:
        return Response(ProjectShape(get_object_or_404(Project, pk=pk)).data)

    @extend_schema(
        operation_id="rename_project",
        summary="Rename a project",
        parameters=[IF_MATCH],
        request=ProjectRequest,
        responses=ProjectShape,
    )
    def patch(self, request: Request, pk: int) -> Response:
        asked = checked(ProjectRequest, request)
        with transaction.atomic():
            project = get_object_or_404(locked(Project.objects.filter(pk=pk)))
            require_match(request, ProjectShape(project).data)
            by, now = request.user, request._request.now
            shown = ProjectShape(rename_project(project=project, name=asked["name"], by=by, now=now)).data
        return Response(shown, headers={"ETag": tag_of(shown)})

    @extend_schema(
        operation_id="delete_project",
        summary="Delete a project that holds nothing",
        description="Refused with 409 where it holds a corpus or a study, archived ones too: these are "
        "deleted first. Its members keep their accounts.",
        parameters=[IF_MATCH],
        responses={204: None},
    )
    def delete(self, request: Request, pk: int) -> Response:
        with transaction.atomic():
            project = get_object_or_404(locked(Project.objects.filter(pk=pk)))
            require_match(request, ProjectShape(project).data)
            delete_project(project=project, by=request.user, now=request._request.now)
        return Response(status=HTTPStatus.NO_CONTENT)


class Members(ListView):
    by_project = False  # accounts are of the whole site; only admins come here
    queryset = User.objects.none()
    serializer_class = MemberShape
    pagination_class = InOrder
    scopes = {"GET": Scope.PROJECTS, "POST": Scope.PROJECTS}

    @extend_schema(
        operation_id="list_members",
        summary="Who is of a project",
        description="Admins see every project without being of any.",
    )
    def get(self, _request: Request, pk: int) -> Response:
        return self.page(get_object_or_404(Project, pk=pk).people.all())

    @extend_schema(
        operation_id="add_member",
        summary="Make somebody a member; twice changes nothing",
        parameters=[IDEMPOTENCY],
        request=MemberRequest,
        responses={201: MemberShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        asked, project = checked(MemberRequest, request), get_object_or_404(Project, pk=pk)

        def make() -> Response:
            user = person_named(asked["username"])
            add_member(project=project, user=user, by=request.user, now=request._request.now)
            headers = {"Location": reverse("api:member", args=[project.pk, user.username])}
            return Response(MemberShape(user).data, HTTPStatus.CREATED, headers=headers)

        return once(request, request.data, make)


class OneMember(ApiView):
    scopes = {"DELETE": Scope.PROJECTS}

    @extend_schema(
        operation_id="remove_member",
        summary="Remove a member: from their next request on they see nothing of the project",
        responses={204: None},
    )
    def delete(self, request: Request, pk: int, username: str) -> Response:
        project = get_object_or_404(Project, pk=pk)
        user = get_object_or_404(project.people, username=username)
        remove_member(project=project, user=user, by=request.user, now=request._request.now)
        return Response(status=HTTPStatus.NO_CONTENT)
