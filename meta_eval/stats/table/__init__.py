"""Tables of coefficients between many scores of either side, with interval, p and ceiling."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "ceiling": ["Ceiling", "Scope", "corpus_ceilings", "split_half_ceilings"],
        "inferred": ["InferredCorrelation", "find_interval", "infer_over_systems", "infer_table"],
        "joint": [
            "align_contributions",
            "align_sides",
            "align_systems",
            "over_common",
            "resample_both_sides",
            "table_axes",
        ],
        "pairwise": ["CompareOptions", "PairComparison", "PairedSamples", "compare_measures"],
        "resampled": ["INTERVALS", "RESAMPLED", "Resampled"],
        "schemes": ["RaterDraws", "TableSamples", "check_resampled", "place_in_families", "resample_table"],
        "shuffled": ["RatingShuffles", "ShuffledScores"],
        "simulated_ceiling": ["simulated_ceilings"],
    },
)
