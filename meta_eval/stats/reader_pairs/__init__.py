"""What two readers have over the documents that both wrote for.

`pairs` gathers it; `deviation` asks whether two measures see the same readers as served apart; `samples`
draws shares of the pairs, and readers for intervals.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "deviation": ["FORMS", "Form", "PairDeviations", "Weight", "deviations_by_pair", "study_deviations"],
        "pairs": ["CoReaders", "means_by_pair"],
        "samples": ["Sampling", "coefficient_records"],
    },
)
