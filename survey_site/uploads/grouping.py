"""Which ratings of a file stood on one page, and which pages were one questionnaire."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from meta_eval.corpus.documents import GOLD
from survey_site.uploads.files import UploadedRating


@dataclass(frozen=True)
class Page:
    """What one rater rated of one questionnaire, in the order of the file."""

    rater: str
    rows: list[UploadedRating] = field(default_factory=list)


@dataclass(frozen=True)
class Group:
    """One questionnaire: document, readers in the order of its first row, and the pages of its raters."""

    number: int
    document: str
    reader_a: str
    reader_b: str
    pages: Sequence[Page]

    @property
    def systems(self) -> list[str]:
        """Systems and gold, each once."""
        return list(dict.fromkeys(row.rating.system for page in self.pages for row in page.rows))


def group_ratings(rows: Iterable[UploadedRating], *, numbered: bool) -> list[Group]:
    """The questionnaires of a file.

    numbered: by the numbers that it gives. Else, of one document and reader pair, raters who rated the same
    set of items share a questionnaire; a rater's second rating of the gold pair is a page of its own, since
    it stood in another questionnaire of that document.
    """
    pages = _pages(rows, numbered)
    groups: dict[tuple[Hashable, ...], list[Page]] = {}
    for (place, _rater, part), page in pages.items():
        shared = part if numbered else (part, frozenset(row.rating.system for row in page.rows))
        groups.setdefault((place, shared), []).append(page)
    numbers = _numbers(groups, numbered)
    found = [_group(number, own) for number, own in zip(numbers, groups.values(), strict=True)]
    return sorted(found, key=lambda one: one.number)


def _pages(
    rows: Iterable[UploadedRating], numbered: bool
) -> dict[tuple[tuple[str, str, str], str, int | None], Page]:
    pages: dict[tuple[tuple[str, str, str], str, int | None], Page] = {}
    golds: Counter[Hashable] = Counter()
    for row in rows:
        pair, rater = row.rating.pair, row.rating.rater
        place = (pair.doc_id, pair.reader_a, pair.reader_b)
        part = row.columns.questionnaire if numbered else 0
        if not numbered and pair.system == GOLD:
            part = golds[place, rater]
            golds[place, rater] += 1
        pages.setdefault((place, rater, part), Page(rater)).rows.append(row)
    return pages


def _numbers(groups: Iterable[tuple[Hashable, ...]], numbered: bool) -> list[int]:
    """The file's numbers where each means one questionnaire, else 1, 2, .. in the order of the file."""
    keys = list(groups)
    given = [key[1] for key in keys] if numbered else []
    if given and len(set(given)) == len(given):
        return [int(str(number)) for number in given]
    return list(range(1, len(keys) + 1))


def _group(number: int, pages: Sequence[Page]) -> Group:
    first = pages[0].rows[0].rating
    return Group(number, first.doc_id, first.reader_a, first.reader_b, pages)
