"""Systems of a report that wrote the same texts: named, and one system in whatever takes systems for many."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.corpus.same_texts import group_authors, texts_by_author
from meta_eval.ratings.rating import Rating
from meta_eval.report.certainty import join


@dataclass(frozen=True, slots=True)
class SameTexts:
    """Systems that wrote the same, of which the first counts for all: it has the most ratings.

    `own`: theirs are the readers' own texts, then it may be one system alone. `rated_only`: they are the same
    on the rated documents, and others elsewhere.
    """

    systems: tuple[str, ...]
    own: bool = False
    rated_only: bool = False


def find_same_texts(
    corpus: Corpus, ratings: Iterable[Rating], systems: Collection[str]
) -> tuple[SameTexts, ...]:
    """Which of these systems of `corpus` wrote the same as another of them, or as the readers themselves."""
    written = texts_by_author(corpus)
    texts = {author: written[author] for author in (GOLD, *corpus.systems) if author in {GOLD, *systems}}
    ratings = list(ratings)
    documents, counts = {one.doc_id for one in ratings}, Counter(one.system for one in ratings)
    rated = {
        author: {at: text for at, text in own.items() if at[0] in documents} for author, own in texts.items()
    }
    everywhere = group_authors(texts)
    others = [one for one in group_authors(rated) if not any(set(one) <= set(same) for same in everywhere)]
    return tuple(_found(one, counts, rated_only=one in others) for one in (*everywhere, *others))


def _found(group: tuple[str, ...], counts: Counter[str], *, rated_only: bool) -> SameTexts:
    systems = sorted((name for name in group if name != GOLD), key=lambda name: (-counts[name], name))
    return SameTexts(tuple(systems), GOLD in group, rated_only)


def counted_with_others(found: Iterable[SameTexts], *, rated: bool = False) -> set[str]:
    """The systems for which another one counts; `rated`: over the rated documents alone."""
    return {name for one in found if rated or not one.rated_only for name in one.systems[1:]}


def same_texts_notes(found: Iterable[SameTexts]) -> list[str]:
    """A sentence for each group: whose texts are the same, and how they count."""
    return [_in_words(one) for one in found]


def _in_words(one: SameTexts) -> str:
    first, several = one.systems[0], len(one.systems) > 1
    where = " on the rated documents" if one.rated_only else ""
    same = " the same texts" if several else ""
    wrote = f"{same}{',' if several else ''} the readers' own texts" if one.own else same
    said = [f"{join(sorted(one.systems))} wrote{wrote}{where}."]
    if several and one.rated_only:
        said.append(f"Over rated pairs {first} counts for {_number(one)}; over the corpus each counts.")
    elif several:
        said.append(
            f"In coefficients, p, intervals and ranks {first} counts for {_number(one)}; each has its scores."
        )
    if one.own:
        said.append("No measure can tell them from the readers, so such scores say nothing of a measure.")
    return " ".join(said)


def _number(one: SameTexts) -> str:
    return "both" if len(one.systems) == 2 else f"all {len(one.systems)}"
