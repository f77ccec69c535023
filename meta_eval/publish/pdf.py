"""The whole report as one PDF to read and to print: answer, tables, figures, raters, methods."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from fpdf import FPDF
from fpdf.enums import TableBordersLayout, TextEmphasis, XPos, YPos
from fpdf.fonts import FontFace

from meta_eval.export import without_paths
from meta_eval.publish import pdf_tables as tables
from meta_eval.publish.bibliography import WORKS
from meta_eval.publish.heds import SECTIONS, SOURCE, Entry
from meta_eval.publish.heds.writing import answer_lines, summary
from meta_eval.publish.methods import cited_works, methods_in_words
from meta_eval.publish.robustness import OWN_COEFFICIENTS, members_in_words, robustness_tables
from meta_eval.publish.studies import studies
from meta_eval.report.beside import lay_out
from meta_eval.report.view import KINDS, View, choose_view

Report = Mapping[str, Any]

_LINE = 5.0
_PADDING, _NARROWEST = 2.6, 9.0
_SIZES = (8.5, 8.0, 7.5, 7.0, 6.5, 6.0, 5.5)
_LONGEST = 100.0
"""Tables up to this height, in millimetres, are kept on one page."""
_DOT = 0.235 / 3
"""Of a figure in millimetres, where it fits: its letters of 12 pixels, three dots each, print as 8 points."""
_FIXED_TIME = datetime(2000, 1, 1, tzinfo=UTC)
_FONT_FOLDERS = ("/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/TTF", "/usr/share/fonts/dejavu")
_PLAIN = {"−": "-", "–": "-", "—": "-", "“": '"', "”": '"', "’": "'", "τ": "tau", "ρ": "rho", "…": "..."}


ACCURACY_NOTE = (
    "1 − the mean distance of a summary from its reader's reference, which PerSEval's penalty is made of. "
    "Higher is better; in brackets the rank."
)
PUBLISHED_NOTE = (
    "In each cell ours, and in brackets the published number. Ranks: how alike ours and theirs rank, over n "
    "numbers. A difference is no error by itself: other texts or options give other numbers."
)


def write_pdf(
    stream: IO[bytes],
    report: Report,
    *,
    figures: Mapping[str, bytes] | None = None,
    datasheet: Sequence[Entry] = (),
    about: str = "",
    view: View | None = None,
) -> None:
    """Write the report; `figures` are PNG images by caption, `about` a line below the title.

    The `datasheet` follows at the end. `view` is what the figures show; tables that hold for one surrogate
    alone are of its surrogate.

    Tables are rounded as on the page. The same input gives the same bytes.
    """
    report = without_paths(report)
    page = _Page(f"Report on {report['subject'].get('batch', '')}")
    page.title_block([*_subject(report), about])
    page.section("Answer", [report["answer"]["sentence"]])
    page.bullets(report["answer"]["cautions"])
    page.add_table(
        "By PerSEval, mean over surrogates",
        *tables.ranking(report),
        heading="Measures",
        note=tables.RANKING_NOTE,
    )
    page.add_table(
        "Each two measures: the first one's mean tau-b less the other's", *tables.comparisons(report)
    )
    for kind, title in KINDS.items():
        for number, printed in enumerate(tables.leaderboards(report, kind)):
            caption = f"{title} of each system, with its rank"
            note = "" if number else tables.leaderboard_note(report, kind)
            page.add_table(caption, *printed, "" if number else title, note)
        page.note(tables.correlations_caption(report, kind))
        for coefficient, header, rows in tables.correlations(report, kind):
            page.add_table(f"{coefficient} of {title} with {title}-HJ", header, rows)
        _add_robustness(page, report, view or choose_view(report, {}), kind)
    _add_accuracy(page, report)
    _add_studies(page, report, view or choose_view(report, {}))
    _add_published(page, report)
    page.add_figures(figures or {})
    page.add_table(
        "Agreement of the raters", *tables.agreement(report), heading="Raters", note=tables.AGREEMENT_NOTE
    )
    page.add_table("Left out or set apart", *tables.left_out(report), heading="Left out")
    page.section("Methods", [methods_in_words(report)])
    page.section("References", [_reference(key) for key in cited_works(report)])
    page.add_table("Signatures of the measures", *tables.signatures(report), heading="Signatures")
    if datasheet:
        page.add_datasheet(datasheet)
    stream.write(page.as_bytes())


def _add_robustness(page: "_Page", report: Report, view: View, kind: str) -> None:
    if kind not in OWN_COEFFICIENTS:
        page.note("EGISES is 1 − DEGRESS on both sides: what holds of its coefficients stands with DEGRESS.")
        return
    for found in robustness_tables(report, view, kind):
        note = " ".join(filter(None, [found.note, members_in_words(found.table)]))
        page.add_table(found.title, *tables.robustness(found), note=note)


def _add_accuracy(page: "_Page", report: Report) -> None:
    for number, printed in enumerate(tables.leaderboards(report, "accuracy")):
        heading, note = ("", "") if number else ("Accuracy", ACCURACY_NOTE)
        page.add_table("Accuracy of each system, with its rank", *printed, heading, note)


def _add_studies(page: "_Page", report: Report, view: View) -> None:
    shown = [study for study in studies(report, view) if study.rows]
    for number, study in enumerate(shown):
        heading = "" if number else "Further questions"
        page.add_table(study.title, study.header, study.rows, heading, study.note)


def _add_published(page: "_Page", report: Report) -> None:
    found = [part for table in report.get("published") or () for part in lay_out(table)]
    if not found:
        return
    page.section("Published numbers", [PUBLISHED_NOTE])
    for table in found:
        page.add_table(f"{table.title}: {table.file}", *tables.published(table))
        if not table.lines:
            page.note(f"{table.title}: {table.file}. Nothing of it matches.")
        for words in (*table.remarks, *table.only):
            page.note(words)


class _Page(FPDF):
    """Blocks of a report, one below the other, with page numbers."""

    def __init__(self, title: str) -> None:
        super().__init__(format="A4")
        self.family = _add_fonts(self)
        self._running = self.plain(title)
        self.set_title(self._running)
        self.set_creation_date(_FIXED_TIME)
        self.set_margin(18)
        self.set_auto_page_break(auto=True, margin=18)
        self.alias_nb_pages()
        self.add_page()

    def footer(self) -> None:
        self.set_y(-12)
        self.set_font(self.family, size=8)
        self.cell(0, 5, f"{self._running[:90]} - page {self.page_no()} of {{nb}}", align="C")

    def plain(self, text: str) -> str:
        """The text as the font can show it."""
        if self.family == "dejavu":
            return "".join(character if character.isprintable() else " " for character in text)
        for character, replacement in _PLAIN.items():
            text = text.replace(character, replacement)
        return text.encode("latin-1", "replace").decode("latin-1")

    def title_block(self, lines: Iterable[str]) -> None:
        self._write(self._running, size=18, bold=True, height=9)
        self.ln(1)
        for line in filter(None, lines):
            self._write(line, size=9)

    def heading(self, text: str) -> None:
        """Kept with what follows: a heading near the foot of a page goes to the next."""
        if self.will_page_break(30):
            self.add_page()
        self.ln(4)
        self.start_section(self.plain(text))
        self._write(text, size=13, bold=True, height=7)

    def section(self, title: str, paragraphs: Sequence[str]) -> None:
        self.heading(title)
        for paragraph in paragraphs:
            self._write(paragraph)
            self.ln(1)

    def bullets(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._write(f"- {line}", size=9)

    def add_table(
        self,
        caption: str,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        heading: str = "",
        note: str = "",
    ) -> None:
        """Nothing where there are no rows; the `note` says what the table shows."""
        if not rows:
            return
        room = _needed_height([header, *rows]) + (15 if heading else 0) + (2 * _LINE if note else 0)
        if self.will_page_break(room):
            self.add_page()
        if heading:
            self.heading(heading)
        self._write(caption, size=9, bold=True)
        self.note(note)
        widths = self._fit([header, *rows])
        bold = FontFace(emphasis=TextEmphasis.B)
        with self._ruled(widths, bold) as table:
            for cells in (header, *rows):
                line = table.row()
                for cell in cells:
                    line.cell("\n".join(map(self.plain, cell.split("\n"))))
        self.ln(2)

    def _fit(self, rows: Sequence[Sequence[str]]) -> list[float]:
        """Set the largest size in which no line breaks, and return what each column needs.

        What is too much in the smallest size is taken from the widest columns.
        """
        needed: list[float] = []
        for size in _SIZES:
            self.set_font(self.family, style="B", size=size)
            needed = [max(self._text_width(row[column]) for row in rows) for column in range(len(rows[0]))]
            self.set_font(self.family, size=size)
            if sum(needed) <= self.epw:
                return needed
        while sum(needed) > self.epw and max(needed) > _NARROWEST:
            widest = max(range(len(needed)), key=needed.__getitem__)
            needed[widest] *= 0.9
        return needed

    def _text_width(self, text: str) -> float:
        """Of the longest line in the font that is set, with the padding of a cell."""
        return max(self.get_string_width(self.plain(line)) for line in text.split("\n")) + _PADDING

    def _ruled(self, widths: Sequence[float], bold: FontFace) -> Any:
        """A rule under the header; text to the left."""
        return self.table(
            col_widths=tuple(widths),
            width=min(self.epw, sum(widths)),
            align="LEFT",
            headings_style=bold,
            borders_layout=TableBordersLayout.SINGLE_TOP_LINE,
            line_height=_LINE * 0.9,
            text_align="LEFT",
            padding=(0.5, 1),
        )

    def note(self, text: str) -> None:
        if text:
            self._write(text, size=8)
            self.ln(1)

    def add_figures(self, figures: Mapping[str, bytes]) -> None:
        """Each with its caption on the same page, the heading with the first."""
        for number, (caption, image) in enumerate(figures.items()):
            wide, high = _png_size(image)
            scale = min(_DOT, self.epw / wide, self.eph * 0.42 / high)
            room = high * scale + 5 * _LINE
            if self.will_page_break(room + (0 if number else 15)):
                self.add_page()
            if not number:
                self.heading("Figures")
            self.ln(2)
            self.image(BytesIO(image), x=self.l_margin, w=wide * scale)
            self._write(caption, size=9)

    def add_datasheet(self, entries: Sequence[Entry]) -> None:
        """On pages of its own; a question is kept with the start of its answer."""
        self.add_page()
        self.section("Human evaluation datasheet (HEDS 3.0)", [summary(entries), f"{SOURCE}."])
        for section, title in SECTIONS.items():
            self.heading(f"{section} {title}")
            for entry in (entry for entry in entries if entry.question.section == section):
                if self.will_page_break(20):
                    self.add_page()
                self._write(f"{entry.question.number} {entry.question.text}", size=9, bold=True)
                for line in answer_lines(entry):
                    self._write(line, size=9)
                self.ln(1.5)

    def as_bytes(self) -> bytes:
        return bytes(self.output())

    def _write(self, text: str, *, size: float = 10, bold: bool = False, height: float = _LINE) -> None:
        self.set_font(self.family, style="B" if bold else "", size=size)
        self.multi_cell(0, height, self.plain(text), new_x=XPos.LMARGIN, new_y=YPos.NEXT, align="L")


@cache
def _font_folder() -> Path | None:
    """Where the machine keeps DejaVu Sans; None where it does not."""
    folders = (Path(folder) for folder in _FONT_FOLDERS)
    names = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
    return next((folder for folder in folders if all((folder / name).is_file() for name in names)), None)


def _add_fonts(page: FPDF) -> str:
    """DejaVu Sans for names in any alphabet; without it Helvetica, whose letters are those of Latin-1."""
    folder = _font_folder()
    if folder is None:
        return "helvetica"
    page.add_font("dejavu", fname=folder / "DejaVuSans.ttf")
    page.add_font("dejavu", style="B", fname=folder / "DejaVuSans-Bold.ttf")
    return "dejavu"


def _png_size(image: bytes) -> tuple[int, int]:
    """Width and height in dots, from the header of the PNG."""
    return int.from_bytes(image[16:20]), int.from_bytes(image[20:24])


def _needed_height(rows: Sequence[Sequence[str]]) -> float:
    """Room for the caption and the whole table where it is short, for its start where it is long."""
    lines = sum(max(cell.count("\n") + 1 for cell in row) for row in rows)
    return min(lines * _LINE * 0.9 + len(rows), _LONGEST) + 2 * _LINE


def _subject(report: Report) -> Iterator[str]:
    subject, found = report["subject"], report["ratings"]
    yield f"Corpus: {subject.get('corpus', '')}. Question: {subject.get('question') or 'not known'}"
    yield f"{found['ratings']} ratings. {report['scale']['in_words']}"
    if "source_file" in subject:
        yield f"Collected elsewhere, uploaded from {subject['source_file']}, SHA-256 {subject['source_hash']}"
    if "snapshot_hash" in subject:
        yield f"Frozen on {subject['frozen_at'][:10]}, SHA-256 {subject['snapshot_hash']}"
    if found["simulated_ratings"]:
        yield f"SIMULATED: a program, not people, made {found['simulated_ratings']} of these ratings."
    yield from (
        f"Not computed: {failure['side']} {failure['measure']}: {failure['reason']}"
        for failure in report["failures"]
    )


def _reference(key: str) -> str:
    work = WORKS[key]
    author, title = (text.replace("{\\'e}", "é").replace("\\&", "&") for text in (work.author, work.title))
    return f"{author.replace(' and ', '; ')} ({work.year}). {title}. {work.place}."
