"""The figures of a report, drawn alike for the web page, the PDF and as files; needs no web site."""
