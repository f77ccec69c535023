"""Whether a coefficient, or a difference between two, may be chance."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "adjustment": ["ADJUSTMENTS", "Adjustment", "adjust_p_values"],
        "comparison": [
            "MetricDifference",
            "Swap",
            "compare_by_bootstrap",
            "compare_by_permutation",
            "rank_clusters",
        ],
        "flips": ["confidences_both_ways", "draw_flips", "pair_confidences", "pair_p_values"],
        "permutation": ["PValue", "correlation_p_value"],
        "prompt_orders": ["OrderTest", "compare_orders", "compare_styles"],
        "shared": ["shared_permutation_p_values"],
        "shuffle_null": ["ShuffleNull", "compare_with_shuffles", "max_t_p_values"],
        "soft_accuracy": [
            "SoftAccuracy",
            "SoftDifference",
            "compare_soft_accuracies",
            "soft_accuracy_of",
            "soft_pairwise_accuracy",
        ],
        "williams": ["compare_by_williams"],
        "within": ["Matchings", "WithinFamilies", "correlation_within_families", "explained_by_families"],
    },
)
