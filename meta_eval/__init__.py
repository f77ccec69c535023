"""Meta-evaluation of personalised summarisation metrics; usable without the web site."""

__version__ = "0.1.0"
