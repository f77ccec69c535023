"""Sealed bundles of reports: what they hold, who makes those of large reports, how they are taken away."""
