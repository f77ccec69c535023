"""Names in one form, so that two that look alike are one name: of documents, readers, systems, raters."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_DRAWN = frozenset(map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)))
"""Format characters of Unicode that can be seen."""
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that cannot be seen, though Unicode does not call them format characters."""
_REMEMBERED = 1 << 14


def plain_name(name: str) -> str:
    r"""The name in Unicode's form NFC, without characters that cannot be seen, and with plain blanks.

    Both sides of every comparison of names take this form: a corpus, and what is said of it.

    Parameters
    ----------
    name : str

    Returns
    -------
    str

    Examples
    --------
    >>> plain_name("Jose\u0301") == "Jos\u00e9", plain_name("p\u200b") == "p"
    (True, True)
    """
    return name if name.isascii() else _plain(name)


@lru_cache(maxsize=_REMEMBERED)
def _plain(name: str) -> str:
    """The same of a name beyond ASCII; names come again and again."""
    seen = "".join(" " if unicodedata.category(one) == "Zs" else one for one in name if not is_unseen(one))
    return unicodedata.normalize("NFC", seen)


def is_unseen(character: str) -> bool:
    """Whether the character takes no room and leaves no mark: nobody sees that it is there."""
    if character.isascii():
        return False
    if _UNSEEN.fullmatch(character):
        return True
    return unicodedata.category(character) == "Cf" and character not in _DRAWN


def spelled_otherwise(name: str) -> str:
    r"""How a name differs from its plain form, naming code points; empty where it does not.

    Examples
    --------
    >>> spelled_otherwise("p\u200b"), spelled_otherwise("p")
    ('written with U+200B (zero width space)', '')
    """
    plain = plain_name(name)
    if plain == name:
        return ""
    odd = [one for one in dict.fromkeys(name) if one not in plain and not one.isascii()]
    return f"written with {code_points(odd)}" if odd else "written in another form of Unicode"


def code_points(characters: Iterable[str]) -> str:
    r"""The characters by number and name.

    Examples
    --------
    >>> code_points("\u200b\u00ad")
    'U+200B (zero width space), U+00AD (soft hyphen)'
    """
    return ", ".join(
        f"U+{ord(one):04X} ({unicodedata.name(one, 'without a name').lower()})" for one in characters
    )
