"""The pages of the PDF: blocks one below the other, each kept together where it fits."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from fpdf import FPDF
from fpdf.enums import CellBordersLayout, TableBordersLayout, TextEmphasis, XPos, YPos
from fpdf.fonts import FontFace

from meta_eval.publish.heds import SECTIONS, SOURCE, Entry
from meta_eval.publish.heds.writing import answer_lines, summary
from meta_eval.publish.pdf_text import grid_texts
from meta_eval.report.tables.grid import Grid

_LINE = 5.0
_PADDING, _NARROWEST = 2.6, 9.0
_SIZES = (8.5, 8.0, 7.5, 7.0, 6.5, 6.0, 5.5)
_LONGEST = 100.0
"""Tables up to this height, in millimetres, are kept on one page."""
_DOT = 0.235 / 3
"""Of a figure in millimetres, where it fits: its letters of 12 pixels, three dots each, print as 8 points."""
_FIXED_TIME = datetime(2000, 1, 1, tzinfo=UTC)
_FONT_FOLDERS = ("/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/TTF", "/usr/share/fonts/dejavu")
_BORDERS = {False: CellBordersLayout.INHERIT, True: CellBordersLayout.TOP}
"""Of the cells of a line, without and with a rule above it."""
_PLAIN = {
    "−": "-",
    "–": "-",
    "—": "-",
    "“": '"',
    "”": '"',
    "’": "'",
    "τ": "tau",
    "ρ": "rho",
    "…": "...",
    "†": "+",
    "‡": "++",
}
"""What stands for letters that the plain font lacks."""


class Page(FPDF):
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
        self.paragraphs(paragraphs)

    def headline(self, text: str) -> None:
        self._write(text, size=12, bold=True, height=6)
        self.ln(1)

    def paragraphs(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._write(text)
            self.ln(1)

    def bullets(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._write(f"- {line}", size=9)

    def add_grids(self, grids: Iterable[Grid], heading: str = "") -> None:
        """One table below the other, the heading with the first."""
        for number, grid in enumerate(grids):
            self.add_grid(grid, "" if number else heading)

    def add_grid(self, grid: Grid, heading: str = "") -> None:
        """Nothing where there are no lines."""
        if not grid.lines:
            return
        rows = grid_texts(grid)
        room = _needed_height(rows) + (15 if heading else 0) + (2 * _LINE if grid.note else 0)
        if self.will_page_break(room):
            self.add_page()
        if heading:
            self.heading(heading)
        self._write(grid.title, size=9, bold=True)
        self.note(grid.note)
        widths = self._fit(rows)
        bold = FontFace(emphasis=TextEmphasis.B)
        with self._ruled(widths, bold) as table:
            for cells, rule in zip(rows, _rules(grid), strict=True):
                line = table.row()
                for cell in cells:
                    line.cell("\n".join(map(self.plain, cell.split("\n"))), border=_BORDERS[rule])
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

    def add_figures(self, figures: Mapping[str, bytes], heading: str = "") -> None:
        """Each with its caption on the same page, the heading with the first."""
        for number, (caption, image) in enumerate(figures.items()):
            wide, high = _png_size(image)
            scale = min(_DOT, self.epw / wide, self.eph * 0.42 / high)
            room = high * scale + 5 * _LINE
            begins = bool(heading) and not number
            if self.will_page_break(room + 15 * begins):
                self.add_page()
            if begins:
                self.heading(heading)
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
                self._write(f"{entry.question.number} {entry.question.label}", size=9, bold=True)
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


def _rules(grid: Grid) -> list[bool]:
    """Whether a rule stands above each line but that below the header, which every table has."""
    return [False, *(line.rule for line in grid.lines), *(False for _ in grid.foot)]


def _png_size(image: bytes) -> tuple[int, int]:
    """Width and height in dots, from the header of the PNG."""
    return int.from_bytes(image[16:20]), int.from_bytes(image[20:24])


def _needed_height(rows: Sequence[Sequence[str]]) -> float:
    """Room for the caption and the whole table where it is short, for its start where it is long."""
    lines = sum(max(cell.count("\n") + 1 for cell in row) for row in rows)
    return min(lines * _LINE * 0.9 + len(rows), _LONGEST) + 2 * _LINE
