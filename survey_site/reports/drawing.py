"""The figures of a report's page: drawn when it is built, taken from its row when it is shown."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from meta_eval.publish.figures.keeping import Shelf, shelf_of_drawings
from meta_eval.report.schema import read_report
from meta_eval.report.view import KINDS, choose_view
from survey_site.reports.models import Report
from survey_site.reports.sections.opening import open_report
from survey_site.reports.sections.page import page_sections

log = logging.getLogger(__name__)


def draw_ahead(record: dict[str, Any]) -> Shelf:
    """What the page of a report shows before anything is chosen, of each score, by what is drawn.

    A figure that cannot be drawn is no reason to lose a report: the page tries again, and says what is wrong.
    """
    shelf: Shelf = {}
    try:
        report = read_report(record)
        with shelf_of_drawings(shelf):
            open_report(report)
            for kind in KINDS:
                page_sections(report, choose_view(report, {"score": kind}))
    except Exception:
        log.exception("The figures of a report could not be drawn ahead")
    return shelf


@contextmanager
def kept_drawings(report: Report) -> Iterator[None]:
    """Within it, figures that were drawn with the report are taken from it; others are not kept."""
    with shelf_of_drawings(dict(report.drawings)):
        yield
