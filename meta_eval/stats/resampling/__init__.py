"""Drawing documents, raters and systems again, and intervals from what comes out."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "bootstrap": ["CorrelationBootstrap", "bootstrap_correlation", "make_interval", "replicates_p_value"],
        "closed_form": ["concordance_interval", "esscher_interval", "fisher_interval"],
        "documents": ["resample_documents"],
        "drawn_raters": ["pool_raters", "resample_raters"],
        "families": ["find_groups"],
        "intervals": [
            "Alternative",
            "Interval",
            "IntervalMethod",
            "bca_interval",
            "bootstrap_p_value",
            "mid_interval",
            "percentile_interval",
            "tail_p_value",
            "wider_interval",
        ],
        "noticed": ["NoticedInterval", "noticed_interval"],
        "raters": ["RaterPanel", "build_panel"],
        "rescoring": ["PanelScorer"],
        "samples": ["DEFAULT_RESAMPLES", "RaterPool", "ScoreSample", "fixed_score", "resample_systems"],
        "shuffling": ["DEFAULT_SHUFFLES", "RatersPartScorer", "shuffle_divergences", "shuffle_scores"],
        "weights": ["draw_weights", "left_out_scores", "mean_scores", "weighted_scores"],
    },
)
