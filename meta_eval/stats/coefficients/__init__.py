"""How alike two sides rank or score: coefficients over systems, documents, items and families."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "correlation": ["Correlation", "check_coefficients", "correlate"],
        "families": [
            "FamilyCorrelation",
            "correlate_within_families",
            "members_of",
            "name_families",
            "parse_families",
            "pool_within_families",
        ],
        "grouped": ["GROUPINGS", "Grouping", "calibrate_ties", "coefficients_by_group"],
        "items": ["ItemTable"],
        "levels": ["LevelCorrelation", "average_documents", "correlate_documents", "correlate_level"],
        "outliers": ["correlate_without_outliers"],
        "partial": ["correlate_given"],
        "registry": ["ALL_COEFFICIENTS", "COEFFICIENTS", "Coefficient", "MORE_COEFFICIENTS", "REGISTRY"],
        "repeated_kendall": ["kendall_of_repeats"],
        "rows": ["correlate_rows", "unit_rows"],
        "system_pairs": ["noticed_difference", "noticed_steps", "pair_accuracies"],
        "ties": ["constant_rows", "snap_ties"],
    },
)
