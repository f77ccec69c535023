"""What the documentation holds, in order: `docs/index.md`, the front page of the built documentation as well.

A part of the list is a heading of the second level and the items below it:
`- [Title](file.md): what it is about`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from survey_site.settings.table import BASE_DIR

INDEX = "index"

_PART = re.compile(r"## (?P<title>.+)")
_ENTRY = re.compile(r"- \[(?P<title>[^]]+)\]\((?P<name>[\w-]+)\.md\): (?P<about>.+)")


@dataclass(frozen=True)
class Entry:
    """A page as the list names it: its file without the ending, a title, and what it is about."""

    name: str
    title: str
    about: str


@dataclass(frozen=True)
class HelpPart:
    """Pages for one purpose, such as looking something up."""

    title: str
    entries: Sequence[Entry]


def folder() -> Path:
    return BASE_DIR / "docs"


@cache
def parts() -> Sequence[HelpPart]:
    """The parts of the list, in its order; read once a process."""
    found: list[tuple[str, list[Entry]]] = []
    for line in (folder() / f"{INDEX}.md").read_text(encoding="utf-8").splitlines():
        if part := _PART.fullmatch(line):
            found.append((part["title"], []))
        elif entry := _ENTRY.fullmatch(line):
            found[-1][1].append(Entry(entry["name"], entry["title"], entry["about"]))
    return [HelpPart(title, entries) for title, entries in found]


@cache
def pages() -> Mapping[str, Entry]:
    """Every page by its name, in the order of the list."""
    return {entry.name: entry for part in parts() for entry in part.entries}
