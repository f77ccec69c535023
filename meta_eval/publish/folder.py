"""A report as the files of a folder, in the forms that are asked for."""

from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import Any

from meta_eval.export import report_json
from meta_eval.publish.heds import datasheet_json, datasheet_markdown, fill_datasheet
from meta_eval.publish.latex import latex_document, latex_tables
from meta_eval.publish.methods import methods_bibtex, methods_paragraph
from meta_eval.publish.pdf import write_pdf
from meta_eval.publish.tables import report_tables, table_csv
from meta_eval.publish.xlsx import write_xlsx

Report = Mapping[str, Any]
Files = Iterator[tuple[str, bytes]]


def _json(report: Report) -> Files:
    yield "report.json", report_json(report).encode()


def _csv(report: Report) -> Files:
    yield from ((f"{table.name}.csv", table_csv(table).encode()) for table in report_tables(report))


def _xlsx(report: Report) -> Files:
    stream = BytesIO()
    write_xlsx(stream, report)
    yield "report.xlsx", stream.getvalue()


def _latex(report: Report) -> Files:
    yield "tables.tex", latex_tables(report).encode()
    yield "document.tex", latex_document(report).encode()


def _methods(report: Report) -> Files:
    yield "methods.md", methods_paragraph(report).encode()
    yield "methods.tex", methods_paragraph(report, form="latex").encode()
    yield "references.bib", methods_bibtex(report).encode()


def _datasheet(report: Report) -> Files:
    entries = fill_datasheet(report)
    yield "datasheet.md", datasheet_markdown(entries).encode()
    yield "datasheet.json", datasheet_json(entries).encode()


def _pdf(report: Report) -> Files:
    stream = BytesIO()
    write_pdf(stream, report, datasheet=fill_datasheet(report))
    yield "report.pdf", stream.getvalue()


FORMS: Mapping[str, Callable[[Report], Files]] = {
    "json": _json,
    "csv": _csv,
    "xlsx": _xlsx,
    "latex": _latex,
    "methods": _methods,
    "datasheet": _datasheet,
    "pdf": _pdf,
}
"""What is made of the report alone, by the form that it is asked for."""
