"""What a study gives to take away: its report as HTML and PDF, and the files as they were uploaded."""

from collections.abc import Callable, Mapping

from meta_eval.publish.users_report import Findings, report_html, report_pdf
from survey_site.common.errors import NotFoundError
from survey_site.studies.files import kept_file
from survey_site.studies.models import Study

ALL = "results.zip"
REPORTS: Mapping[str, Callable[[Findings, str], bytes]] = {
    "report.html": report_html,
    "report.pdf": report_pdf,
}
TYPES: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8",
    "zip": "application/zip",
}
"""By the end of a file's name."""


def file_of(study: Study, name: str) -> bytes:
    """One file by its name; NotFoundError for one that the study does not have."""
    if name in REPORTS:
        return REPORTS[name](Findings.from_record(study.findings), study.name)
    if name == ALL:
        return bytes(study.content)
    if name in study.names:
        return kept_file(bytes(study.content), name)
    raise NotFoundError("This study has no such file.", action="Its page lists those that it has.")
