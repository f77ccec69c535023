"""What a study gives to take away: its report as HTML and PDF, and the files as they were uploaded.

In a table, texts that a spreadsheet would compute are marked; whoever uploads it again is understood.
"""

import csv
import io
from collections.abc import Callable, Mapping

from meta_eval.files.cells import csv_text, mark_text, unmark_text
from meta_eval.publish.users_report import Findings, report_html, report_pdf
from survey_site.common.errors import NotFoundError
from survey_site.studies.files import kept_file, repacked
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
        return _all_files(study)
    if name in study.names:
        return _marked(name, kept_file(bytes(study.content), name))
    raise NotFoundError("This study has no such file.", action="Its page lists those that it has.")


def _all_files(study: Study) -> bytes:
    """The archive as it is kept where no table in it needs a mark."""
    packed = bytes(study.content)
    tables = {name: kept_file(packed, name) for name in study.names if name.endswith(".csv")}
    marked = {name: _marked(name, content) for name, content in tables.items()}
    return packed if marked == tables else repacked(packed, marked)


def _marked(name: str, content: bytes) -> bytes:
    """The file as it was uploaded where nothing in it needs a mark."""
    if not name.endswith(".csv"):
        return content
    table = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    plain = [list(map(unmark_text, cells)) for cells in table]
    marked = [list(map(mark_text, cells)) for cells in plain]
    return content if marked == table else csv_text(plain).encode()
