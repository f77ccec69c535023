"""Language models: questions with typed answers, asked once, kept, and read strictly.

A `Question` is asked of a `Model` (`http`, `local` or `replay`); its `Form` says what an answer may be. What
cannot be read stays missing, with its reason. Nothing here is imported before a model is named.
"""
