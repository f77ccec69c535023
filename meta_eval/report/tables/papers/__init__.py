"""The tables of the papers, as the papers lay them out, filled with the numbers of a report."""
