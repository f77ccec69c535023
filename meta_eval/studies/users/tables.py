"""The tables of a report on summaries of users, as grids; and what they say in sentences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from meta_eval.report.numbers import PDF, estimate_text, interval_text, p_text
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.studies.users.comparing import FEW_USERS, MEASURES
from meta_eval.studies.users.decisions import DECISIONS

PER_WORDS = 100
"""IDM is shown for so many words: accuracy a word has too many zeros."""
ALPHA = 0.05
_SHOWN = {"own": "own summary", "none": "no summary", "other": "another user's"}

Record = Mapping[str, Any]


def scores_grid(scores: Sequence[Record]) -> Grid:
    """QM, IFM, IDM and accuracy of each approach, with intervals."""
    titles = ("Summaries", "Words", "QM", "IFM", f"IDM, {PER_WORDS} words", "Accuracy", "Chance")
    lines = [
        Line(
            heads=(one["approach"],),
            cells=(
                str(one["summaries"]),
                Cell(kind="score", value=one["words"], digits=1),
                *(_measured(one, name) for name in ("qm", "ifm", "idm", "accuracy")),
                Cell(value=one["chance"]),
            ),
        )
        for one in scores
    ]
    return Grid(
        name="scores",
        title="Scores of approaches",
        note="QM: share of good summaries. IFM: share within the limit of words. IDM: accuracy for every 100 "
        "words. Accuracy: share of tasks answered right. Below each estimate its 95 %, users resampled.",
        heads=("Approach",),
        columns=_columns(titles),
        lines=tuple(lines),
        below=True,
    )


def controls_grid(scores: Sequence[Record]) -> Grid:
    """Accuracy and QM beside those of no summary and of another user's."""
    titles = (
        "Own",
        "None",
        "Another's",
        "Own less another's",
        "p (Holm)",
        "QM own",
        "QM none",
        "QM another's",
    )
    lines = [
        Line(
            heads=(one["approach"],),
            cells=(
                Cell(value=one["accuracy"]),
                Cell(value=one["controls"]["none"]["accuracy"]),
                Cell(value=one["controls"]["other"]["accuracy"]),
                Cell(
                    value=one["over_other"]["difference"],
                    low=one["over_other"]["ci_low"],
                    high=one["over_other"]["ci_high"],
                ),
                Cell(kind="p", value=one["over_other"]["p_adjusted"]),
                Cell(value=one["qm"]),
                Cell(value=one["controls"]["none"]["qm"]),
                Cell(value=one["controls"]["other"]["qm"]),
            ),
        )
        for one in scores
    ]
    return Grid(
        name="controls",
        title="Accuracy beside the controls",
        note="What the model answers from the user's own summary, from none, and from another user's. A "
        "summary that is no better than another user's is not about its user.",
        heads=("Approach",),
        columns=_columns(titles),
        lines=tuple(lines),
        below=True,
    )


def kinds_grid(run: Record) -> Grid:
    """Accuracy by kind of task."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    kinds = list(dict.fromkeys(one["kind"] for one in run["tasks_by_kind"]))
    for one in run["tasks_by_kind"]:
        found.setdefault((one["approach"] or "all", one["shown"]), {})[one["kind"]] = one["accuracy"]
    lines = [
        Line(
            heads=(approach, _SHOWN[shown]),
            cells=tuple(Cell(value=of_kind.get(kind)) for kind in kinds),
        )
        for (approach, shown), of_kind in found.items()
    ]
    return Grid(
        name="kinds",
        title="Accuracy by kind of task",
        heads=("Approach", "The model saw"),
        columns=_columns(kinds),
        lines=tuple(lines),
    )


def log_scores_grid(run: Record) -> Grid:
    """How likely the model held the true option, where it was asked for probabilities; else without lines."""
    lines = [
        Line(
            heads=(one["approach"] or "all", _SHOWN[one["shown"]]),
            cells=(
                Cell(value=one["log_score"]),
                Cell(value=one["log_score_of_guessing"]),
                str(one["weighed"]),
                str(one["unlisted"]),
            ),
        )
        for one in run.get("log_scores") or ()
    ]
    return Grid(
        name="log_scores",
        title="Log scores: how likely the true option was to the model",
        note="The mean logarithm of the probability of the true option, 0 at best, beside that of guessing. "
        "Only answers whose probabilities are known (weighed). An option that the server did not list "
        "(unlisted) counts as one in a million.",
        heads=("Approach", "The model saw"),
        columns=_columns(("Log score", "Of guessing", "Weighed", "Unlisted")),
        lines=tuple(lines),
    )


def comparison_grid(comparisons: Sequence[Record]) -> Grid:
    """Differences between approaches on the same users."""
    lines = [
        Line(
            heads=(MEASURES[one["measure"]].split(",")[0], one["first"], one["second"]),
            cells=(
                str(one["users"]),
                Cell(
                    value=_scaled(one["difference"], one["measure"]),
                    low=_scaled(one["ci_low"], one["measure"]),
                    high=_scaled(one["ci_high"], one["measure"]),
                ),
                Cell(kind="p", value=one["p"]),
                Cell(kind="p", value=one["p_adjusted"]),
            ),
        )
        for one in comparisons
    ]
    return Grid(
        name="comparisons",
        title="Approaches on the same users",
        note="First less second, with 95 % (users resampled together), p by flipped signs of users, and "
        f"after Holm over the pairs of a measure. IDM for {PER_WORDS} words.",
        heads=("Measure", "First", "Second"),
        columns=_columns(("Users", "Difference", "p", "p (Holm)")),
        lines=tuple(lines),
        below=True,
    )


def agreement_grid(agreement: Sequence[Record]) -> Grid:
    """MAA beside what it must be read with."""
    titles = (
        "Summaries",
        "MAA",
        "Kappa",
        "Good by people",
        "Majority",
        "Both good",
        "Only metric",
        "Only people",
        "Both bad",
    )
    cells = ("true_positives", "false_positives", "false_negatives", "true_negatives")
    lines = [
        Line(
            heads=(one["approach"],),
            cells=(
                str(one["summaries"]),
                Cell(value=one["maa"], low=one["maa_ci_low"], high=one["maa_ci_high"]),
                Cell(value=one["kappa"], low=one["kappa_ci_low"], high=one["kappa_ci_high"]),
                Cell(value=one["good_share"]),
                Cell(value=one["majority_share"]),
                *(str(one[cell]) for cell in cells),
            ),
        )
        for one in agreement
    ]
    return Grid(
        name="agreement",
        title="The metric and people's labels",
        note="MAA: share of summaries of which both say the same. Good by people: what always saying good "
        "would reach; majority: what always saying the more frequent word would. Kappa: Cohen's.",
        heads=("Approach",),
        columns=_columns(titles),
        lines=tuple(lines),
        below=True,
    )


def decisions_grid() -> Grid:
    """Which decisions are the paper's, and which are ours."""
    lines = [Line(heads=(one.about,), cells=(one.decided, one.whose)) for one in DECISIONS]
    return Grid(
        name="decisions",
        title="Whose decisions these are",
        heads=("About",),
        columns=_columns(("Decided", "Whose")),
        lines=tuple(lines),
    )


def score_sentences(scores: Sequence[Record]) -> Iterator[str]:
    """What each approach reaches, and whether its summaries are about their users."""
    for one in scores:
        ends = one["intervals"]["qm"]
        within = interval_text(ends["low"], ends["high"], PDF)
        reached = (
            "no summary has enough answers"
            if one["qm"] is None
            else f"QM is {estimate_text(one['qm'], PDF)} (95 %: {within})"
        )
        yield f"{one['approach']}: {reached}. {_about_user(one['over_other'])}"


def cautions(scores: Sequence[Record], run: Record) -> Iterator[str]:
    """What speaks against reading too much into the numbers."""
    fewest = min(one["summaries"] for one in scores)
    if fewest < FEW_USERS:
        yield f"{fewest} users are few: with fewer than {FEW_USERS}, intervals hold less often than they say."
    for one in scores:
        control = one["controls"]["none"]["accuracy"]
        if control is not None and one["accuracy"] is not None and one["accuracy"] <= control:
            yield f"{one['approach']}: the model answers no better from the summary than without one."
    missing = run["questions"] - run["answered"]
    if missing:
        reasons = ", ".join(f"{count} {reason}" for reason, count in run["left_out"].items())
        yield f"{missing} of {run['questions']} answers are missing: {reasons}."
    for one in scores:
        for reason, count in one["left_out"].items():
            yield f"{one['approach']}: left out are {count} {reason}."


def _about_user(over: Record) -> str:
    if over["difference"] is None:
        return "Whether its summaries are about their users is not known: no other user's was shown."
    by = f"{estimate_text(over['difference'], PDF)} (p {_p(over['p_adjusted'])})"
    if over["p_adjusted"] is not None and over["p_adjusted"] < ALPHA and over["difference"] > 0:
        return (
            f"Its summaries are about their users: accuracy is above that of another user's summary by {by}."
        )
    return f"That its summaries are about their users is not shown: accuracy differs from another's by {by}."


def _p(value: float | None) -> str:
    text = p_text(value, PDF)
    return text if value is None or text.startswith("<") else f"= {text}"


def _measured(one: Record, name: str) -> Cell:
    ends = one["intervals"][name]
    values = (one[name], ends["low"], ends["high"])
    value, low, high = (_scaled(number, name) for number in values)
    return Cell(value=value, low=low, high=high)


def _scaled(value: float | None, measure: str) -> float | None:
    return value if value is None or measure != "idm" else value * PER_WORDS


def _columns(titles: Sequence[str]) -> tuple[Column, ...]:
    return tuple(Column(title=title) for title in titles)
