"""What rankings hang on: documents drawn, systems left out, scores combined, positions on a page."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "ablation": ["AblationPoint", "ablate_beta", "score_betas"],
        "aggregation": ["Aggregation", "Ranking", "aggregate_with_accuracy", "borda", "find_paradox"],
        "combination": ["combine_measures"],
        "pair_sampling": ["measure_pair_stability"],
        "position": ["PlacedRating", "PositionEffects", "PositionShift", "measure_position_effects"],
        "sensitivity": ["Sensitivity", "check_sensitivity", "leave_one_system_out"],
        "simultaneous": ["simultaneous_ranks"],
        "stability": ["Stability", "measure_stability"],
    },
)
