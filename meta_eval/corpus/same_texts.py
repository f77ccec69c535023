"""Systems that wrote the same texts: they are one system under several names."""

from collections.abc import Mapping
from typing import Any

from meta_eval.corpus.documents import GOLD, Corpus

Written = Mapping[Any, str]
"""Texts by what they were written for: a document and a reader."""


def texts_by_author(corpus: Corpus) -> dict[str, dict[tuple[str, str], str]]:
    """The texts of each system, and the readers' own under GOLD, by document and reader."""
    found: dict[str, dict[tuple[str, str], str]] = {name: {} for name in (GOLD, *corpus.systems)}
    for document in corpus.documents:
        for author, texts in ((GOLD, document.references), *document.summaries.items()):
            found[author].update(((document.id, reader), text) for reader, text in texts.items())
    return found


def group_authors(texts: Mapping[str, Written]) -> list[tuple[str, ...]]:
    """Those who wrote the same, two or more to a group, by name; nobody is in two groups.

    Texts are the same that differ in white space alone. Who wrote less belongs to a group, too, with at least
    half as many texts, all of them the same.

    Parameters
    ----------
    texts : mapping of str to mapping
        By author, what each wrote by what it was written for.

    Returns
    -------
    list of tuple of str

    Examples
    --------
    >>> group_authors({"A": {1: "rain", 2: "sun"}, "B": {1: "rain ", 2: "sun"}, "C": {1: "rain", 2: "fog"}})
    [('A', 'B')]
    """
    groups: list[list[str]] = []
    for author in sorted(texts, key=lambda name: (-len(texts[name]), name)):
        own = texts[author]
        same = (group for group in groups if own and _agree(own, texts[group[0]]))
        if group := next(same, None):
            group.append(author)
        else:
            groups.append([author])
    return sorted(tuple(sorted(group)) for group in groups if len(group) > 1)


def _agree(own: Written, larger: Written) -> bool:
    """Whether these texts are the same as those of somebody who wrote as many or more."""
    if 2 * len(own) < len(larger):
        return False
    return all(at in larger and _is_same(text, larger[at]) for at, text in own.items())


def _is_same(one: str, other: str) -> bool:
    return one == other or one.split() == other.split()
