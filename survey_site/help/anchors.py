"""What parts of a documentation page are called in addresses, as GitHub calls them."""

import re

_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


def slug(heading: str) -> str:
    """The anchor of a heading: "p of raters" gives "p-of-raters"."""
    return _NOT_IN_ANCHORS.sub("", heading.strip().lower()).replace(" ", "-")


class Anchors:
    """The anchors of one page, each once: a second heading of the same words gets "-1", as on GitHub."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def take(self, heading: str) -> str:
        name = slug(heading)
        count = self._taken.get(name, 0)
        self._taken[name] = count + 1
        return f"{name}-{count}" if count else name
