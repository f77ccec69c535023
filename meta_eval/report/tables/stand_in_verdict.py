"""May a model stand in for one of these raters? The alternative annotator test, as a table and in words."""

from collections.abc import Sequence

from meta_eval.report.schema import StandIn
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.stats.raters.agreement_sums import ALPHA

BY_CHANCE = "people agree no more than by chance"
SHARED_ERRORS = (
    "The test takes pairs as independent: where raters' errors are shared within six documents, a model as "
    "good as a rater wins up to 16 % of tests instead of 5 % (250 simulations)."
)


def model_name(one: StandIn) -> str:
    """Without what marks it as a model among raters."""
    return one.rater.partition(":")[2]


def lay_out_test(found: Sequence[StandIn]) -> Grid:
    """A line a model; nothing is decided where people agree no more than by chance."""
    tests = [(one, one.alternative_annotator_test) for one in found]
    reasons = dict.fromkeys(f"{model_name(one)}: {why}." for one in found if (why := _undecided(one)))
    expert = (
        " One rater's ratings count as right (the single-expert variant)."
        if any(test.variant == "single expert" for _, test in tests)
        else ""
    )
    return Grid(
        name="stand_in_test",
        title="The alternative annotator test",
        note=(
            "Each rater is left out in turn: is the model at least as close to the others? ω is the share of "
            "raters that it beats once it is granted ε (one-sided, adjusted by Benjamini and Yekutieli), ρ "
            f"its mean advantage; it passes at ω ≥ 0.5 (Calderon et al. 2025).{expert} {SHARED_ERRORS}"
        ),
        heads=("Model",),
        columns=tuple(
            Column(title=title, key=key)
            for title, key in (
                ("ω", "winning_rate"),
                ("ρ", "advantage"),
                ("ε", "epsilon"),
                ("Raters", "raters"),
                ("Pairs", "items"),
                ("Passes", "passes"),
            )
        ),
        lines=tuple(
            Line(
                heads=(model_name(one),),
                key=one.rater,
                cells=(
                    Cell(kind="score", value=test.winning_rate, reason=test.reason, digits=2),
                    Cell(kind="score", value=test.advantage, reason=test.reason, digits=2),
                    Cell(kind="score", value=test.epsilon, digits=2),
                    f"{len(test.raters)} of {len(test.raters) + test.too_few}",
                    str(test.items),
                    _verdict(one),
                ),
            )
            for one, test in tests
        ),
        remarks=tuple(reasons),
    )


def _undecided(one: StandIn) -> str | None:
    """Why the test decides nothing of this model; None where it does."""
    test = one.alternative_annotator_test
    if test.passes is None:
        return test.reason
    return BY_CHANCE if one.agreement_of_people.may_be_chance else None


def _verdict(one: StandIn) -> str:
    passes = one.alternative_annotator_test.passes
    why = _undecided(one)
    if why == BY_CHANCE:
        return f"not decided: {why}"
    return "not decided" if why else "yes" if passes else "no"


def stand_in_sentence(one: StandIn) -> str:
    """What the tables come to for one model, in words."""
    test = one.alternative_annotator_test
    ours, theirs = (
        next((row.estimate for row in side.coefficients if row.coefficient == ALPHA), None)
        for side in (one.agreement_with_people, one.agreement_of_people)
    )
    beside = (
        ""
        if ours is None or theirs is None
        else f" It agrees with people at alpha {ours:.2f}, people with each other at {theirs:.2f}."
    ).replace("-", "−")
    if why := _undecided(one):
        return f"Whether {model_name(one)} may stand in for a rater is not decided: {why}.{beside}"
    verdict = "may stand in for one of these raters" if test.passes else "may not stand in for these raters"
    return (
        f"{model_name(one)} {verdict} on these texts: it beats {100 * (test.winning_rate or 0):.0f} % of "
        f"them at ε = {test.epsilon:g}.{beside}"
    )
