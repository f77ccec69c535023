"""The audit log, as far as whoever asks may see it."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.audit import audit_entries
from survey_site.accounts.models import AuditEntry
from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ListView, queried
from survey_site.api.shapes.accounts import AuditEntryShape, AuditQuery, require_known


class Audit(ListView):
    by_project = False  # entries of no project are in it too: `audit_entries` knows who sees which
    queryset = AuditEntry.objects.none()
    serializer_class = AuditEntryShape
    scopes = {"GET": Scope.AUDIT}

    @extend_schema(
        operation_id="list_audit_entries",
        summary="Who did what and when, newest first",
        description="Of your projects; what is of none is for who sees all of them.",
        parameters=[AuditQuery],
    )
    def get(self, request: Request) -> Response:
        asked = queried(AuditQuery, request)
        require_known(asked, request.user)
        batch = asked.get("batch")
        entries = audit_entries(
            action=asked.get("action", ""),
            actor=asked.get("actor", ""),
            subject=("batches.batch", batch) if batch else None,
            reader=request.user,
        )
        return self.page(entries)
