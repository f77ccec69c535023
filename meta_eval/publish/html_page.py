"""A report as one HTML file: the same blocks as `pdf_page.Page`, nothing loaded from anywhere."""

from collections.abc import Iterable
from html import escape

from meta_eval.publish.pdf_text import grid_texts
from meta_eval.report.tables.grid import Grid

_SHORT = 30
"""Letters of a cell's line that is never broken."""
_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
p, li { max-width: 48rem; overflow-wrap: anywhere; }
.note { font-size: .875rem; color: GrayText; color: color-mix(in srgb, CanvasText 72%, Canvas); }
.headline { font-size: 1.1rem; font-weight: 600; }
.wide { overflow-x: auto; margin: .75rem 0 1.25rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.short { white-space: pre; }
caption { text-align: start; font-weight: 600; padding-bottom: .25rem; }
th, td { text-align: start; vertical-align: top; padding: .35rem .9rem .35rem 0;
  border-bottom: 1px solid color-mix(in srgb, CanvasText 20%, Canvas);}
thead th { border-bottom: 2px solid color-mix(in srgb, CanvasText 50%, Canvas); }
tbody th { font-weight: 500; }
td:last-child, th:last-child { padding-right: 0; }
""".strip()


class HtmlPage:
    """Blocks of a document, one below the other.

    Examples
    --------
    >>> page = HtmlPage("Report on A & B")
    >>> page.paragraphs(["p < 0.05"])
    >>> "<p>p &lt; 0.05</p>" in page.as_bytes().decode()
    True
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._blocks: list[str] = []

    def title_block(self, lines: Iterable[str]) -> None:
        self._blocks.append(f"<h1>{escape(self._title)}</h1>")
        self._blocks += (f'<p class="note">{escape(line)}</p>' for line in lines if line)

    def heading(self, text: str, level: int = 1) -> None:
        """The first level stands below the title."""
        if text:
            self._blocks.append(f"<h{level + 1}>{escape(text)}</h{level + 1}>")

    def headline(self, text: str) -> None:
        self._blocks.append(f'<p class="headline">{escape(text)}</p>')

    def paragraphs(self, texts: Iterable[str]) -> None:
        self._blocks += (f"<p>{escape(text)}</p>" for text in texts)

    def note(self, text: str) -> None:
        if text:
            self._blocks.append(f'<p class="note">{escape(text)}</p>')

    def bullets(self, lines: Iterable[str]) -> None:
        """Nothing where there are no lines."""
        if items := "".join(f"<li>{escape(line)}</li>" for line in lines):
            self._blocks.append(f"<ul>{items}</ul>")

    def add_grid(self, grid: Grid, heading: str = "") -> None:
        """A table that scrolls by itself where it is too wide; nothing where there are no lines."""
        if not grid.lines:
            return
        self.heading(heading)
        head, *rows = grid_texts(grid)
        heads, longest = (
            len(grid.heads),
            max(len(line) for row in rows for cell in row for line in cell.split("\n")),
        )
        kind = ' class="short"' if longest <= _SHORT else ""
        titles = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
        body = "".join(f"<tr>{_row(row, heads)}</tr>" for row in rows)
        table = (
            f"<table{kind}><caption>{escape(grid.title)}</caption>"
            f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
        )
        label = escape(grid.title or heading, quote=True)
        self._blocks.append(
            f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{table}</div>'
        )
        self.note(grid.note)

    def as_bytes(self) -> bytes:
        """The same blocks give the same bytes."""
        blocks = "\n".join(self._blocks)
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self._title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n"
            f"<body>\n<main>\n{blocks}\n</main>\n</body>\n</html>\n"
        ).encode()


def _row(row: list[str], heads: int) -> str:
    first = "".join(f'<th scope="row">{escape(cell)}</th>' for cell in row[:heads])
    return first + "".join(f"<td>{escape(cell)}</td>" for cell in row[heads:])
