"""Pages of a list; templates/partials/pagination.html shows the links."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest


def paginate(request: HttpRequest, items: Any, *, per_page: int = 50, count: int | None = None) -> Page[Any]:
    """The page that ?page= asks for; the first or last one where that makes no sense.

    count: how many items there are, where that is known already: counting some takes as long as listing them.
    """
    paginator = Paginator(items, per_page)
    if count is not None:
        paginator.count = count
    return paginator.get_page(request.GET.get("page"))
