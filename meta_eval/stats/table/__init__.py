"""Tables of coefficients between many scores of either side, with interval, p and ceiling."""
