"""A walk over pages of the site: axe looks at each, wide and narrow, light, dark and in forced colours."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from django.test import Client
from django.urls import get_resolver

from tests.browser.conftest import resize, wait_until_loaded

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 320, "height": 640}
LIGHT = {"color_scheme": "light", "forced_colors": "none"}
DARK = {"color_scheme": "dark", "forced_colors": "none"}
FORCED = {"color_scheme": "light", "forced_colors": "active"}
OF_LOOKS = ("color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size")
"""Rules whose verdict the width or the colours may change; all others say the same of each look."""
LOOKS = tuple((size, scheme) for size in (WIDE, NARROW) for scheme in (LIGHT, DARK, FORCED))
HARDEST = (NARROW, FORCED)

FIND = """rules => axe.run(document, {
  resultTypes: ["violations"], ...(rules && {runOnly: {type: "rule", values: rules}}),
}).then(found => found.violations.map(one => `${one.id} ${one.nodes.map(node => node.target)}`))"""

Looks = Sequence[tuple[dict[str, int], dict[str, str]]]


@dataclass
class Walk:
    """Pages that were looked at, and what is wrong with them: "page, width, scheme: rule and element"."""

    page: Any
    seen: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def look_in_turn(self, name: str) -> None:
        """Judge the page by all rules in one look: pages have their parts in common, and share the looks."""
        self.look(name, (LOOKS[len(self.seen) % len(LOOKS)],))

    def look_closely(self, name: str) -> None:
        """In turn, and as a contrast theme shows the page on the narrowest screen: what raters see."""
        turn = LOOKS[len(self.seen) % len(LOOKS)]
        self.look(name, (turn,) if turn == HARDEST else (turn, HARDEST))

    def look(self, name: str, looks: Looks = LOOKS) -> None:
        """Judge the page as it stands, by all rules in the first look."""
        wait_until_loaded(self.page)
        self.page.evaluate(AXE_SCRIPT)
        self.seen.append(name)
        for number, (size, scheme) in enumerate(looks):
            resize(self.page, size)
            self._judge(name, size, scheme, OF_LOOKS if number else None)
        self.page.emulate_media(**LIGHT)
        resize(self.page, WIDE)

    def _judge(self, name: str, size: dict[str, int], scheme: dict[str, str], rules: Any) -> None:
        self.page.emulate_media(**scheme)
        found = self.page.evaluate(FIND, rules)
        if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append("scrolls sideways")
        where = f"{name}, {size['width']}, {scheme['color_scheme']}, forced {scheme['forced_colors']}"
        self.faults += [f"{where}: {one}" for one in found]


def routes(outside: tuple[str, ...], patterns: Any = None, prefix: str = "") -> Iterator[str]:
    """Every route of the site but those that begin so."""
    for one in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(one.pattern)
        if route.startswith(outside) or re.search(r"\.\w+\$?$", route):  # a file
            continue
        yield from routes(outside, one.url_patterns, route) if hasattr(one, "url_patterns") else [route]


def filled(route: str, values: Callable[[str], list[dict[str, Any]]]) -> list[str]:
    """The addresses of a route, one for each set of values for its parts."""
    addresses = []
    for one in values(route):
        path = re.sub(r"<\w+:(\w+)>", lambda part, one=one: str(one[part[1]]), route)
        addresses.append(f"/{path}")
    return list(dict.fromkeys(addresses))


def is_page(client: Client, address: str) -> bool:
    """Whether a GET gives a whole page, not a download, a part of a page or a way elsewhere."""
    response = client.get(address)
    if response.status_code != 200 or not response.headers["Content-Type"].startswith("text/html"):
        return False
    return b"<!doctype html>" in response.content[:100].lower()
