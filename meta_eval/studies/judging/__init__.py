"""A language model as a rater: asked what raters are asked, pair by pair, its ratings in own files."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "pairs": ["AskedPair", "corpus_pairs", "pair_questions"],
        "running": ["ModelRatings", "rate_pairs"],
        "stand_in": ["compare_with_people"],
        "wording": ["Wording", "default_wording", "study_wording"],
    },
)
