"""UserSumBench (Wang et al. 2024): is a summary of a user any good?

It is if it tells what the user does next.

`timelines` are what users did, in order; `tasks` ask about what they did last; `summarising` and `critique`
let a model write about the rest; `predicting` lets a model answer the tasks from that alone, `scoring` makes
`results` of the answers; `metrics` are QM, IFM and IDM; `agreement` sets them beside people's labels,
`comparing` sets approaches beside each other.
"""
