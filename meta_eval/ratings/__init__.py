"""Ratings of text pairs: one rating, tables of them, human divergences, a whole survey, checks of raters."""

from meta_eval.ratings.checks import separate_gold_by_rater
from meta_eval.ratings.divergences import HumanDivergences, human_divergences
from meta_eval.ratings.questionnaires import group_ratings
from meta_eval.ratings.rating import (
    RatedPair,
    Rating,
    human_divergence,
    order_readers,
    pool_ratings,
    rated_pair,
)
from meta_eval.ratings.responses import read_responses, write_responses
from meta_eval.ratings.rows import RATING_COLUMNS, rating_of_row, rating_row, ratings_hash, sort_ratings
from meta_eval.ratings.survey import Survey, rows_of_ratings, survey_of_ratings
from meta_eval.ratings.table import RatingTable, read_ratings

__all__ = [
    "RATING_COLUMNS",
    "HumanDivergences",
    "RatedPair",
    "Rating",
    "RatingTable",
    "Survey",
    "group_ratings",
    "human_divergence",
    "human_divergences",
    "order_readers",
    "pool_ratings",
    "rated_pair",
    "rating_of_row",
    "rating_row",
    "ratings_hash",
    "read_ratings",
    "read_responses",
    "rows_of_ratings",
    "separate_gold_by_rater",
    "sort_ratings",
    "survey_of_ratings",
    "write_responses",
]
