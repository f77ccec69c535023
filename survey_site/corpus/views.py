"""Pages of the corpora."""

from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from meta_eval.errors import InputError
from survey_site.accounts.models import User
from survey_site.accounts.permissions import is_researcher, reader_required, researcher_required
from survey_site.common.pagination import paginate
from survey_site.common.uploading import Uploads, lead_to, takes_files
from survey_site.corpus import queries
from survey_site.corpus.forms import CorpusFilter, CorpusUploadForm
from survey_site.corpus.models import Corpus
from survey_site.corpus.services import ImportResult, import_corpus, systems_in_words
from survey_site.projects.access import get_visible_or_404, listed


@require_safe
@reader_required
def corpus_list(request: HttpRequest) -> HttpResponse:
    """The corpora that the person sees; ?q= and ?sort= narrow and order them."""
    form = CorpusFilter(request.GET)
    seen = listed(queries.list_corpora(), request.user)
    page = paginate(request, form.narrow(seen), per_page=25)
    several = len({corpus.project_id for corpus in page}) > 1
    context = {"page": page, "form": form, "any": seen.exists(), "several_projects": several}
    return render(request, "corpus/list.html", context)


@researcher_required
@takes_files(Uploads(allowed=is_researcher, command="import_corpus"))
def corpus_import(request: HttpRequest) -> HttpResponse:
    form = CorpusUploadForm(request.POST or None, request.FILES or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        return _import_upload(request, form)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "corpus/import.html", {"form": form}, status=status)


def _import_upload(request: HttpRequest, form: CorpusUploadForm) -> HttpResponse:
    user = cast(User, request.user)
    try:
        corpus, source, generated = form.read()
        result = import_corpus(
            corpus=corpus,
            name=form.corpus_name,
            source=source,
            language=form.cleaned_data["language"],
            generated=generated,
            created_by=user,
            project=form.cleaned_data["project"],
            now=timezone.now(),
        )
    except InputError as faults:
        context = {"form": form, "faults": faults}
        return render(request, "corpus/import.html", context, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    _tell(request, result, corpus.taken)
    return lead_to(request, result.corpus.get_absolute_url())


def _tell(request: HttpRequest, result: ImportResult, taken: str) -> None:
    if result.created:
        messages.success(request, f"“{result.corpus.name}” was imported. Read: {taken}.")
    else:
        messages.info(
            request, "This content was already here, as the corpus below. Nothing was imported twice."
        )
        if result.recorded:
            messages.success(
                request, f"Its page now says how {systems_in_words(result.recorded)} came about."
            )


@require_safe
@reader_required
def corpus_detail(request: HttpRequest, pk: int) -> HttpResponse:
    corpus = get_visible_or_404(Corpus.objects.select_related("created_by", "project"), request.user, pk)
    overview = queries.describe_corpus(corpus)
    search = request.GET.get("q", "").strip()
    page = paginate(request, queries.find_documents(corpus, search), per_page=10)
    texts = queries.texts_of_documents(page.object_list, overview.systems)
    context = {
        "corpus": corpus,
        "overview": overview,
        "languages": queries.languages_told(corpus),
        "remarks": overview.remarks(corpus.notes),
        "search": search,
        "page": page,
        "documents": [(document, texts[document.pk]) for document in page],
    }
    return render(request, "corpus/detail.html", context)
