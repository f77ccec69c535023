"""Whether a coefficient, or a difference between two, may be chance."""
