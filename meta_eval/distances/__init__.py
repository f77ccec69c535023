"""Distances between the texts of a corpus: computed in shards, kept in a store, written as CSV."""
