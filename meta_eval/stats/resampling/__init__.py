"""Drawing documents, raters and systems again, and intervals from what comes out."""
