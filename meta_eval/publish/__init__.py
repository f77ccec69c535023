"""A report as what papers are made of: spreadsheet, LaTeX tables, methods and references, one PDF."""
