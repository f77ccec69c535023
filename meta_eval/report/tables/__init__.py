"""Every table of a report, laid out once as a grid of cells; pages, PDF, LaTeX and figures draw it."""
