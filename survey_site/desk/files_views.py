"""The files of a batch, but for its ratings."""

from typing import cast

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required
from survey_site.desk.files import send_file


@require_safe
@reader_required  # type: ignore[arg-type]  # a streamed response is no HttpResponse
def file(request: HttpRequest, pk: int, name: str) -> StreamingHttpResponse:
    """What raters remarked or could not judge, what is excluded, or the snapshot; `name` is of `FILES`."""
    return send_file(pk, name, by=cast(User, request.user), now=timezone.now())
