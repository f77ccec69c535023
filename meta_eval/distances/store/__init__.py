"""Distances that are kept, so that each pair of texts is compared once, whoever asks and however often."""
