"""EGISES, a system's insensitivity to its readers: 1 - DEGRESS (PerSEval eq. 2; protocol 3).

In [0, 1] as DEGRESS is, but lower is better. A coefficient between two scores is the same between their
mirror images, and so are their stability and what a system left out changes: whatever is studied of EGISES
was studied of DEGRESS (`names.ScoreKind.studied`).
"""

from meta_eval.arrays import Numbers


def egises_of(degress: Numbers) -> Numbers:
    """EGISES of DEGRESS, of one value or of each in an array.

    Parameters
    ----------
    degress : float or array
        In [0, 1]; NaN where there is none.

    Returns
    -------
    float or array
        1 - `degress`, of the same shape; lower is better.

    References
    ----------
    PerSEval, eq. 2; Vansh et al., EGISES; protocol 3.

    Examples
    --------
    >>> egises_of(0.75)
    0.25
    """
    return 1.0 - degress
