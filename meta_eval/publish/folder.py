"""A report as the files of a folder, in the forms that are asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from meta_eval.publish.heds import Entry, datasheet_json, datasheet_markdown, fill_datasheet
from meta_eval.publish.latex import latex_document, latex_tables
from meta_eval.publish.long_form import report_json
from meta_eval.publish.methods import methods_bibtex, methods_paragraph
from meta_eval.publish.tables import report_tables, table_csv
from meta_eval.publish.xlsx import write_xlsx
from meta_eval.report.view import View

FIGURES_FOLDER = "figures"


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """A report, what of it figures show, and the tags of its corpus's languages, "" for none."""

    report: Mapping[str, Any]
    view: View
    languages: Sequence[str] = ()

    @property
    def datasheet(self) -> list[Entry]:
        return fill_datasheet(self.report, languages=self.languages)


Files = Iterator[tuple[str, bytes]]


def _json(content: Content) -> Files:
    yield "report.json", report_json(content.report).encode()


def _csv(content: Content) -> Files:
    tables = report_tables(content.report)
    yield from ((f"{table.name}.csv", table_csv(table).encode()) for table in tables)


def _xlsx(content: Content) -> Files:
    stream = BytesIO()
    write_xlsx(stream, content.report)
    yield "report.xlsx", stream.getvalue()


def _latex(content: Content) -> Files:
    yield "tables.tex", latex_tables(content.report, content.view).encode()
    yield "document.tex", latex_document(content.report, content.view).encode()


def _methods(content: Content) -> Files:
    yield "methods.md", methods_paragraph(content.report).encode()
    yield "methods.tex", methods_paragraph(content.report, form="latex").encode()
    yield "references.bib", methods_bibtex(content.report).encode()


def _datasheet(content: Content) -> Files:
    yield "datasheet.md", datasheet_markdown(content.datasheet).encode()
    yield "datasheet.json", datasheet_json(content.datasheet).encode()


# What draws figures and pages is slow to load, and no other form needs it.
def _figures(content: Content) -> Files:
    from meta_eval.publish.figures.drawing import figure_files

    for name, data in figure_files(content.report, content.view):
        yield f"{FIGURES_FOLDER}/{name}", data


def _pdf(content: Content) -> Files:
    from meta_eval.publish.figures.drawing import figure_images
    from meta_eval.publish.pdf import write_pdf

    stream = BytesIO()
    figures = figure_images(content.report, content.view)
    write_pdf(stream, content.report, figures=figures, datasheet=content.datasheet, view=content.view)
    yield "report.pdf", stream.getvalue()


FORMS: Mapping[str, Callable[[Content], Files]] = {
    "json": _json,
    "csv": _csv,
    "xlsx": _xlsx,
    "latex": _latex,
    "methods": _methods,
    "datasheet": _datasheet,
    "figures": _figures,
    "pdf": _pdf,
}
"""What is made of the content, by the form that it is asked for: the place of each file and its bytes."""
