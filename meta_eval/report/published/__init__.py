"""Numbers that others published, and ours beside them where systems and measures match."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "comparing": ["check_same_systems", "compare_published", "name_tables", "published_options"],
        "reading": ["KINDS", "PublishedTable", "PublishedValue", "read_published"],
    },
)
