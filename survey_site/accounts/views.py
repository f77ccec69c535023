"""The audit log's page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from survey_site.accounts.audit import audit_choices, audit_entries, without_subject
from survey_site.accounts.permissions import admin_required
from survey_site.common.pagination import paginate


@require_safe
@admin_required
def audit(request: HttpRequest) -> HttpResponse:
    """Who did what and when; ?action=, ?actor= and ?batch= narrow it."""
    chosen = {name: request.GET.get(name, "") for name in ("action", "actor", "batch")}
    batch = chosen["batch"]
    entries = audit_entries(
        action=chosen["action"],
        actor=chosen["actor"],
        subject=("batches.batch", int(batch)) if batch.isdecimal() else None,
    )
    page = paginate(request, entries, per_page=100)
    context = {"page": page, "deleted": without_subject(list(page)), "chosen": chosen, **audit_choices()}
    return render(request, "accounts/audit.html", context)
