"""EGISES, a system's insensitivity to its readers: 1 - DEGRESS (PerSEval eq. 2; protocol 3).

In [0, 1] as DEGRESS is, but lower is better. A coefficient between two scores is the same between their
mirror images, and so are their stability and what a system left out changes: whatever is studied of EGISES
was studied of DEGRESS (`names.ScoreKind.studied`).
"""

from meta_eval.arrays import Numbers


def egises(degress: Numbers) -> Numbers:
    """EGISES of DEGRESS, of one value or of each in an array."""
    return 1.0 - degress
