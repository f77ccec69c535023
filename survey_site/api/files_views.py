"""Ratings that were collected elsewhere, and distances from outside: listed, uploaded, removed."""

from datetime import datetime
from http import HTTPStatus
from pathlib import Path

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, InOrder, ListView, queried
from survey_site.api.forms_of_answers import ARCHIVE_PARSERS, TABLE_PARSERS, file_body
from survey_site.api.headers import IDEMPOTENCY
from survey_site.api.idempotency import once
from survey_site.api.shapes.files import DistancesQuery, DistancesShape, UploadQuery, UploadShape
from survey_site.api.uploading import sent_file
from survey_site.common.uploading import Uploads, takes_files
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import list_corpora, load_corpus
from survey_site.projects.access import get_visible_or_404
from survey_site.scoring.given.queries import distances_of
from survey_site.scoring.given.services import read_distances, remove_distances, store_distances
from survey_site.scoring.models import GivenDistances
from survey_site.uploads.files import RatingFile, read_rating_file
from survey_site.uploads.models import Upload
from survey_site.uploads.services import UploadSettings, import_ratings
from survey_site.uploads.tools import Export, read_export

FILE = OpenApiParameter("file", str, description="The file's name.")


def corpus_of(pk: int) -> Corpus:
    found: Corpus = get_object_or_404(list_corpora(), pk=pk)
    return found


class UploadedRatings(ListView):
    queryset = Upload.objects.none()
    serializer_class = UploadShape
    parser_classes = TABLE_PARSERS
    scopes = {"GET": Scope.READ, "POST": Scope.CORPORA}

    @extend_schema(operation_id="list_uploads", summary="Files of ratings that were collected elsewhere")
    def get(self, _request: Request) -> Response:
        return self.page(Upload.objects.select_related("batch"))

    @extend_schema(
        operation_id="upload_ratings",
        summary="Make a closed batch of ratings that were collected elsewhere",
        description="The body is the file: a table with the columns doc_id, system, reader_a, reader_b, "
        "rater and rating (CSV, Parquet, Excel, OpenDocument), the SQLite file of the papers' survey app, or "
        "with `tool` the export of Label Studio or Potato: of Potato a ZIP archive with its file of `items` "
        "beside its output. 201 where it is new, 200 where the same file is here already; `Location` is "
        "the batch.",
        parameters=[UploadQuery, FILE, IDEMPOTENCY],
        request=file_body(TABLE_PARSERS),
        responses={201: UploadShape, 200: UploadShape},
    )
    def post(self, request: Request) -> Response:
        asked = queried(UploadQuery, request)
        export = asked.pop("export")
        corpus = get_visible_or_404(list_corpora(), request.user, asked["corpus"])
        with sent_file(request, command="import_ratings", stem="ratings") as file:
            # Before the transaction: on SQLite nobody else writes while it is open.
            now = request._request.now
            ratings = _read(Path(file.path), corpus, export, name=file.name, now=now)
            return once(
                request,
                [sorted(request.query_params.lists()), file.name, file.content_hash],
                lambda: _stored(request, corpus, asked, ratings),
            )


def _read(path: Path, corpus: Corpus, export: Export | None, *, name: str, now: datetime) -> RatingFile:
    if export is None:
        return read_rating_file(path, load_corpus(corpus), name=name, now=now)
    with path.open("rb") as stream:
        return read_export(export, (name, stream), load_corpus(corpus), now=now)


def _stored(request: Request, corpus: Corpus, asked: dict[str, object], ratings: RatingFile) -> Response:
    now = request._request.now
    said = {name: value for name, value in asked.items() if name != "corpus"}
    settings = UploadSettings(**said)  # type: ignore[arg-type]  # the query was checked
    made = import_ratings(corpus=corpus, file=ratings, settings=settings, now=now, by=request.user)
    shown = UploadShape(Upload.objects.select_related("batch").get(batch=made.batch)).data
    status = HTTPStatus.CREATED if made.created else HTTPStatus.OK
    return Response(shown, status=status, headers={"Location": reverse("api:batch", args=[made.batch.pk])})


class Distances(ListView):
    queryset = GivenDistances.objects.none()
    serializer_class = DistancesShape
    pagination_class = InOrder
    parser_classes = ARCHIVE_PARSERS
    scopes = {"GET": Scope.READ, "POST": Scope.BATCHES}

    @extend_schema(operation_id="list_distances", summary="The distances from outside that a corpus has")
    def get(self, _request: Request, pk: int) -> Response:
        return self.page(distances_of(corpus_of(pk)))

    @extend_schema(
        operation_id="upload_distances",
        summary="Make a measure of distances that another tool computed",
        description="The body is a CSV table with the columns first, second and distance, or a ZIP archive "
        "of such tables or of the folders of systems. 201 where they are new, "
        "200 where they are here already.",
        parameters=[DistancesQuery, FILE, IDEMPOTENCY],
        request=file_body(ARCHIVE_PARSERS),
        responses={201: DistancesShape, 200: DistancesShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        name, corpus = queried(DistancesQuery, request)["name"], corpus_of(pk)
        with sent_file(request, command="import_distances", stem="distances") as file:
            # Before the transaction: on SQLite nobody else writes while it is open.
            with Path(file.path).open("rb") as stream:
                read = read_distances(corpus=corpus, name=name, files=[(file.name, stream)])

            def make() -> Response:
                made = store_distances(read, now=request._request.now, by=request.user)
                address = reverse("api:one-distances", args=[corpus.pk, made.row.pk])
                status = HTTPStatus.CREATED if made.created else HTTPStatus.OK
                return Response(DistancesShape(made.row).data, status=status, headers={"Location": address})

            return once(request, [name, file.name, file.content_hash], make)


class OneDistances(ApiView):
    scopes = {"GET": Scope.READ, "DELETE": Scope.BATCHES}

    @extend_schema(operation_id="read_distances", summary="Distances from outside", responses=DistancesShape)
    def get(self, _request: Request, pk: int, distances: int) -> Response:
        return Response(DistancesShape(_one(pk, distances)).data)

    @extend_schema(
        operation_id="remove_distances",
        summary="Offer distances from outside no more",
        description="Reports that rest on them keep them. Refused with 409 where a batch declares them as "
        "the surrogate of its primary coefficient.",
        responses={204: None},
    )
    def delete(self, request: Request, pk: int, distances: int) -> Response:
        remove_distances(row=_one(pk, distances), now=request._request.now, by=request.user)
        return Response(status=HTTPStatus.NO_CONTENT)


def _one(pk: int, distances: int) -> GivenDistances:
    found: GivenDistances = get_object_or_404(distances_of(corpus_of(pk)), pk=distances)
    return found


# Whoever sends a file is asked for their token before any of it is read.
uploads = takes_files(Uploads(allowed=lambda _user: True, command="import_ratings"))(
    UploadedRatings.as_view()
)
distances = takes_files(Uploads(allowed=lambda _user: True, command="import_distances"))(Distances.as_view())
