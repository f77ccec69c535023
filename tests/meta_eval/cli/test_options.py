"""The choices of the command line are the library's vocabularies, and each of their values is explained."""

from typing import get_args

import pytest
from typer.main import get_command

from meta_eval.cli import app
from meta_eval.cli.options import choices, plain
from meta_eval.distances.computing import NORMALISE, Normalise
from meta_eval.measures.base import MODES, PREPROCESS, Mode, Preprocess
from meta_eval.ratings.rating import SCALES, Scale
from meta_eval.scores.names import AS_SHOWN, HUMAN_SCORES, SCORE_NAMES, SCORES, ScoreName
from meta_eval.stats.significance.adjustment import ADJUSTMENTS, Adjustment
from meta_eval.stats.table.resampled import RESAMPLED, Resampled


@pytest.mark.parametrize(
    ("vocabulary", "rows"),
    [
        (Normalise, NORMALISE),
        (Mode, MODES),
        (Preprocess, PREPROCESS),
        (Scale, SCALES),
        (Adjustment, ADJUSTMENTS),
        (Resampled, RESAMPLED),
        (ScoreName, SCORES),
    ],
)
def test_each_value_of_a_vocabulary_has_one_row(vocabulary, rows):
    assert get_args(vocabulary) == tuple(rows)


def test_options_that_may_be_repeated_take_the_same_values():
    kind = choices(Resampled)
    assert [one.value for one in kind] == list(get_args(Resampled))
    assert plain([kind("raters within documents")]) == ("raters within documents",)
    assert type(plain([kind("raters")])[0]) is str


def test_scores_name_their_human_twins_and_what_they_mirror():
    assert HUMAN_SCORES == ("degress_hj", "egises_hj", "perseval_hj")
    assert sorted(AS_SHOWN) == sorted(SCORE_NAMES)
    assert [(name, SCORES[name].mirrors) for name in SCORE_NAMES if SCORES[name].mirrors] == [
        ("egises", "degress")
    ]


SHARED = ("store", "replies", "dry_run", "batch", "attempts", "max_requests", "max_tokens_total", "max_cost",
          "per_minute", "price_in", "price_out")  # fmt: skip


@pytest.mark.parametrize(
    "words",
    ["generate", "judge pairs", "judge reviews", "judge comparisons", "judge summaries", "users summarise",
     "users score"],
)  # fmt: skip
def test_every_command_that_asks_models_has_the_same_options_in_one_order(words):
    command = get_command(app)
    for word in words.split():
        command = command.commands[word]
    names = [one.name for one in command.params]
    first = names.index("store")
    assert tuple(names[first : first + len(SHARED)]) == SHARED
    assert "how" not in names
