"""The pages of a PDF: blocks one below the other, typeset with a structure that screen readers can follow."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from meta_eval.files.package import data_file
from meta_eval.publish.figures import Picture
from meta_eval.publish.pdf_text import grid_texts
from meta_eval.report.tables.grid import Grid

TEMPLATE = "pages.typ"
ACCESSIBLE: Final = "ua-1"
"""PDF/UA-1: the compiler refuses a page that breaks a rule of it which a program can check."""

_WIDTH, _HEIGHT = 174.0, 261.0
"""Of an A4 page within its margins, in millimetres."""
_FIGURE_HEIGHT = 0.42 * _HEIGHT
_PIXEL = 0.235
"""Of a figure in millimetres, where it fits: its letters of 12 pixels print as 8 points."""
_SIZES = tuple(re.compile(rf'\s{name}="([\d.]+)(?:px)?"') for name in ("width", "height"))
_RUNNING = 90
_TYPESETTER = Path(__file__).with_name("typesetter.py")

Block = dict[str, Any]


class TypesettingError(Exception):
    """A document that cannot be typeset; it says why."""


class Page:
    """Blocks of a document, one below the other, with page numbers.

    Raises
    ------
    ValueError
        Where the title has no letters: no document is accessible without one.

    Examples
    --------
    >>> page = Page("Report on A")
    >>> page.section("Methods", ["Ten people rated."])
    >>> page.as_bytes()[:5]
    b'%PDF-'
    """

    def __init__(self, title: str) -> None:
        self._title = plain(title).strip()
        if not self._title:
            raise ValueError(f"The title of a PDF is {title!r}, but it must say what the document is.")
        self._blocks: list[Block] = []
        self._summary: list[Block] = []
        self._current = self._blocks

    @contextmanager
    def summary(self) -> Iterator[None]:
        """What is added within stands on the first page alone, written smaller where it would run over."""
        self._current = self._summary
        try:
            yield
        finally:
            self._current = self._blocks

    def title_block(self, lines: Iterable[str]) -> None:
        self._add("title", lines=_plain_all(filter(None, lines)))

    def heading(self, text: str, level: int = 1) -> None:
        """Kept with what follows, and a bookmark; nothing where there is no text."""
        if text := plain(text).strip():
            self._add("heading", text=text, level=level)

    def section(self, title: str, paragraphs: Iterable[str]) -> None:
        self.heading(title)
        self.paragraphs(paragraphs)

    def headline(self, text: str) -> None:
        self._add("headline", text=plain(text))

    def paragraphs(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._add("paragraph", text=plain(text), size=10)

    def note(self, text: str) -> None:
        if text:
            self._add("paragraph", text=plain(text), size=8)

    def bullets(self, lines: Iterable[str]) -> None:
        """Nothing where there are no lines."""
        if items := _plain_all(lines):
            self._add("bullets", items=items)

    def add_grids(self, grids: Iterable[Grid], heading: str = "") -> None:
        """One table below the other, the heading with the first."""
        for number, grid in enumerate(grids):
            self.add_grid(grid, "" if number else heading)

    def add_grid(self, grid: Grid, heading: str = "") -> None:
        """Nothing where there are no lines."""
        if not grid.lines:
            return
        if heading:
            self.heading(heading)
        head, *rows = [[plain(cell, kept="\n") for cell in row] for row in grid_texts(grid)]
        rules = [*(line.rule for line in grid.lines), *(False for _ in grid.foot)]
        title, note = plain(grid.title), plain(grid.note)
        self._add("table", title=title, note=note, head=head, rows=rows, rules=rules)

    def add_pictures(self, pictures: Iterable[Picture], heading: str = "") -> None:
        """Each with its caption on the same page, the heading with the first."""
        for number, picture in enumerate(pictures):
            if heading and not number:
                self.heading(heading)
            wide, high = svg_size(picture.svg)
            scale = min(_PIXEL, _WIDTH / wide, _FIGURE_HEIGHT / high)
            words = {"caption": plain(picture.caption), "alt": plain(picture.alt)}
            self._add("figure", svg=picture.svg, width=wide * scale, **words)

    def question(self, label: str, lines: Iterable[str]) -> None:
        """A question and its answer, kept on one page; the answer alone where the question has no label."""
        self._add("question", label=plain(label).strip(), lines=_plain_all(lines))

    def as_bytes(self) -> bytes:
        """The same blocks give the same bytes on machines that have the same fonts."""
        content = {
            "title": self._title,
            "running": self._title[:_RUNNING],
            "summary": self._summary,
            "blocks": self._blocks,
        }
        return typeset(content)

    def _add(self, kind: str, **what: Any) -> None:
        self._current.append({"kind": kind, **what})


def typeset(content: Block, *, system_fonts: bool = True) -> bytes:
    """Lay the content out by the template, as PDF/UA-1, in a process of its own (`typesetter` says why).

    A letter that no font of the machine has cannot be read aloud; with one, the document is tagged all the
    same but does not claim the standard. Raises TypesettingError.
    """
    given = {
        "template": data_file(TEMPLATE).read_text(encoding="utf-8"),
        "content": json.dumps(content),
        "standard": ACCESSIBLE,
        "system_fonts": system_fonts,
    }
    command = [sys.executable, "-P", str(_TYPESETTER)]
    done = subprocess.run(  # noqa: S603 - a program of ours
        command, input=json.dumps(given).encode(), capture_output=True, check=False
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise TypesettingError(said or f"The program that typesets ended with {done.returncode}.")
    return done.stdout


def plain(text: str, kept: str = "") -> str:
    """The text with a space for each character that cannot be printed, but for those that are `kept`."""
    return "".join(letter if letter.isprintable() or letter in kept else " " for letter in text)


def _plain_all(texts: Iterable[str]) -> list[str]:
    return [plain(text) for text in texts]


def svg_size(svg: str) -> tuple[float, float]:
    """Width and height in pixels, from the first tag of the figure."""
    tag = svg[: svg.index(">")]
    wide, high = (float(found[1]) if (found := size.search(tag)) else 0.0 for size in _SIZES)
    if not wide or not high:
        raise ValueError(f"A figure must say its width and height in its first tag, which is {tag}>.")
    return wide, high
