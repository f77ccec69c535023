"""What the templates of one report are given."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from meta_eval.report.view import KINDS, choose_view
from survey_site.reports.models import Report
from survey_site.reports.queries import list_parts
from survey_site.reports.sections import page_sections

WAITING_LONG = timedelta(seconds=20)


def running_page(report: Report, *, now: datetime) -> dict[str, Any]:
    """A report that waits, is at work, or failed."""
    parts = list_parts(report)
    share = (sum(part.share for part in parts) + report.inference_share) / (len(parts) + 1)
    return {
        "report": report,
        "parts": parts,
        "percent": int(100 * share),
        "waits_long": report.is_waiting and now - report.waits_since > WAITING_LONG,
    }


def finished_page(report: Report, query: Mapping[str, str]) -> dict[str, Any]:
    """The report as its reader wants to see it: `query` chooses score, measure, surrogate and order."""
    result, stored = report.read(), report.result or {}
    view = choose_view(stored, query)
    return {
        "report": report,
        "result": result,
        "view": view,
        "kinds": KINDS.items(),
        "sections": page_sections(result, stored, view),
    }
