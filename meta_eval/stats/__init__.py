"""Coefficients over systems, with what they rest on."""
