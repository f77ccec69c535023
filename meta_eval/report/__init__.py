"""What a report says: building it, its rows and tables, how sure it is, and published numbers beside it."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "building": ["ReportScores", "build_report", "report_on_scores"],
        "numbers": ["LATEX", "Medium", "PAGE", "PDF", "PLAIN"],
        "options": ["InferenceOptions", "ReportOptions"],
        "primary": ["Declaration", "Primary"],
        "reliability": ["correlate_records", "correlate_scores"],
        "view": ["View", "choose_view"],
    },
)
