"""An admin lets a model rate a batch, in a browser: what leaves is shown and confirmed, then it is followed."""
