"""What language models said of pairs, apart from what people said: answers, and the ratings they come to."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, Corpus
from meta_eval.files.json_files import read_json_lines
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.values import kind_of
from meta_eval.ratings.rating import SIX_POINTS, Ends, RatedPair, Rating, rated_pair
from meta_eval.ratings.table import MODEL_RATER, keep_good_rows, read_rating_rows

ORDERS = ("ab", "ba")
"""The text of the reader who sorts first stood first, or second."""

UNKNOWN = "unknown"
"""Reason of an answer that is missing without anybody having said why."""

ANSWER_COLUMNS = ("doc_id", "system", "reader_a", "reader_b", "rater", "order", "draw", "rating", "reason")


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """One answer about a pair: a whole `rating`, or None with the `reason` why there is none.

    `order` is of `ORDERS`, `draw` counts from 0; both are None where only the model's rating of the pair is
    known, which is the mean of its orders and draws as a whole number.
    """

    pair: RatedPair
    rating: int | None
    order: str | None = None
    draw: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """What a model said of one pair: the mean over orders and draws, None unless each order has an answer.

    `first` and `second` are the means of the two orders, `sd` the standard deviation over all `answers`.
    """

    pair: RatedPair
    mean: float | None
    first: float | None
    second: float | None
    sd: float | None
    answers: int


@dataclass(frozen=True, slots=True)
class ModelTable:
    """All that one model said: its name among raters, "model:NAME", and its answers."""

    rater: str
    answers: tuple[ModelAnswer, ...]

    @property
    def ratings(self) -> list[Rating]:
        """One whole rating a pair, of those that have one."""
        return whole_ratings(pool_answers(self.answers), self.rater)

    @property
    def knows_answers(self) -> bool:
        """Whether orders, draws and missing answers are known, not the ratings alone."""
        return any(answer.order for answer in self.answers)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """One row an answer, with the cells of `ANSWER_COLUMNS`."""
        for answer in self.answers:
            pair = answer.pair
            told = (answer.order, answer.draw, answer.rating, answer.reason)
            yield (pair.doc_id, pair.system, pair.reader_a, pair.reader_b, self.rater, *told)


def pool_answers(answers: Iterable[ModelAnswer]) -> list[JudgedPair]:
    """The pairs in the order in which they first occur, each with what the model said of it.

    Parameters
    ----------
    answers : iterable of ModelAnswer
        Of one model.

    Returns
    -------
    list of JudgedPair
        A pair that lacks an answer in one of the orders in which it was asked has no mean: half of it would
        lean to a side.

    Examples
    --------
    >>> pair = rated_pair("d", "A", "ann", "bob")
    >>> pool_answers([ModelAnswer(pair, 2, "ab", 0), ModelAnswer(pair, 5, "ba", 0)])[0].mean
    3.5
    """
    values: dict[RatedPair, dict[str, list[int]]] = defaultdict(dict)
    for answer in answers:
        orders = values[answer.pair].setdefault(answer.order or ORDERS[0], [])
        if answer.rating is not None:
            orders.append(answer.rating)
    return [_judged(pair, orders) for pair, orders in values.items()]


def _judged(pair: RatedPair, orders: Mapping[str, Sequence[int]]) -> JudgedPair:
    means = {order: fmean(given) if given else None for order, given in orders.items()}
    every = [value for given in orders.values() for value in given]
    found = [mean for mean in means.values() if mean is not None]
    return JudgedPair(
        pair,
        mean=fmean(found) if len(found) == len(orders) else None,
        first=means.get(ORDERS[0]),
        second=means.get(ORDERS[1]),
        sd=stdev(every) if len(every) > 1 else None,
        answers=len(every),
    )


def whole_ratings(judged: Iterable[JudgedPair], rater: str) -> list[Rating]:
    """The means as whole ratings of one rater; a half goes to the even number beside it.

    From 1 to 6 that is upwards for three of the five halves; `JudgedPair.mean` is the mean itself.

    Examples
    --------
    >>> pair = rated_pair("d", "A", "ann", "bob")
    >>> whole_ratings([JudgedPair(pair, 2.5, 2, 3, None, 2)], "model:m")[0].rating
    2
    """
    return [
        Rating(one.pair.doc_id, one.pair.system, one.pair.reader_a, one.pair.reader_b, rater, round(one.mean))
        for one in judged
        if one.mean is not None
    ]


def read_model_tables(
    source: Source,
    corpus: Corpus,
    *,
    name: str | None = None,
    ends: Ends = SIX_POINTS,
    fault_limit: int = DEFAULT_FAULT_LIMIT,
) -> tuple[ModelTable, ...]:
    r"""Read what models said, from any of three files.

    `answers.jsonl` of `judge pairs` and the `model-answers.csv` of a sealed report hold each answer;
    `ratings.csv` of `judge pairs` one rating a pair, from which position, draws and missing answers cannot
    be told.

    Parameters
    ----------
    source : path or binary stream
        JSON lines where the name ends in "jsonl", else a table.
    corpus : Corpus
        What the ratings are of.
    name : str, optional
        What faults call the file; default: its name.
    ends : Ends, optional
        The lowest and the highest rating.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    tuple of ModelTable
        One a model, in the order of the file.

    Raises
    ------
    InputError
        With every line that does not fit the corpus or the scale, for an answer that stands twice, and for
        ratings of people.

    Examples
    --------
    >>> from io import BytesIO
    >>> from meta_eval.corpus.documents import Document
    >>> corpus = Corpus((Document("d", "Weather", "", {"ann": "rain", "bob": "sun"}),))
    >>> file = BytesIO(b"doc_id,system,reader_a,reader_b,rater,rating\nd,user,ann,bob,model:m,2\n")
    >>> read_model_tables(file, corpus)[0].ratings[0].rating
    2
    """
    name = name or source_name(source)
    faults = Faults(fault_limit)
    if name.endswith("jsonl"):
        rows = list(_json_rows(source, name, faults))
    else:
        rows = [(line, dict(row)) for line, row in read_rating_rows(source, name, faults)]
    given: list[tuple[int, Mapping[str, str]]] = []
    answers: list[tuple[str, ModelAnswer]] = []
    seen: set[tuple[Any, ...]] = set()
    for line, row in rows:
        answer = _answer(row)
        key = (row["rater"].strip(), answer.pair, answer.order, answer.draw) if answer else ()
        if answer is None:
            faults.add(name, line, f"order is ab or ba and draw a whole number from 0, not {_told(row)}")
        elif key in seen:
            faults.add(name, line, "this answer stands in a line before")
        elif not row["rater"].strip().startswith(MODEL_RATER):
            faults.add(name, line, f"rater {row['rater']!r} is no model: its name does not begin with model:")
        else:
            seen.add(key)
            answers.append((row["rater"].strip(), answer))
            # The pair is checked by the one rule for ratings, the rating too where there is one.
            own = {**row, "rater": f"{row['rater'].strip()} {line}"}
            missing = answer.order is not None and not row["rating"].strip()
            given.append((line, {**own, "rating": str(ends.lowest)} if missing else own))
    keep_good_rows(given, corpus, name, faults, ends)
    by_model: dict[str, list[ModelAnswer]] = defaultdict(list)
    for rater, answer in answers:
        by_model[rater].append(answer)
    return tuple(ModelTable(rater, tuple(found)) for rater, found in by_model.items())


def _json_rows(source: Source, name: str, faults: Faults) -> Iterator[tuple[int, dict[str, str]]]:
    """The records of `answers.jsonl` as rows of text, as a table has them."""
    for line, record in read_json_lines(source, name, faults, "no answer of a model"):
        if isinstance(record, dict):
            yield line, {column: _cell(record.get(column)) for column in ANSWER_COLUMNS}
        else:
            faults.add(name, line, f"no answer of a model: must be an object, not {kind_of(record)}")


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def _told(row: Mapping[str, str]) -> str:
    return f"{row.get('order', '')!r} and {row.get('draw', '')!r}"


def _answer(row: Mapping[str, str]) -> ModelAnswer | None:
    """The answer of a row; None where its order or its draw is none. What is no rating is looked at later."""
    cells = {column: (row.get(column) or "").strip() for column in ANSWER_COLUMNS}
    pair = rated_pair(cells["doc_id"], cells["system"], cells["reader_a"], cells["reader_b"])
    rating = _whole(cells["rating"])
    if not cells["order"] and not cells["draw"]:
        return ModelAnswer(pair, rating)
    draw = _whole(cells["draw"])
    if cells["order"] not in ORDERS or draw is None or draw < 0:
        return None
    reason = None if cells["rating"] else cells["reason"] or UNKNOWN
    return ModelAnswer(pair, rating, cells["order"], draw, reason)


def _whole(text: str) -> int | None:
    try:
        return int(float(text)) if text else None
    except (ValueError, OverflowError):
        return None
