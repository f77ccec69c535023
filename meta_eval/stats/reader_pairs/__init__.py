"""What two readers have over the documents that both wrote for.

`pairs` gathers it; `deviation` asks whether two measures see the same readers as served apart; `samples`
draws shares of the pairs, and readers for intervals.
"""
