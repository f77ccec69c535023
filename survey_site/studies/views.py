"""Pages of studies: the list, the upload, the page of one, its files."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from meta_eval.errors import InputError
from meta_eval.publish.users_report import Findings
from survey_site.accounts.models import User
from survey_site.accounts.permissions import is_researcher, reader_required, researcher_required
from survey_site.common.pagination import paginate
from survey_site.common.uploading import Uploads, lead_to, takes_files
from survey_site.projects.access import get_visible_or_404, listed
from survey_site.studies.downloads import TYPES, file_of
from survey_site.studies.files import PAGE
from survey_site.studies.forms import StudyFilter, StudyForm
from survey_site.studies.models import Study
from survey_site.studies.page import page_of
from survey_site.studies.services import StudyResult, import_study, record_download


@require_safe
@reader_required
def index(request: HttpRequest) -> HttpResponse:
    """All studies; ?q=, ?archive= and ?sort= narrow and order them."""
    form = StudyFilter(request.GET)
    rows = listed(Study.objects.defer("content", "findings").select_related("created_by"), request.user)
    page = paginate(request, form.narrow(rows), per_page=25)
    return render(request, "studies/list.html", {"page": page, "form": form, "any": rows.exists()})


@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
@takes_files(Uploads(allowed=is_researcher, command="import_study"))
def upload(request: HttpRequest) -> HttpResponse:
    """The form; POST uploads, all or nothing."""
    form = StudyForm(request.POST or None, request.FILES or None, user=request.user)
    faults = None
    if request.method == "POST" and form.is_valid():
        try:
            return _tell(request, _import(request, form))
        except InputError as error:
            faults = error
        except ValidationError as error:
            form.add_error(None, error)
    context: dict[str, Any] = {"form": form, "faults": faults}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if faults or form.errors else HTTPStatus.OK
    return render(request, "studies/upload.html", context, status=status)


def _import(request: HttpRequest, form: StudyForm) -> StudyResult:
    name, user = form.cleaned_data["name"], cast(User, request.user)
    project = form.cleaned_data["project"]
    now = timezone.now()
    return import_study(name=name, files=form.chosen, now=now, by=user, project=project, most=PAGE)


def _tell(request: HttpRequest, result: StudyResult) -> HttpResponse:
    if result.created:
        messages.success(request, f"“{result.study}” is stored.")
    else:
        messages.info(request, "These files were already here, as the study below. Nothing was stored twice.")
    return lead_to(request, result.study.get_absolute_url())


@require_safe
@reader_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The report on one study."""
    rows = Study.objects.defer("content").select_related("created_by")
    study = get_visible_or_404(rows, request.user, pk)
    page = page_of(Findings.from_record(study.findings))
    return render(request, "studies/detail.html", {"study": study, "report": page})


@require_safe
@reader_required
def file(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """One file to take away; the audit log keeps who took it."""
    study = get_visible_or_404(Study, request.user, pk)
    made = file_of(study, name)
    record_download(study=study, file=name, by=cast(User, request.user), now=timezone.now())
    return HttpResponse(
        made,
        content_type=TYPES[name.rpartition(".")[2]],
        headers={"Content-Disposition": f'attachment; filename="concord-study-{study.pk}-{name}"'},
    )
