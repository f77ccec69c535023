"""Numbers that others published, and ours beside them where systems and measures match."""

from meta_eval.report.published.comparing import (
    check_same_systems,
    compare_published,
    name_tables,
    published_options,
)
from meta_eval.report.published.reading import KINDS, PublishedTable, PublishedValue, read_published

__all__ = [
    "KINDS",
    "PublishedTable",
    "PublishedValue",
    "check_same_systems",
    "compare_published",
    "name_tables",
    "published_options",
    "read_published",
]
