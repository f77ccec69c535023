"""Studies of other papers: iCOPERNICUS' prompt paradoxes, and rated summaries without reader profiles."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submodules=["icopernicus", "indirect", "judging", "perse", "thesis", "users"],
)
