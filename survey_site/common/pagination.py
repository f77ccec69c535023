"""Pages of a list; templates/partials/pagination.html shows the links."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest


def paginate(request: HttpRequest, items: Any, *, per_page: int = 50) -> Page[Any]:
    """The page that ?page= asks for; the first or last one where that makes no sense."""
    return Paginator(items, per_page).get_page(request.GET.get("page"))
