"""Every table of a report, laid out once as a grid of cells; pages, PDF, LaTeX and figures draw it."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "grid": ["Cell", "Column", "Grid", "Line"],
    },
)
