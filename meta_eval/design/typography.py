"""Texts in one typography, so that how they are typed tells nobody who wrote them: for eyes, not measures."""

import re

_MARKS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        "\u2026": "...",
    }
)
"""Curly and low quotes, hyphens, dashes and the ellipsis, as a typewriter has them."""

_CLOSING = r".,;:!?%)\]}\u060c\u061b\u061f\u06d4\u0964\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f"
_SPACES = (
    (re.compile(r"\s+"), " "),
    (re.compile(rf" (?=[{_CLOSING}][{_CLOSING} ]*(?:[\s\"']|$))"), ""),  # but not before .5 or .NET
    (re.compile(r"(?<=[(\[{]) "), ""),
    (re.compile(r"(?<=[$\u00a3\u20ac]) (?=\d)"), ""),
    (re.compile(r"(?<=[^\W\d_]) (?=(?:n't|'(?:s|re|ve|ll|d|m))\b(?!'))", re.IGNORECASE), ""),
    (re.compile(r"(?<=[,;!?])(?=[^\W\d_])"), " "),
    (re.compile(r"(?<=\b[^\W\d_]\.) (?=[^\W\d_]\.)"), ""),  # the initials of a name
)


def in_one_typography(text: str) -> str:
    """The text as raters are shown it where all texts of a page are to be typed alike.

    White space is one space, none before a mark that closes and one after a comma; quotes and dashes are
    those of a typewriter; the first letter is a capital where it has one. Letters and digits stay, in their
    order, and so do other marks. It is for eyes alone: no measure reads what it makes.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> in_one_typography("o . j . simpson \\u2018 launched \\u2019 a page , twice")
    "O.j. simpson ' launched ' a page, twice"
    >>> in_one_typography("About .5 percent")
    'About .5 percent'
    """
    shown = text.translate(_MARKS).replace("''", '"').strip()
    before = None
    while shown != before:  # a space that goes may leave another one where it has to go
        before = shown
        for pattern, instead in _SPACES:
            shown = pattern.sub(instead, shown)
    return _begin_with_a_capital(shown)


def _begin_with_a_capital(text: str) -> str:
    """Only where the capital is one letter with this small one alone, so that no two letters become one."""
    at = next((number for number, letter in enumerate(text) if letter.isalnum()), len(text))
    small = text[at : at + 1]
    capital = small.upper()
    return text[:at] + capital + text[at + 1 :] if capital.lower() == small else text
