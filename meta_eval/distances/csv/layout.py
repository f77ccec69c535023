"""Names of the files, their columns and their folders."""

import re
from collections.abc import Mapping
from urllib.parse import unquote

TO_DOCUMENT = "sum_doc_distances.csv"
TO_EACH_OTHER = "sum_sum_doc_distances.csv"
TO_GOLD = "sum_user_distances.csv"
SIGNATURE = "signature.json"

_ONE = ("doc_id", "origin_model", "uid", "score")
_TWO = ("doc_id", "origin_model", "uid1", "uid2", "score")
COLUMNS = {TO_DOCUMENT: _ONE, TO_EACH_OTHER: _TWO, TO_GOLD: _ONE}

Readers = Mapping[str, tuple[str, ...]]
"""The readers of each document, by its id."""

_UNSAFE = re.compile(r'[%/\\:*?"<>|\x00-\x1f]|^\.+$')


def folder_of(system: str) -> str:
    """The system's name, with what cannot stand in a folder's name written as %XX."""
    return _UNSAFE.sub(lambda match: "".join(f"%{ord(c):02X}" for c in match[0]), system)


def system_of(folder: str) -> str:
    return unquote(folder)
