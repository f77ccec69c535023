"""How far raters agree, and how precise a plan of so many ratings will be."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "agreement": ["Agreement", "AgreementReport", "RatingCounts", "count_ratings", "measure_agreement"],
        "alternative": ["AlternativeTest", "alternative_annotator_test"],
        "as_measures": ["RaterAsMeasure", "raters_as_measures"],
        "components": ["Component", "variance_components"],
        "leanings": ["Leaning", "mean_over_clusters", "slope_over_clusters"],
        "power": ["Power", "simulate_power", "simulate_power_by_size"],
        "precision": ["Assumptions", "Precision", "SurveySize", "estimate_assumptions", "simulate_precision"],
        "prediction_powered": [
            "PredictionPowered",
            "expected_width",
            "prediction_powered_mean",
            "shrunk_correlation",
        ],
        "severity": ["RatingModel", "model_ratings"],
    },
)
