"""The report on a study as blocks that a template draws: the same as in HTML and PDF, in the same order."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from meta_eval.publish.users_report import Findings, lay_out
from meta_eval.report.tables.grid import Grid

LONG = 40
"""Letters of a cell from which on its table is one of words, whose cells break."""


@dataclass(frozen=True)
class Block:
    """One piece: `value` is a text, a list of texts, a grid; if folded, a heading and a list of texts."""

    kind: Literal["heading", "paragraph", "note", "bullets", "folded", "grid", "words"]
    value: Any


@dataclass
class StudySection:
    """What stands below one heading; `anchor` is its place in the address."""

    title: str
    anchor: str
    blocks: list[Block] = field(default_factory=list)


class PageBlocks:
    """Collects the blocks of a report, as `Blocks` of the library wants them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.sections: list[StudySection] = []

    def title_block(self, lines: Iterable[str]) -> None:
        self.lines = [line for line in lines if line]

    def heading(self, text: str, level: int = 1) -> None:
        """A section of its own; one of the second level stands within a section."""
        if level > 1:
            self._add("heading", text)
        elif text:
            self.sections.append(StudySection(text, f"part-{len(self.sections) + 1}"))

    def paragraphs(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._add("paragraph", text)

    def note(self, text: str) -> None:
        if text:
            self._add("note", text)

    def bullets(self, lines: Iterable[str]) -> None:
        """Below a heading of the second level they are many of a kind: a page folds them under it."""
        items, blocks = list(lines), self.sections[-1].blocks
        if items and blocks and blocks[-1].kind == "heading":
            self._add("folded", (blocks.pop().value, items))
        elif items:
            self._add("bullets", items)

    def add_grid(self, grid: Grid, heading: str = "") -> None:
        """Nothing where there are no lines."""
        if grid.lines:
            self.heading(heading)
            self._add("words" if _has_words(grid) else "grid", grid)

    def _add(self, kind: Any, value: Any) -> None:
        self.sections[-1].blocks.append(Block(kind, value))


def page_of(findings: Findings) -> PageBlocks:
    """The whole report."""
    page = PageBlocks()
    lay_out(page, findings)
    return page


def _has_words(grid: Grid) -> bool:
    return any(isinstance(cell, str) and len(cell) > LONG for line in grid.lines for cell in line.cells)
