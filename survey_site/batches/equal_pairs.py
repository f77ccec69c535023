"""Which pairs of a page show the same two texts: one rule for launch checks, previews and raters' pages."""

from collections.abc import Hashable, Iterable, Sequence

from survey_site.batches.models import Item


def equal_key(texts: Iterable[str]) -> frozenset[str]:
    """Equal for two pairs that show the same two texts, whichever stands on the left."""
    return frozenset(texts)


def first_of_equals(items: Sequence[Item], texts: Sequence[tuple[str, str]]) -> list[int]:
    """For each item the index of the first that shows the same two texts: its own where none came before.

    A control is like no other: it is there to be rated for itself.
    """
    first: dict[Hashable, int] = {}
    keys = [index if item.control else equal_key(texts[index]) for index, item in enumerate(items)]
    return [first.setdefault(key, index) for index, key in enumerate(keys)]
