"""What operators read: metrics, for programs, and the status page, for admins."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from survey_site.accounts.permissions import admin_required
from survey_site.operations.exposition import CONTENT_TYPE
from survey_site.operations.metrics import may_read_metrics, read_metrics
from survey_site.operations.queries import jobs_to_look_at, jobs_to_show, living, workers_seen
from survey_site.operations.status import database_is_fine, look_at_site

NOT_FOR_YOU = (
    "Metrics are for a program that sends the token of CONCORD_METRICS_TOKEN, or asks from a network of "
    "CONCORD_METRICS_NETWORKS. An admin sets them where the site is installed."
)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not may_read_metrics(request):
        raise PermissionDenied(NOT_FOR_YOU)
    return HttpResponse(read_metrics(now=timezone.now()), content_type=CONTENT_TYPE)


@require_safe
@admin_required
def status(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    findings = list(look_at_site(now=now))
    context: dict[str, Any] = {"now": now, "findings": findings}
    if database_is_fine(findings):
        workers = workers_seen()
        alive = {one.pk for one in living(workers, now)}
        context["workers"] = [(one, one.pk in alive) for one in workers]
        context["kinds"] = jobs_to_show(now)
        context["jobs"] = jobs_to_look_at()
    return render(request, "operations/status.html", context)
