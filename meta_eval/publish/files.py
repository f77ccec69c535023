"""The files that a report gives, in one table: folders, the command line and downloads read it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from typing import Literal

from meta_eval.publish.bundle import BundleContent, write_bundle
from meta_eval.publish.figures import FIGURE_TITLES, FIGURE_TYPES
from meta_eval.publish.forms import Form
from meta_eval.publish.heds import Entry, datasheet_json, datasheet_markdown
from meta_eval.publish.latex import latex_document, latex_tables
from meta_eval.publish.long_form import report_json
from meta_eval.publish.methods import methods_bibtex, methods_details, methods_paragraph
from meta_eval.publish.papers import FIGURE_3, PAPER_TABLES, PaperForm, papers_latex, render_paper
from meta_eval.publish.tables import TABLE_TITLES, Table, report_tables, table_csv, write_tables
from meta_eval.report.schema import Report
from meta_eval.report.view import View

Choice = Literal["view", "texts"]
"""What a reader may choose for a file: what it shows, and whether texts are in it."""

FIGURES_FOLDER, PAPERS_FOLDER = "figures", "papers"


@dataclass(frozen=True, kw_only=True)
class Content:
    """What files are made of.

    Parameters
    ----------
    report : the report.
    view : what figures show, and of which surrogate tables are that hold for one alone.
    datasheet : fills in the human evaluation datasheet.
    bundle : collects what a sealed bundle holds.
    share_texts : whether a bundle holds texts, or hashes in their place.
    about : a line below the title of each PDF.
    """

    report: Report
    view: View
    datasheet: Callable[[], Sequence[Entry]]
    bundle: Callable[[], BundleContent]
    share_texts: bool = True
    about: str = ""

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The tables that have rows, by name."""
        return {table.name: table for table in report_tables(self.report)}


@dataclass(frozen=True, slots=True)
class ReportFile:
    """One file: its name, as what it is asked for, its type, what a reader is told that it is, and its maker.

    `form` is None for what sums up other files. `make` gives None where the report has nothing to put into
    it; whether it has, `is_in` says without making the file. `figure` is the figure that it shows, `paper`
    the table of a paper that it is laid out as.
    """

    name: str
    form: Form | None
    content_type: str
    title: str
    make: Callable[[Content], bytes | str | None]
    takes: tuple[Choice, ...] = ()
    figure: str = ""
    paper: str = ""
    is_in: Callable[[Content], bool] = lambda _content: True

    @property
    def folder(self) -> str:
        """In which folder it is kept, with others of its kind; empty for those that stand alone."""
        return FIGURES_FOLDER if self.figure else PAPERS_FOLDER if self.paper else ""

    def kept_as(self, view: View) -> str:
        """Its name where it is kept: a figure's says of which scores it is."""
        if not self.figure:
            return self.name
        return f"{self.figure}-{view.kind}-{view.surrogate}-{view.measure}.{self.name.rpartition('.')[2]}"


def files_in_folder(content: Content, forms: Sequence[Form]) -> Iterator[tuple[str, bytes]]:
    """The files of these forms that hold something: the path of each in a folder, and its bytes."""
    for file in (file for form in dict.fromkeys(forms) for file in FILES.values() if file.form == form):
        made = file.make(content)
        if made is not None:
            name = file.kept_as(content.view)
            yield (
                f"{file.folder}/{name}" if file.folder else name,
                made.encode() if isinstance(made, str) else made,
            )


def _written(write: Callable[[BytesIO], object]) -> bytes:
    stream = BytesIO()
    write(stream)
    return stream.getvalue()


def _table(name: str, content: Content) -> str | None:
    table = content.tables.get(name)
    return None if table is None else table_csv(table)


def _has_table(name: str, content: Content) -> bool:
    return name in content.tables


def _bundle(content: Content) -> bytes:
    return _written(lambda stream: write_bundle(stream, content.bundle(), share_texts=content.share_texts))


# What draws spreadsheets, figures and pages is slow to load, and no other file needs it.
def _xlsx(content: Content) -> bytes:
    from meta_eval.publish.xlsx import write_xlsx

    return _written(lambda stream: write_xlsx(stream, content.report))


def _draw(name: str, content: Content) -> str:
    from meta_eval.publish.figures.drawing import FIGURES

    return FIGURES[name](content.report, content.view)


def _figure(name: str, form: str, content: Content) -> bytes | None:
    from meta_eval.publish.figures.style import render_figure

    svg = _draw(name, content)
    return render_figure(svg, form) if svg else None


def _has_figure(name: str, content: Content) -> bool:
    return bool(_draw(name, content))


def _paper(name: str, form: PaperForm, content: Content) -> str | None:
    """A table of a paper; None where the report has nothing for it."""
    table = PAPER_TABLES[name]
    grid = table.lay_out(content.report, content.view)
    return render_paper(table, grid, form) if grid.lines else None


def _has_paper(name: str, content: Content) -> bool:
    return bool(PAPER_TABLES[name].lay_out(content.report, content.view).lines)


def _papers_pdf(content: Content) -> bytes:
    from meta_eval.publish.figures.drawing import figure_picture
    from meta_eval.publish.papers_pdf import write_papers_pdf

    drawn = figure_picture(FIGURE_3, content.report, content.view)
    return _written(
        lambda stream: write_papers_pdf(
            stream, content.report, content.view, figure=drawn, about=content.about
        )
    )


def _pdf(content: Content) -> bytes:
    from meta_eval.publish.figures.drawing import figure_picture, report_pictures
    from meta_eval.publish.pdf import write_pdf

    report, view = content.report, content.view
    picture, figures = figure_picture("answer", report, view), report_pictures(report, view)
    return _written(
        lambda stream: write_pdf(
            stream, report, picture=picture, figures=figures, about=content.about, view=view
        )
    )


def _datasheet_pdf(content: Content) -> bytes:
    from meta_eval.publish.datasheet_pdf import write_datasheet_pdf

    batch = str(content.report.subject.get("batch", ""))
    return _written(
        lambda stream: write_datasheet_pdf(stream, content.datasheet(), batch=batch, about=content.about)
    )


_CSV, _JSON = "text/csv; charset=utf-8", "application/json"
_TEX, _MARKDOWN = "text/x-tex; charset=utf-8", "text/markdown; charset=utf-8"
_BIBTEX = "application/x-bibtex; charset=utf-8"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_ZIP, _PDF = "application/zip", "application/pdf"
_PAPER_FORMS: Sequence[tuple[str, PaperForm, str]] = (("tex", "latex", _TEX), ("csv", "csv", _CSV))

_ALL = (
    ReportFile("report.json", "json", _JSON, "JSON", lambda of: report_json(of.report)),
    *(
        ReportFile(f"{name}.csv", "csv", _CSV, title, partial(_table, name), is_in=partial(_has_table, name))
        for name, title in TABLE_TITLES.items()
    ),
    ReportFile(
        "tables.zip", None, _ZIP, "All tables", lambda of: _written(lambda to: write_tables(to, of.report))
    ),
    ReportFile("report.xlsx", "xlsx", _XLSX, "Spreadsheet", _xlsx),
    ReportFile(
        "tables.tex", "latex", _TEX, "LaTeX tables", lambda of: latex_tables(of.report, of.view), ("view",)
    ),
    ReportFile(
        "document.tex",
        "latex",
        _TEX,
        "LaTeX document",
        lambda of: latex_document(of.report, of.view),
        ("view",),
    ),
    ReportFile("methods.md", "methods", _MARKDOWN, "Markdown", lambda of: methods_paragraph(of.report)),
    ReportFile(
        "methods.tex", "methods", _TEX, "LaTeX", lambda of: methods_paragraph(of.report, form="latex")
    ),
    ReportFile(
        "details.md", "methods", _MARKDOWN, "Details, Markdown", lambda of: methods_details(of.report)
    ),
    ReportFile(
        "details.tex",
        "methods",
        _TEX,
        "Details, LaTeX",
        lambda of: methods_details(of.report, form="latex"),
    ),
    ReportFile("references.bib", "methods", _BIBTEX, "BibTeX", lambda of: methods_bibtex(of.report)),
    ReportFile(
        "datasheet.md", "datasheet", _MARKDOWN, "Markdown", lambda of: datasheet_markdown(of.datasheet())
    ),
    ReportFile("datasheet.json", "datasheet", _JSON, "JSON", lambda of: datasheet_json(of.datasheet())),
    ReportFile("datasheet.pdf", "datasheet", _PDF, "PDF", _datasheet_pdf),
    *(
        ReportFile(
            f"{name}.{form}",
            "figures",
            kind,
            title,
            partial(_figure, name, form),
            ("view",),
            figure=name,
            is_in=partial(_has_figure, name),
        )
        for name, title in FIGURE_TITLES.items()
        for form, kind in FIGURE_TYPES.items()
    ),
    ReportFile("report.pdf", "pdf", _PDF, "PDF", _pdf, ("view",)),
    ReportFile("papers.pdf", "papers", _PDF, "PDF of the papers' tables", _papers_pdf, ("view",)),
    ReportFile(
        "papers.tex",
        "papers",
        _TEX,
        "LaTeX document of the papers' tables",
        lambda of: papers_latex(of.report, of.view),
        ("view",),
    ),
    *(
        ReportFile(
            f"{name}.{ending}",
            "papers",
            kind,
            table.place,
            partial(_paper, name, form),
            ("view",),
            paper=name,
            is_in=partial(_has_paper, name),
        )
        for name, table in PAPER_TABLES.items()
        for ending, form, kind in _PAPER_FORMS
    ),
    ReportFile("bundle.zip", "bundle", _ZIP, "Sealed bundle", _bundle, ("texts",)),
)

FILES: Mapping[str, ReportFile] = {file.name: file for file in _ALL}
"""Every file that a report may give, by its name, in the order in which they are written."""
