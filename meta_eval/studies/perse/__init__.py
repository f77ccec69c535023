"""PerSE (Wang et al., EMNLP 2024): a language model that judges as one particular person would.

`cases.py` says what is judged and what is known of the person; `reading.py` and `released.py` read it;
`questions.py` asks; `baselines.py` judges without a model; `agreement.py` and `choices.py` compare with
the people; `summaries.py` makes a measure of summarisers of it.
"""
