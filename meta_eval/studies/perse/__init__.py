"""PerSE (Wang et al., EMNLP 2024): a language model that judges as one particular person would.

`cases.py` says what is judged and what is known of the person; `reading.py` and `released.py` read it;
`questions.py` asks; `baselines.py` judges without a model; `agreement.py` and `choices.py` compare with
the people; `summaries.py` makes a measure of summarisers of it.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "cases": ["ReviewCase", "with_profiles"],
        "comparisons": ["judge_comparisons", "summarise_comparisons"],
        "measuring": ["judge_summaries", "summarise_summaries"],
        "questions": ["comparison_questions", "review_questions"],
        "reading": ["read_comparisons", "read_reviews"],
        "reviews": ["judge_reviews", "summarise_reviews"],
        "runs": ["PerseRun", "read_run"],
        "summaries": ["SummaryPlan", "summary_questions"],
    },
)
