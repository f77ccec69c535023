"""Help: the documentation as pages, for everybody who has an account."""

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from survey_site.accounts.permissions import reader_required
from survey_site.common.errors import NotFoundError
from survey_site.help.contents import folder, pages, parts
from survey_site.help.pages import read_page


@require_safe
@reader_required
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "help/index.html", {"parts": parts()})


@require_safe
@reader_required
def page(request: HttpRequest, name: str) -> HttpResponse:
    """One page of the documentation."""
    if name not in pages():
        raise NotFoundError("There is no such page of help.", action="Help lists all of them.")
    return render(request, "help/page.html", {"page": read_page(name)})


@require_safe
@reader_required  # type: ignore[arg-type]  # a streamed response is no HttpResponse
def image(_request: HttpRequest, name: str) -> FileResponse:
    """A picture of the documentation."""
    pictures = {path.name: path for path in (folder() / "images").iterdir()}
    if name not in pictures:
        raise NotFoundError("There is no such picture.")
    return FileResponse(pictures[name].open("rb"))
