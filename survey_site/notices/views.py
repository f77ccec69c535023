"""The page of notices."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required
from survey_site.common.pagination import paginate
from survey_site.notices.models import Notice
from survey_site.notices.queries import notices_for, unread_by
from survey_site.notices.services import mark_all_read, mark_read
from survey_site.projects.access import get_visible_or_404


@require_safe
@reader_required
def notice_list(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    page = paginate(request, notices_for(user), per_page=50)
    return render(request, "notices/list.html", {"page": page, "unread": unread_by(user).count()})


@require_safe
@reader_required
def follow(request: HttpRequest, pk: int) -> HttpResponse:
    """Note that it was read, and go on to the page it is about."""
    user = cast(User, request.user)
    notice = get_visible_or_404(Notice, user, pk)
    mark_read(notice=notice, user=user, now=timezone.now())
    return redirect(notice.get_absolute_url())


@require_POST
@reader_required
def read_all(request: HttpRequest) -> HttpResponse:
    mark_all_read(user=cast(User, request.user), now=timezone.now())
    return redirect("notices:list")
