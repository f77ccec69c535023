"""What the files of a stored report are made of."""

from collections.abc import Mapping
from functools import partial

from meta_eval.publish.files import Content
from meta_eval.report.view import choose_view
from survey_site.reports.bundles.content import bundle_content, report_datasheet
from survey_site.reports.models import Report


def report_content(report: Report, query: Mapping[str, str] | None = None) -> Content:
    """The report as its page opens, or with the score, measure and surrogate that the query chooses."""
    result = report.read()
    return Content(
        report=result,
        view=choose_view(result, query or {}),
        datasheet=partial(report_datasheet, report),
        bundle=partial(bundle_content, report),
        about=f"{report}, ratings as of {report.created_at:%d %B %Y, %H:%M} UTC",
    )
