"""The version of this library: what signatures and reports name, below everything that names it."""

__version__ = "0.1.0"
