"""A table of ratings: reading it with every fault named, and which rows count (protocol 6)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, GOLD, Corpus
from meta_eval.corpus.tables import as_corpus
from meta_eval.errors import wrong_type
from meta_eval.files.frames import Tabular, is_frame, is_readable
from meta_eval.files.headers import lacking_columns
from meta_eval.files.kinds import Kinds
from meta_eval.files.names import plain_name, spelled_otherwise
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.tables import TableRow
from meta_eval.files.values import count_of, name_problem, read_number
from meta_eval.files.workbooks import read_rows
from meta_eval.ratings.rating import HIGHEST, LOWEST, SIX_POINTS, Ends, RatedPair, Rating
from meta_eval.ratings.rows import RATING_COLUMNS, rating_of_row

if TYPE_CHECKING:
    from pandas import DataFrame

SET_APART = ("surplus", "marked", "excluded", "withdrawn")
"""What the column `state` of an export says of ratings that no score counts."""
COUNTED_STATES = ("", "submitted", "completed")
"""What it says of ratings that are counted; of any other word nobody knows what it means."""
_NO_CONTROL = ("", "false", "0", "no")
_NAMES = ("doc_id", "system", "reader_a", "reader_b", "rater")
_KINDS = Kinds(names=(*_NAMES, "state"))
_KNOWN = (
    "state",
    "control",
    "questionnaire",
    "position",
    "flipped",
    "simulated",
    "submitted_at",
    "copied_from",
)
"""Columns that a table may have besides, and that mean something here or on the site."""


MODEL_RATER = "model:"
"""With what the names of raters begin that are language models."""

OTHER_ENDS = "; if the scale has other ends, say so with lowest and highest"
"""What to do about whole numbers outside the scale, where whoever reads a table may choose its ends."""


@dataclass(frozen=True, slots=True, repr=False)
class RatingTable(Tabular):
    """The ratings of a file that count, the whole row of each, and how many rows do not count, by reason."""

    caption: ClassVar[str] = "Ratings that count"

    ratings: list[Rating]
    rows: list[Mapping[str, str]]
    left_out: Mapping[str, int] = field(default_factory=dict)
    ends: Ends = SIX_POINTS

    @property
    def taken(self) -> str:
        """How many rows were taken and how many were left, in one line."""
        return rows_taken(self.ratings, sum(self.left_out.values()))

    def brief(self) -> tuple[str, str]:
        return self.taken, f"from {self.ends.lowest} to {self.ends.highest}"

    def records(self) -> list[dict[str, Any]]:
        """One record a rating: `doc_id`, `system`, `reader_a`, `reader_b`, `rater`, `rating`."""
        return [asdict(rating) for rating in self.ratings]


def as_ratings(given: "RatingTable | Source | DataFrame", corpus: Corpus) -> RatingTable:
    """The ratings themselves, or what `read_ratings` reads of a path, stream or data frame.

    Raises TypeError for anything else, `InputError` as `read_ratings`.
    """
    if isinstance(given, RatingTable):
        return given
    if is_readable(given):
        return read_ratings(given, corpus)
    raise wrong_type("ratings", "a RatingTable, a path or a data frame", given)


def read_ratings(
    source: "Source | DataFrame",
    corpus: "Corpus | Source | DataFrame",
    *,
    name: str | None = None,
    fault_limit: int = DEFAULT_FAULT_LIMIT,
    lowest: int = LOWEST,
    highest: int = HIGHEST,
    models_only: bool = False,
) -> RatingTable:
    r"""Read a table of ratings with the columns of `RATING_COLUMNS`, and whatever others it has.

    Rows of control pairs, and those that were set apart (surplus, marked, excluded, withdrawn), are left out
    and counted: they enter no score.

    Parameters
    ----------
    source : path, binary stream or pandas.DataFrame
        A CSV or Parquet table, the first sheet of an Excel file, or a data frame.
    corpus : Corpus
        What the ratings are of.
    name : str, optional
        What faults call the file; default: its name.
    fault_limit : int
        How many faults are kept; the rest is counted.
    lowest, highest : int
        The ends of the scale: what could be given, whether or not anybody gave it.
    models_only : bool
        Of a file of people's and models' ratings take those of models; without it such a file is refused.

    Returns
    -------
    RatingTable
        `ratings`, the whole row of each, and how many rows do not count, by reason.

    Raises
    ------
    InputError
        With every row that does not fit the corpus or the scale, and with a system's pair that one rater
        rated twice (a gold pair may be: it stands in both questionnaires of a document).

    References
    ----------
    Protocol 6 and 11.

    Examples
    --------
    >>> from io import BytesIO
    >>> from meta_eval.corpus.documents import Document
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> corpus = Corpus((Document("d", "Weather", "", references),))
    >>> file = BytesIO(b"doc_id,system,reader_a,reader_b,rater,rating\nd,user,ann,bob,p,2\n")
    >>> read_ratings(file, corpus).ratings
    [Rating(doc_id='d', system='user', reader_a='ann', reader_b='bob', rater='p', rating=2)]
    """
    corpus, ends = as_corpus(corpus), Ends(lowest, highest)
    name = name or ("the data frame" if is_frame(source) else source_name(source))  # type: ignore[arg-type]
    faults = Faults(fault_limit)
    kept: list[Mapping[str, str]] = []
    left_out: Counter[str] = Counter()

    def counted() -> Iterator[TableRow]:
        for line, row in read_rating_rows(source, name, faults):
            if problem := state_problem(row):
                faults.add(name, line, problem)
            if reason := set_apart(row) or (_of_a_person(row) if models_only else ""):
                left_out[reason] += 1
            else:
                kept.append({column: value for column, value in row.items() if column})
                yield line, row

    ratings = keep_good_rows(counted(), corpus, name, faults, ends, remedy=OTHER_ENDS)
    return RatingTable(ratings, kept, left_out, ends)


def keep_good_rows(
    rows: Iterable[TableRow],
    corpus: Corpus,
    name: str,
    faults: Faults,
    ends: Ends = SIX_POINTS,
    *,
    remedy: str = "",
) -> list[Rating]:
    """Rows as ratings; raises `InputError` with every fault, those already in `faults` included.

    `remedy` ends what is said of a whole number that is not on the scale.
    """
    checker = _RatingChecker(corpus, ends, remedy)
    ratings = [rating for line, row in rows for rating in _keep_good(checker.check(row), name, line, faults)]
    if not ratings:
        faults.add_empty(name, "holds no ratings")
    if problem := _mixed_problem(ratings):
        faults.add(name, None, problem)
    faults.raise_if_any()
    return ratings


def _mixed_problem(ratings: Iterable[Rating]) -> str | None:
    """What is wrong with ratings that no score may pool: those of people and of language models."""
    kinds = {rating.rater.startswith(MODEL_RATER): rating.rater for rating in ratings}
    if len(kinds) < 2:
        return None
    return (
        f"holds ratings of people ({kinds[False]!r}) and of models ({kinds[True]!r}); keep each in a file of "
        "its own, or score the models' alone (human --models only): a model's ratings are never counted as a "
        "person's"
    )


def read_rating_rows(source: "Source | DataFrame", name: str, faults: Faults) -> Iterator[TableRow]:
    """The rows of a table of ratings, unchecked but for the kinds of their cells.

    Raises `InputError` for what is no table, and for a header that lacks a column.
    """
    return read_rows(source, name, faults, _header_problem, _KINDS, marked=True)


def _header_problem(header: Sequence[str]) -> str | None:
    problem = lacking_columns(header, RATING_COLUMNS, _KNOWN)
    if problem and header and header[0].startswith(("{", "[")):
        columns = ", ".join(RATING_COLUMNS)
        return (
            f"this is JSON; wanted is a CSV table of ratings, whose first line names the columns {columns}; "
            "of an export of Label Studio or Potato `python -m meta_eval import-ratings` makes one"
        )
    return problem


def set_apart(row: Mapping[str, str]) -> str:
    """Why a row counts in no score, as an export says it; empty for one that counts.

    A row with anything in `control` is of a pair that checks raters: it has no system and no readers.
    """
    if row.get("control", "").strip().lower() not in _NO_CONTROL:
        return "a control pair"
    state = _state(row)
    return state if state in SET_APART else ""


def state_problem(row: Mapping[str, str]) -> str | None:
    """What is wrong with what a row says of its rating's state; None where it is a state that is known."""
    if _state(row) in (*COUNTED_STATES, *SET_APART):
        return None
    known = ", ".join((*COUNTED_STATES[1:], *SET_APART))
    return f"state {row['state']!r} is no state of a rating; there are {known}"


def _state(row: Mapping[str, str]) -> str:
    return plain_name(row.get("state", "")).strip().lower()


def _of_a_person(row: Mapping[str, str]) -> str:
    """Why a row is none of a model's; empty for one that is."""
    return "" if row.get("rater", "").strip().startswith(MODEL_RATER) else "of a person"


def rows_taken(ratings: Sequence[Rating], left: int) -> str:
    """How many rows of a file were taken as ratings, of how many raters, and how many were left.

    Examples
    --------
    >>> rows_taken([Rating("d", "A", "ann", "bob", "p", 3)], 2)
    '3 rows: 1 rating by 1 rater taken, 2 left out'
    """
    raters = len({rating.rater for rating in ratings})
    return (
        f"{count_of(len(ratings) + left, 'row')}: {count_of(len(ratings), 'rating')} by "
        f"{count_of(raters, 'rater')} taken, {left:,} left out"
    )


def describe_left_out(left_out: Mapping[str, int]) -> Iterator[str]:
    """A line for each reason why rows of a file of ratings do not count."""
    for reason, count in sorted(left_out.items()):
        yield f"{count} row{'s' * (count > 1)} of the file left out: {reason}"


def _keep_good(checked: "Rating | list[str]", name: str, line: int, faults: Faults) -> Iterator[Rating]:
    if isinstance(checked, Rating):
        yield checked
        return
    for problem in checked:
        faults.add(name, line, problem)


def describe_unused_ends(ratings: Iterable[Rating], ends: Ends) -> Iterator[str]:
    """A line where an end of the scale never occurs, which may mean that the scale ends elsewhere.

    Examples
    --------
    >>> next(describe_unused_ends([Rating("d", "A", "ann", "bob", "p", value) for value in (1, 5)], Ends()))
    'nobody gave 6: the scale is taken to go from 1 to 6; if it ends elsewhere, say so with --highest'
    """
    given = {rating.rating for rating in ratings}
    for end, option in ((ends.lowest, "--lowest"), (ends.highest, "--highest")):
        if end not in given:
            taken = f"the scale is taken to go from {ends.lowest} to {ends.highest}"
            yield f"nobody gave {end}: {taken}; if it ends elsewhere, say so with {option}"


def _names(corpus: Corpus) -> Iterator[str]:
    yield from (document.id for document in corpus.documents)
    yield from (*corpus.readers, *corpus.systems)


class _RatingChecker:
    """Checks rows against the corpus and against each other."""

    def __init__(self, corpus: Corpus, ends: Ends, remedy: str) -> None:
        self._ends, self._remedy = ends, remedy
        self._documents = {document.id: document for document in corpus.documents}
        self._spelled = {plain_name(name): name for name in _names(corpus) if plain_name(name) != name}
        self._seen: dict[tuple[RatedPair, str], str] = {}

    def check(self, row: Mapping[str, str]) -> Rating | list[str]:
        """The rating, or everything wrong with the row."""
        values = {column: self._name(row[column]) for column in _NAMES}
        values["rating"] = row["rating"].strip()
        problems = [f"column {column} is empty" for column, value in values.items() if not value]
        if not problems:
            rater = name_problem(values["rater"])
            problems = [f"the rater's name {rater}"] if rater else []
            problems += [*self._pair_problems(values), *self._rating_problems(values["rating"])]
        if problems:
            return problems
        rating = rating_of_row(values)
        return self._repeated(rating, row["rater"].strip()) or rating

    def _name(self, cell: str) -> str:
        """The name in its plain form, or as the corpus has it where that is another."""
        plain = plain_name(cell).strip()
        return self._spelled.get(plain, plain)

    def _pair_problems(self, values: Mapping[str, str]) -> Iterator[str]:
        document = self._documents.get(values["doc_id"])
        if document is None:
            yield f"the corpus has no document {values['doc_id']!r}"
            return
        system, a, b = values["system"], values["reader_a"], values["reader_b"]
        if a == b:
            yield f"reader_a and reader_b are both {a!r}"
        for reader in (a, b):
            if reader not in document.references:
                yield f"document {document.id!r} has no reader {reader!r}"
            elif system != GOLD and reader not in document.summaries.get(system, {}):
                yield f"system {system!r} has no summary of document {document.id!r} for reader {reader!r}"

    def _repeated(self, rating: Rating, spelled: str) -> list[str]:
        key = (rating.pair, rating.rater)
        if rating.system != GOLD and key in self._seen:
            odd = spelled_otherwise(spelled) or spelled_otherwise(self._seen[key])
            more = f"; the name stands here once {odd}" if odd else ""
            return [f"rater {rating.rater!r} rated this pair of system {rating.system!r} before{more}"]
        self._seen[key] = spelled
        return []

    def _rating_problems(self, text: str) -> Iterator[str]:
        value = read_number(text)
        if value is None or value not in self._ends.steps:
            remedy = self._remedy if value is not None and value.is_integer() else ""
            lowest, highest = self._ends.lowest, self._ends.highest
            yield f"rating {text!r} is not a whole number from {lowest} to {highest}{remedy}"
