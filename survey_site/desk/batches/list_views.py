"""The list of batches."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from survey_site.accounts.permissions import reader_required
from survey_site.batches.queries import batch_list
from survey_site.common.pagination import paginate
from survey_site.desk.batches.list_forms import BatchFilter
from survey_site.projects.access import listed


@require_safe
@reader_required
def batch_index(request: HttpRequest) -> HttpResponse:
    """All batches; ?q=, ?state= and ?sort= narrow and order them."""
    form = BatchFilter(request.GET)
    seen = listed(batch_list().select_related("upload"), request.user)
    found = form.narrow(seen)
    context = {"page": paginate(request, found), "form": form, "any": seen.exists(), "now": timezone.now()}
    return render(request, "desk/batches/list.html", context)
