"""What rankings hang on: documents drawn, systems left out, scores combined, positions on a page."""
