"""A tagged PDF as a screen reader meets it: its elements in order, and what no element holds."""

import io
from collections import Counter
from dataclasses import dataclass, field

from pypdf import PdfReader
from pypdf.generic import ContentStream, DictionaryObject

PAINTS = {b"Tj", b"TJ", b"'", b'"', b"S", b"s", b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"Do", b"sh"}


@dataclass
class Element:
    """One element: its kind as H1 or TD, its own attributes, and the elements within it."""

    kind: str
    alt: str | None
    title: str | None
    attributes: dict
    children: list = field(default_factory=list)

    def find(self, kind):
        """Every element of a kind at or below this one, in order."""
        return [
            *([self] if self.kind == kind else []),
            *(one for of in self.children for one in of.find(kind)),
        ]


def read(content):
    return PdfReader(io.BytesIO(content))


def text_of(content, *pages):
    """The words of the pages, counted from 1 (default: all), with one space between them."""
    wanted = [page for number, page in enumerate(read(content).pages, 1) if not pages or number in pages]
    return " ".join(" ".join(page.extract_text() for page in wanted).split())


def structure(content):
    """The document's element with all below it."""
    root = read(content).trailer["/Root"]["/StructTreeRoot"]
    return _element(root["/K"].get_object())


def _element(found):
    found = found[0].get_object() if isinstance(found, list) else found
    attributes = {}
    given = found.get("/A", [])
    for one in given if isinstance(given, list) else [given]:
        attributes |= one.get_object()
    element = Element(str(found["/S"])[1:], found.get("/Alt"), found.get("/T"), attributes)
    element.children = [
        _element(kid) for kid in _kids(found) if isinstance(kid, DictionaryObject) and "/S" in kid
    ]
    return element


def _kids(found):
    kids = found.get("/K", [])
    kids = kids.get_object()
    return [kid.get_object() for kid in (kids if isinstance(kids, list) else [kids])]


def owned(content):
    """How often an element owns each piece of marked content: page (from 0) and number of the piece."""
    reader = read(content)
    pages = {page.indirect_reference.idnum: number for number, page in enumerate(reader.pages)}
    return Counter(_owned(reader.trailer["/Root"]["/StructTreeRoot"], pages))


def _owned(found, pages, page=None):
    page = pages[found.raw_get("/Pg").idnum] if "/Pg" in found else page
    for kid in _kids(found) if "/K" in found else ():
        if isinstance(kid, int):
            yield page, int(kid)
        elif "/MCID" in kid:
            yield (pages[kid.raw_get("/Pg").idnum] if "/Pg" in kid else page), int(kid["/MCID"])
        else:
            yield from _owned(kid, pages, page)


def marked(content):
    """The pieces of marked content of the pages, and what is painted outside all marks (page, operator)."""
    reader, pieces, bare = read(content), Counter(), []
    for number, page in enumerate(reader.pages):
        open_marks = 0
        for operands, operator in ContentStream(page.get_contents(), reader).operations:
            if operator in {b"BDC", b"BMC"}:
                open_marks += 1
                if operator == b"BDC" and "/MCID" in operands[1]:
                    pieces[number, int(operands[1]["/MCID"])] += 1
            elif operator == b"EMC":
                open_marks -= 1
            elif operator in PAINTS and not open_marks:
                bare.append((number, operator))
    return pieces, bare


def bookmarks(content):
    """Titles of the outline, level by level: one within another stands in a list behind it."""

    def titles(level):
        return [titles(one) if isinstance(one, list) else one.title for one in level]

    return titles(read(content).outline)


def widths_of_lines(content):
    """How many lines the first page strokes, by their width in points."""
    reader, widths, width = read(content), Counter(), 0.0
    for operands, operator in ContentStream(reader.pages[0].get_contents(), reader).operations:
        if operator == b"w":
            width = round(float(operands[0]), 2)
        elif operator == b"S":
            widths[width] += 1
    return widths
