"""What is checked before a batch is launched: one rule a line of the launch page, as data.

A rule reads facts that others gather (`survey_site.desk.batches.launching.facts`), so that it can be read and
tested alone. An error blocks the launch; a warning has to be confirmed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from meta_eval.corpus.documents import GOLD
from meta_eval.design.telling import Telling
from meta_eval.stats.raters.precision import Assumptions
from survey_site.batches.effort import Effort

LEAST_SYSTEMS, ENOUGH_SYSTEMS = 3, 5
"""A correlation needs three systems; below five hardly any measure can be told from chance."""

FEW_HOURS = 2
"""Less raters' time than this is said in minutes, as beside the plan."""

MANY_EQUAL = 0.1
"""The share of pairs that raters meet twice from which they take it for a fault."""

MANY_OF_ONE_TEXT = 1 / 3
"""The share of pairs whose two texts are one and the same from which raters do little else than see that."""

TELLS_GOLD = 0.3
"""A rule that marks so much more of the gold pairs than of the systems' lets raters learn which is which."""


class Level(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    FINE = "fine"


@dataclass(frozen=True)
class EqualPairs:
    """Over the planned questionnaires, controls apart: `pairs` in all, `again` whose two texts another pair
    of the same page shows too, `same` whose two texts are one and the same; `spared` need no showing where
    equal pairs are shown once. `same_by`: who wrote at least as large a share of equal texts as would be too
    many. `look_alike`: pairs of `same` whose texts differ, and look the same in one typography."""

    pairs: int
    again: int
    same: int
    spared: int = 0
    same_by: tuple[str, ...] = ()
    look_alike: int = 0


@dataclass(frozen=True)
class Expected:
    """Kendall's tau that a good measure is expected to get, and where it lies in 95 % of such surveys."""

    tau: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class LaunchFacts:
    """What the rules read of a draft.

    window_ended: when its time window ended, in words; expected: None for too few systems; rate: the price of
    an hour of a rater's time, None where nobody said; untold: what the first page does not say of the study;
    unwritten: for each language what is not written in it; way_in: what is missing for people to get in or
    out, in sentences; same_texts: systems, and GOLD, who wrote the same on the planned documents; telling:
    how well a simple rule finds gold pairs as raters see them; previewed: whether whoever launches has seen a
    preview of the plan as it stands.
    """

    systems: int
    raters: int
    window_ended: str
    expected: Expected | None
    effort: Effort
    rate: float | None
    untold: Sequence[str]
    unwritten: Mapping[str, Sequence[str]]
    way_in: Sequence[str]
    equal: EqualPairs
    equal_pairs_once: bool
    same_texts: Sequence[Sequence[str]]
    telling: Telling | None
    one_typography: bool
    previewed: bool


Finding = tuple[Level, str]


@dataclass(frozen=True)
class Rule:
    """`page` and `place` say where it is mended: the name of a page of the batch, and an anchor on it."""

    title: str
    judge: Callable[[LaunchFacts], Finding]
    page: str
    place: str = ""
    link: str = "Change the plan"


def _systems(facts: LaunchFacts) -> Finding:
    count = f"{facts.systems} system{'' if facts.systems == 1 else 's'}"
    if facts.systems < LEAST_SYSTEMS:
        return Level.ERROR, (
            f"{count}. A correlation over fewer than {LEAST_SYSTEMS} systems says nothing, so no report "
            "could be made of the ratings. Choose more systems."
        )
    if facts.systems < ENOUGH_SYSTEMS:
        return Level.WARNING, (
            f"{count}. With fewer than {ENOUGH_SYSTEMS} a report orders the measures, but it can hardly tell "
            "any of them from chance, and none of them from another, however many documents are rated."
        )
    return Level.FINE, f"{count}."


def _raters(facts: LaunchFacts) -> Finding:
    if facts.raters == 1:
        return Level.WARNING, (
            "One rating for every pair: nothing can be said about how far raters agree, and a report has no "
            "ceiling to hold a measure against."
        )
    return Level.FINE, f"{facts.raters} different raters for every pair."


def _precision(facts: LaunchFacts) -> Finding:
    found = facts.expected
    if found is None:
        return Level.FINE, f"Not estimated for fewer than {LEAST_SYSTEMS} systems."
    said = (
        f"A measure whose true correlation is {Assumptions().correlation:g} gets a Kendall's tau of about "
        f"{found.tau:.2f}, and in 95 % of such surveys one from {found.low:.2f} to {found.high:.2f}"
    )
    if found.low <= 0:
        return Level.WARNING, f"{said}: a survey of this size may not tell it from chance."
    return Level.FINE, f"{said}."


def _time(facts: LaunchFacts) -> Finding:
    effort = facts.effort
    total = f"{effort.total_minutes:,} minutes" if effort.hours < FEW_HOURS else f"{effort.hours:,.1f} hours"
    hours = f"About {total} of raters' time, {effort.minutes_rounded} minutes a page"
    if facts.rate is None:
        return Level.FINE, f"{hours}. State below what an hour costs to see the price."
    return Level.FINE, f"{hours}: {effort.hours * facts.rate:,.2f} at {facts.rate:,.2f} an hour."


def _consent(facts: LaunchFacts) -> Finding:
    if facts.untold:
        return Level.WARNING, (
            f"The first page does not say: {', '.join(facts.untold)}. Ethics boards ask for all of them."
        )
    return Level.FINE, "The first page says who runs the study, whom to ask, its approval, and what is kept."


def _languages(facts: LaunchFacts) -> Finding:
    if not facts.unwritten:
        return Level.FINE, "Everything is written in every language of the batch."
    parts = [f"Not written in {name}: {', '.join(missing)}" for name, missing in facts.unwritten.items()]
    return Level.WARNING, (
        f"{'; '.join(parts)}. Raters read it in the language it is written in, and after the launch only the "
        "consent text can still be written."
    )


def _way_in(facts: LaunchFacts) -> Finding:
    if facts.way_in:
        return Level.WARNING, " ".join(facts.way_in)
    return Level.FINE, "Everybody who may take part gets in, and is shown the code that is due to them."


def _equal_pairs(facts: LaunchFacts) -> Finding:
    equal = facts.equal
    said = (
        f"{equal.again:,} of {equal.pairs:,} pairs show the same two texts as another pair of their page; in "
        f"{equal.same:,} both texts are the same{_by_typing(equal)}."
    )
    if equal.same > MANY_OF_ONE_TEXT * equal.pairs:
        names = _listed("the readers themselves" if name == GOLD else name for name in equal.same_by)
        return Level.WARNING, (
            f"{said} There raters can only say that equal texts are equal. Most of them are by {names}: "
            "choose other systems, or readers for whom these wrote differently."
        )
    if facts.equal_pairs_once and equal.spared:
        return Level.FINE, (
            f"{said} They are shown once, so raters answer {equal.spared:,} fewer. Time and price above "
            "count them all."
        )
    if equal.again >= MANY_EQUAL * equal.pairs:
        return Level.WARNING, (
            f"{said} Raters are told so, and rate each of them. The plan can show such pairs once."
        )
    return Level.FINE, said


def _by_typing(equal: EqualPairs) -> str:
    if not equal.look_alike:
        return ""
    return f", of which {equal.look_alike:,} differ in how they are typed alone"


def _same_texts(facts: LaunchFacts) -> Finding:
    if not facts.same_texts:
        return Level.FINE, "Every system wrote its own texts."
    said = [f"On the planned documents {'; '.join(map(_said_of_same, facts.same_texts))}."]
    if any(len({*group} - {GOLD}) > 1 for group in facts.same_texts):
        said.append("Systems with the same texts are one to a report.")
    if any(GOLD in group for group in facts.same_texts):
        said.append("No measure can tell the readers' own texts from the readers.")
    return Level.WARNING, " ".join(said)


def _said_of_same(authors: Sequence[str]) -> str:
    names = _listed(name for name in authors if name != GOLD)
    return f"{names} wrote the {'readers’ own' if GOLD in authors else 'same'} texts"


def _telling(facts: LaunchFacts) -> Finding:
    found = facts.telling
    if found is None:
        return Level.FINE, "There are no pairs to compare."
    threshold = f"{found.threshold:.3g}" if found.threshold < 100 else f"{found.threshold:,.1f}"
    side = "at least" if found.at_least else "less than"
    best = (
        f"of the pairs in which {found.feature} is {side} {threshold}, "
        f"{_percent(found.hits)} are gold ({_percent(found.by_chance)} by chance). Such are "
        f"{_percent(found.gold_share)} of the gold pairs and {_percent(found.others_share)} of the systems'."
    )
    if not found.is_sure or found.apart < TELLS_GOLD:
        return Level.FINE, f"No simple rule finds it well. The best: {best}"
    shown = (
        "All texts are shown in one typography, so that is how they look in it."
        if facts.one_typography
        else "The plan can show all texts of a page in one typography."
    )
    return Level.WARNING, f"Raters can learn which pair is the readers' own: {best} {shown}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _listed(names: Iterable[str]) -> str:
    *before, last = list(names) or [""]
    return f"{', '.join(before)} and {last}" if before else last


def _preview(facts: LaunchFacts) -> Finding:
    if facts.previewed:
        return Level.FINE, "You have seen a preview of the plan as it is now."
    return Level.WARNING, "You have not looked at a preview since the plan was last changed."


def _window(facts: LaunchFacts) -> Finding:
    if facts.window_ended:
        return Level.ERROR, f"It ended on {facts.window_ended}, so nobody could take part."
    return Level.FINE, "It has not ended."


RULES = (
    Rule("Systems", _systems, "batches:edit", "id_systems"),
    Rule("Raters", _raters, "batches:edit", "id_raters"),
    Rule("Precision", _precision, "quality:precision", link="Compare designs"),
    Rule("Time and price", _time, "quality:precision", link="Compare designs"),
    Rule("Time window", _window, "batches:edit", "id_closes_at"),
    Rule("Consent", _consent, "batches:participation", "before-title", "Say it in Taking part"),
    Rule("Languages", _languages, "batches:participation", "languages-title", "Write it in Taking part"),
    Rule("Way in and codes", _way_in, "batches:participation", "codes-title", "Change it in Taking part"),
    Rule("Equal pairs", _equal_pairs, "batches:edit", "id_equal_pairs_once"),
    Rule("Same texts", _same_texts, "batches:edit", "id_systems"),
    Rule("What tells the gold pair", _telling, "batches:edit", "id_one_typography"),
    Rule("Preview", _preview, "batches:preview", link="Look at the preview"),
)


@dataclass(frozen=True)
class Check:
    """What a rule says of a draft."""

    rule: Rule
    level: Level
    sentence: str


def check_launch(facts: LaunchFacts) -> list[Check]:
    """Every rule's finding: errors first, then warnings, each in the order of the rules."""
    found = [Check(rule, *rule.judge(facts)) for rule in RULES]
    return sorted(found, key=lambda one: list(Level).index(one.level))


def refuses(checks: Sequence[Check], *, confirmed: bool) -> bool:
    """Whether a draft with these checks is not launched: an error blocks, a warning has to be confirmed."""
    levels = {one.level for one in checks}
    return Level.ERROR in levels or (Level.WARNING in levels and not confirmed)
