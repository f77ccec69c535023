"""Families of systems that nobody named, found in their texts and scores."""

from collections import Counter
from collections.abc import Iterable, Sequence

from meta_eval.corpus.documents import Corpus
from meta_eval.report.inference.table import JointTable
from meta_eval.report.schema import FoundFamilies
from meta_eval.scores.names import OWN_KINDS
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.resampling.families import GROUPS_BY, find_groups
from meta_eval.stats.resampling.samples import ScoreSample

ONE_TEXT, OWN_TEXTS = "one text for all readers", "a text for each reader"

LEAST_MEMBERS, LEAST_GROUPED = 2, 6
"""Fewer systems lie in groups by chance: the widest gap of five parts two or more from the others in one of
six draws from one normal population, of ten in one of thirty."""


def find_families(corpus: Corpus, table: JointTable) -> FoundFamilies | None:
    """The families in which systems fall by their texts or scores; None where they show none.

    Systems that write one text for all readers of each document of `corpus`, beside others that do not; else
    the groups (`find_groups`) that at least half of the human scores have, by surrogate, or else of the
    automatic ones, by measure.
    """
    same = one_text_systems(corpus, table.systems)
    if 0 < len(same) < len(table.systems):
        named = {name: ONE_TEXT if name in same else OWN_TEXTS for name in table.systems}
        return FoundFamilies("some systems write one text for all readers of a document", named)
    people = [ScoreId(kind.human, name) for kind in OWN_KINDS for name in table.surrogates]
    machines = [ScoreId(kind.automatic, name) for kind in OWN_KINDS for name in table.measures]
    for side, names in (("human", people), ("automatic", machines)):
        groups = _most_common(table.drawn.before_systems[name] for name in names)
        if groups:
            found = dict(zip(table.systems, groups, strict=True))
            return FoundFamilies(f"{GROUPS_BY[groups[0]]} in {side} scores", found)
    return None


def one_text_systems(corpus: Corpus, systems: Sequence[str]) -> set[str]:
    """The systems whose summaries of a document are the same text for all of its readers, wherever a document
    has two or more of them."""
    return {system for system in systems if _writes_one_text(corpus, system)}


def _writes_one_text(corpus: Corpus, system: str) -> bool:
    summaries = [document.summaries.get(system, {}) for document in corpus.documents]
    several = [texts for texts in summaries if len(texts) > 1]
    return bool(several) and all(len({*texts.values()}) == 1 for texts in several)


def _most_common(samples: Iterable[ScoreSample]) -> tuple[str, ...]:
    """The groups that at least half of the scores show, each large enough; () where none do."""
    found = [find_groups([(sample.observed, sample.resampled)]) for sample in samples]
    counted = Counter(groups for groups in found if _is_large_enough(groups))
    groups, count = counted.most_common(1)[0] if counted else ((), 0)
    return groups if 2 * count >= len(found) else ()


def _is_large_enough(groups: Sequence[str]) -> bool:
    return len(groups) >= LEAST_GROUPED and min(Counter(groups).values()) >= LEAST_MEMBERS
