"""The tables of the papers, as the papers lay them out, filled with the numbers of a report."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submodules=["perseval", "perseval_studies", "thesis"],
)
