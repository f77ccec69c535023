"""How sure a report is: intervals, p-values, ceilings, and what else its inputs can tell."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "infer": ["CertainCorrelations", "infer_report"],
        "inputs": ["InferenceInputs"],
        "judging": ["Judge", "Judging"],
        "stand_in": ["ModelInputs", "StandInOptions", "look_at_models"],
    },
)
