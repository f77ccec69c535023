"""Distances that are kept, so that each pair of texts is compared once, whoever asks and however often."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "distance_store": ["DistanceStore", "SignatureStore"],
        "pairs": ["PairSet"],
        "upkeep": ["clean_store", "forget_texts", "store_info"],
    },
)
