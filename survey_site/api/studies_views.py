"""Studies of summaries of users: listed, uploaded, read, their files taken."""

from http import HTTPStatus
from pathlib import Path

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, ListView, queried
from survey_site.api.filters import StudyFilterSet
from survey_site.api.forms_of_answers import STUDY_PARSERS, AnyRenderer, file_answers, file_body
from survey_site.api.headers import IDEMPOTENCY
from survey_site.api.idempotency import once
from survey_site.api.shapes.studies import OneStudyShape, StudyQuery, StudyShape
from survey_site.api.uploading import sent_file
from survey_site.common.uploading import Uploads, takes_files
from survey_site.projects.choosing import project_to_fill
from survey_site.studies.downloads import TYPES, file_of
from survey_site.studies.files import PAGE, files_in, read_study_files
from survey_site.studies.models import Study
from survey_site.studies.services import checked_name, record_download, store_study


class Studies(ListView):
    queryset = Study.objects.none()
    serializer_class = StudyShape
    filterset_class = StudyFilterSet
    parser_classes = STUDY_PARSERS
    scopes = {"GET": Scope.READ, "POST": Scope.CORPORA}

    @extend_schema(operation_id="list_studies", summary="Studies of summaries of users, newest first")
    def get(self, _request: Request) -> Response:
        return self.page(Study.objects.defer("content", "findings").select_related("created_by"))

    @extend_schema(
        operation_id="upload_study",
        summary="Upload the results of a study of summaries of users",
        description="The body is a ZIP archive of the folder that `users score` wrote (run.json, "
        "scores.json, quality.jsonl, predictions.jsonl), with people's labels.csv and files trail*.jsonl "
        "where there are any. 201 where it is new, 200 where the same files are here already.",
        parameters=[
            StudyQuery,
            OpenApiParameter("file", str, description="The file's name."),
            IDEMPOTENCY,
        ],
        request=file_body(STUDY_PARSERS),
        responses={201: OneStudyShape, 200: OneStudyShape},
    )
    def post(self, request: Request) -> Response:
        asked, by = queried(StudyQuery, request), request.user
        name, project = checked_name(asked["name"]), project_to_fill(by, asked.get("project"))
        with sent_file(request, command="import_study", stem="results") as file:
            # Before the transaction: on SQLite nobody else writes while it is open.
            with Path(file.path).open("rb") as stream, files_in(file.name, stream) as chosen:
                read, source = read_study_files(chosen, PAGE), chosen.source

            def make() -> Response:
                now = request._request.now
                made = store_study(name=name, source=source, read=read, project=project, now=now, by=by)
                status = HTTPStatus.CREATED if made.created else HTTPStatus.OK
                address = reverse("api:study", args=[made.study.pk])
                return Response(OneStudyShape(made.study).data, status, headers={"Location": address})

            return once(request, [name, project.pk, file.name, file.content_hash], make)


class OneStudy(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_study", summary="One study, with what its report finds", responses=OneStudyShape
    )
    def get(self, _request: Request, pk: int) -> Response:
        rows = Study.objects.defer("content").select_related("created_by")
        return Response(OneStudyShape(get_object_or_404(rows, pk=pk)).data)


class StudyFile(ApiView):
    renderer_classes = [AnyRenderer]
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_study_file",
        summary="One file of a study",
        description="Its report as `report.html` or `report.pdf`, `results.zip`, or a file as it was "
        "uploaded. The audit log keeps who took it.",
        parameters=[
            OpenApiParameter("file", str, OpenApiParameter.PATH, description="As in `files` of the study.")
        ],
        responses=file_answers(TYPES.values()),
    )
    def get(self, request: Request, pk: int, file: str) -> HttpResponse:
        study = get_object_or_404(Study, pk=pk)
        made = file_of(study, file)
        record_download(study=study, file=file, by=request.user, now=request._request.now)
        headers = {"Content-Disposition": f'attachment; filename="concord-study-{study.pk}-{file}"'}
        return HttpResponse(made, content_type=TYPES[file.rpartition(".")[2]], headers=headers)


# Whoever sends a file is asked for their token before any of it is read.
studies = takes_files(Uploads(allowed=lambda _user: True, command="import_study"))(Studies.as_view())
