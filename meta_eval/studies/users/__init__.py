"""UserSumBench (Wang et al. 2024): is a summary of a user any good?

It is if it tells what the user does next.

`timelines` are what users did, in order; `tasks` ask about what they did last; `summarising` and `critique`
let a model write about the rest; `predicting` lets a model answer the tasks from that alone, `scoring` makes
`results` of the answers; `metrics` are QM, IFM and IDM; `agreement` sets them beside people's labels,
`comparing` sets approaches beside each other.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "agreement": ["Label", "agree_with_people", "read_labels"],
        "comparing": ["Resampling", "compare_approaches"],
        "critique": ["Critique", "summarise_critically"],
        "datasets": ["corpus_timelines", "read_data_set"],
        "predicting": ["match_tasks", "prediction_questions"],
        "results": ["Results", "read_results"],
        "scoring": ["Setting", "score_summaries"],
        "summaries": ["Summary", "read_summaries"],
        "summarising": ["Approach", "Size", "summarise_single"],
        "tasks": ["make_tasks", "read_tasks"],
        "timelines": ["Timeline", "read_timelines"],
    },
)
