"""The words of a text, case, punctuation and articles aside: when two names or answers are the same."""

import string

_ARTICLES = frozenset(("a", "an", "the"))
_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation + "“”‘’«»…–—", " "))


def fold_words(text: str) -> list[str]:
    """The words of a text, case and punctuation aside.

    Examples
    --------
    >>> fold_words("The Blue River!")
    ['the', 'blue', 'river']
    """
    return text.casefold().translate(_PUNCTUATION).split()


def content_words(text: str) -> list[str]:
    """The words of a text, case, punctuation and articles aside.

    Examples
    --------
    >>> content_words("The Blue River!")
    ['blue', 'river']
    """
    return [word for word in fold_words(text) if word not in _ARTICLES]


def title_words(text: str) -> list[str]:
    """Those of a title, which may be an article alone.

    Examples
    --------
    >>> title_words("The Blue River!"), title_words("A")
    (['blue', 'river'], ['a'])
    """
    return content_words(text) or fold_words(text)
