"""Coefficients over systems, with what they rest on."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submodules=["coefficients", "rankings", "raters", "reader_pairs", "resampling", "significance", "table"],
)
