"""The PDF that a report's page offers: typeset by who built the report, kept beside it, sent as it is."""

import logging
from contextlib import suppress
from functools import cache
from pathlib import Path

from django.db import transaction

import meta_eval
from meta_eval.publish.figures.keeping import code_digest
from meta_eval.publish.files import FILES, Content
from meta_eval.report.view import choose_view
from survey_site.common.digest import digest
from survey_site.common.locking import lock_row
from survey_site.reports.contents import report_content
from survey_site.reports.models import KeptPdf, Report

log = logging.getLogger(__name__)

PDF = FILES["report.pdf"]
_LIBRARIES = ("altair", "typst", "vl-convert-python")


def keep_pdf(report: Report) -> None:
    """Typeset a finished report ahead, as its page opens.

    A PDF that cannot be made is no reason to lose a report: its download tries again, and says what is wrong.
    """
    if not report.is_done:
        return
    try:
        take_pdf(report, report_content(report))
    except Exception:
        log.exception("The PDF of a report could not be typeset ahead")


def take_pdf(report: Report, content: Content) -> bytes | str | None:
    """The kept PDF; where there is none of this result by this code, it is typeset and kept.

    Of each report one is kept, as its page opens. With other scores in view it is typeset anew.
    """
    if content.view != choose_view(content.report, {}):
        return PDF.make(content)
    key = digest([_code(), str(report.finished_at), content.about])
    kept = KeptPdf.objects.filter(report=report, key=key).values_list("content", flat=True).first()
    if kept is not None:
        return bytes(kept)
    made = PDF.make(content)
    with transaction.atomic(), suppress(Report.DoesNotExist):  # somebody may have deleted it meanwhile
        KeptPdf.objects.update_or_create(
            report=lock_row(Report.objects.filter(pk=report.pk)), defaults={"key": key, "content": made}
        )
    return made


@cache
def _code() -> str:
    """A digest of all that makes a PDF, its template and libraries too: what others made is made anew."""
    package = Path(meta_eval.__file__).parent
    return code_digest(sorted([*package.rglob("*.py"), *package.rglob("*.typ")]), *_LIBRARIES)
