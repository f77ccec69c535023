"""The documentation's Markdown files as pages: rendered once a process, with nothing inline.

Headings get the anchors that GitHub gives them, and each row of a table its own, "heading--first-cell",
so that a link can lead to it. Links between the files become links between the pages.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

from django.urls import reverse
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from survey_site.help.anchors import Anchors, slug
from survey_site.help.contents import folder, pages
from survey_site.help.links import address_of

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_MARKDOWN.use(dollarmath_plugin, allow_digits=False)
_RIGHT = "text-align:right"
_FITS_A_PHONE = 2
"""As many columns are read side by side on a phone."""


@dataclass(frozen=True)
class HelpPage:
    """A page: its title, what stands below it as HTML, its main parts by anchor, and every anchor."""

    name: str
    title: str
    html: str
    parts: Sequence[tuple[str, str]]
    anchors: frozenset[str]


@cache
def read_page(name: str) -> HelpPage:
    """One page of the documentation; KeyError for one that there is not."""
    if name not in pages():
        raise KeyError(name)
    tokens = _MARKDOWN.parse((folder() / f"{name}.md").read_text(encoding="utf-8"))
    title, body = tokens[1].content, tokens[3:]
    parts = list(_name_headings(body))
    rows = list(_name_rows(body))
    _name_cells(body)
    _lead_links(body)
    _without_inline_styles(body)
    return HelpPage(
        name,
        title,
        _MARKDOWN.renderer.render(body, _MARKDOWN.options, {}),
        [(anchor, words) for level, anchor, words in parts if level == "h2"],
        frozenset([*(anchor for _, anchor, _ in parts), *rows]),
    )


def _name_headings(tokens: Sequence[Token]) -> Iterator[tuple[str, str, str]]:
    """Give each heading its anchor; yields level, anchor and words."""
    anchors = Anchors()
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            words = _words(inline)
            anchor = anchors.take(words)
            token.attrSet("id", anchor)
            yield token.tag, anchor, words


def _name_rows(tokens: Sequence[Token]) -> Iterator[str]:
    """Give each row of a table's body its anchor and each table its scroller; yields the anchors."""
    heading, words, seen, tables = "", "", Anchors(), Counter[str]()
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            heading, words = str(token.attrGet("id")), _words(tokens[number + 1])
        elif token.type == "table_open":
            tables[heading] += 1
            further = f"{words}, table {tables[heading]}" if tables[heading] > 1 else ""
            token.meta.update(label=heading, further=further)
        elif token.type == "tr_open" and tokens[number + 1].type == "td_open":
            anchor = seen.take(f"{heading}--{slug(_words(tokens[number + 2]))}")
            token.attrSet("id", anchor)
            yield anchor


def _name_cells(tokens: Sequence[Token]) -> None:
    """Give each cell of a wide table its column's head: a phone shows it in a block, with no head above."""
    table, column, heads = tokens[0], 0, list[str]()
    for token, inline in pairwise(tokens):
        if token.type == "table_open":
            table, heads = token, []
        elif token.type == "tr_open":
            column = 0
        elif token.type == "th_open":
            heads.append(_words(inline))
            table.meta["stacked"] = len(heads) > _FITS_A_PHONE
        elif token.type == "td_open":
            if table.meta["stacked"] and not inline.content:
                token.attrJoin("class", "table__none")
            elif table.meta["stacked"] and column and heads[column]:
                token.attrSet("data-head", heads[column])
            column += 1


def _words(inline: Token) -> str:
    """What an inline part reads as, without its marks."""
    return "".join(child.content for child in inline.children or [])


def _lead_links(tokens: Sequence[Token]) -> None:
    """Lead links and pictures to where the site has them; what lies outside the documentation stays words."""
    for inline in (token for token in tokens if token.type == "inline"):
        outside = False
        for child in inline.children or []:
            if child.type == "link_open":
                address = _address(str(child.attrGet("href")))
                outside = child.hidden = address is None
                child.attrSet("href", address or "")
            elif child.type == "link_close":
                child.hidden, outside = outside, False
            elif child.type == "image":
                name = Path(str(child.attrGet("src"))).name
                child.attrSet("src", reverse("help:image", args=[name]))


def _address(href: str) -> str | None:
    """Where a link of a file leads on the site; None for a file that is no page."""
    if href.startswith(("#", "https://", "http://")):
        return href
    target, mark, part = href.partition("#")
    name = target.removesuffix(".md")
    return address_of(f"{name}{mark}{part}") if name in pages() else None


def _without_inline_styles(tokens: Sequence[Token]) -> None:
    """Columns of numbers as a class; the policy of the pages refuses styles in elements."""
    for token in tokens:
        if token.type in {"th_open", "td_open"}:
            style = token.attrs.pop("style", None)
            if style == _RIGHT:
                token.attrJoin("class", "num")
        if token.type == "th_open":
            token.attrSet("scope", "col")


def _open_table(tokens: Sequence[Token], number: int, *_: object) -> str:
    """A table in a scroller that is called by its heading, and a further one by its number too."""
    label, further = tokens[number].meta["label"], tokens[number].meta["further"]
    named = f' aria-labelledby="{label}"' if label else ' aria-label="Table"'
    if further:
        named = f' aria-label="{escape(further)}"'
    kind = "table table--dense table--stack" if tokens[number].meta["stacked"] else "table table--dense"
    return f'<div class="table-scroll" tabindex="0" role="region"{named}><table class="{kind}">\n'


def _example(tokens: Sequence[Token], number: int, *_: object) -> str:
    """A command or program as it is written; on a narrow screen it scrolls, by keyboard too."""
    text = escape(tokens[number].content)
    return f'<pre tabindex="0"><code>{text}</code></pre>\n'


def _formula(tokens: Sequence[Token], number: int, *_: object) -> str:
    """A formula as MathML, which browsers set by themselves: no script and no font from elsewhere."""
    return str(convert(tokens[number].content))


def _displayed_formula(tokens: Sequence[Token], number: int, *_: object) -> str:
    """One on lines of its own; on a narrow screen it scrolls, by keyboard too."""
    formula = convert(tokens[number].content, display="block")
    return f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{formula}</div>\n'


_MARKDOWN.renderer.rules["math_inline"] = _formula  # type: ignore[attr-defined]
_MARKDOWN.renderer.rules["math_block"] = _displayed_formula  # type: ignore[attr-defined]
_MARKDOWN.renderer.rules["table_open"] = _open_table  # type: ignore[attr-defined]
_MARKDOWN.renderer.rules["fence"] = _example  # type: ignore[attr-defined]
_MARKDOWN.renderer.rules["table_close"] = lambda *_: "</table></div>\n"  # type: ignore[attr-defined]
