"""Ratings of text pairs: one rating, tables of them, human divergences, a whole survey, checks of raters."""
