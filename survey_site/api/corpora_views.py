"""Corpora: read, and imported from a file that is the body of the request."""

from collections.abc import Callable
from http import HTTPStatus

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from meta_eval.corpus.documents import Corpus as CorpusValue
from meta_eval.studies.icopernicus.provenance import check_provenance
from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, ListView, checked
from survey_site.api.filters import CorpusFilterSet
from survey_site.api.forms_of_answers import FILE_PARSERS, STUDY_PARSERS, file_body
from survey_site.api.headers import IDEMPOTENCY
from survey_site.api.idempotency import once
from survey_site.api.shapes.corpora import CorpusShape, GeneratedRequest, OneCorpusShape
from survey_site.api.uploading import sent_file
from survey_site.common.uploading import Uploads, takes_files
from survey_site.corpus.files import read_file_source, read_pens_archive, system_name
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import list_corpora
from survey_site.corpus.services import ImportResult, import_corpus, record_generated
from survey_site.projects.choosing import project_to_fill

IMPORTED = [
    OpenApiParameter("name", str, description="What it is called here; the file's name without it."),
    OpenApiParameter("language", str, description="Tag of the texts' language, such as en."),
    OpenApiParameter("file", str, description="The file's name."),
    OpenApiParameter(
        "project", str, description="Whose it is, by number or name; needed where you have several."
    ),
    IDEMPOTENCY,
]


class Corpora(ListView):
    queryset = Corpus.objects.none()
    serializer_class = CorpusShape
    filterset_class = CorpusFilterSet
    parser_classes = FILE_PARSERS
    scopes = {"GET": Scope.READ, "POST": Scope.CORPORA}

    @extend_schema(operation_id="list_corpora", summary="All corpora, newest first")
    def get(self, _request: Request) -> Response:
        return self.page(list_corpora())

    @extend_schema(
        operation_id="import_corpus",
        summary="Import a corpus",
        description="The body is the file: JSONL, a document a line, or a table (CSV, Parquet, Excel, "
        "OpenDocument), a text a row. 201 where it is new, 200 where the same content is here already.",
        parameters=IMPORTED,
        request=file_body(FILE_PARSERS),
        responses={201: OneCorpusShape, 200: OneCorpusShape},
    )
    def post(self, request: Request) -> Response:
        return _import(request, read_file_source)


def _import(request: Request, read: Callable[[str, str], tuple[CorpusValue, str]]) -> Response:
    """The corpus in the body, as `read` makes it of a path and the file's name."""
    query = request.query_params
    name, language = query.get("name", ""), query.get("language", "").strip()
    project = project_to_fill(request.user, query.get("project"))
    with sent_file(request, command="import_corpus") as file:
        asked = [name, language, file.name, file.content_hash, project.pk]
        corpus, source = read(file.path, file.name)

        def make() -> Response:
            result = import_corpus(
                corpus=corpus,
                name=name or system_name(file.name),
                source=source,
                language=language,
                created_by=request.user,
                project=project,
                now=request._request.now,
            )
            return _imported(result)

        return once(request, asked, make)


def _imported(result: ImportResult) -> Response:
    shown = OneCorpusShape(get_object_or_404(list_corpora(), pk=result.corpus.pk)).data
    address = reverse("api:corpus", args=[result.corpus.pk])
    status = HTTPStatus.CREATED if result.created else HTTPStatus.OK
    return Response(shown, status=status, headers={"Location": address})


class OneCorpus(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(operation_id="read_corpus", summary="One corpus", responses=OneCorpusShape)
    def get(self, _request: Request, pk: int) -> Response:
        return Response(OneCorpusShape(get_object_or_404(list_corpora(), pk=pk)).data)


class Generated(ApiView):
    scopes = {"POST": Scope.CORPORA}

    @extend_schema(
        operation_id="record_generated",
        summary="Say how systems of a corpus were generated",
        description="`systems` is the list in the `.llm.json` file that the command `generate` wrote beside "
        "its corpus. What is known of a system stays as it is, so that asking twice changes nothing.",
        request=GeneratedRequest,
        responses=OneCorpusShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        corpus = get_object_or_404(list_corpora(), pk=pk)
        records = check_provenance(checked(GeneratedRequest, request)["systems"], "systems")
        record_generated(row=corpus, generated=records, by=request.user, now=request._request.now)
        return Response(OneCorpusShape(get_object_or_404(list_corpora(), pk=pk)).data)


class PensCorpora(ApiView):
    parser_classes = STUDY_PARSERS
    scopes = {"POST": Scope.CORPORA}

    @extend_schema(
        operation_id="import_pens",
        summary="Import the files of PENS",
        description="The body is a ZIP archive: personalized_test.tsv, news.tsv where you have it, and for "
        "each system a text file with a line for each reference that is not empty; hyps_NAML.txt is NAML.",
        parameters=IMPORTED,
        request=file_body(STUDY_PARSERS),
        responses={201: OneCorpusShape, 200: OneCorpusShape},
    )
    def post(self, request: Request) -> Response:
        return _import(request, read_pens_archive)


# Whoever sends a file is asked for their token before any of it is read.
_TAKES = takes_files(Uploads(allowed=lambda _user: True, command="import_corpus"))
corpora, pens = _TAKES(Corpora.as_view()), _TAKES(PensCorpora.as_view())
