"""DEGRESS, EGISES, PerSEval and what is kept beside them for comparison (protocol 3 to 5)."""
