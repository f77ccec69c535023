"""A survey as its files show it: the plan, what raters were asked, and one row a rating."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.ratings.divergences import HumanDivergences, human_divergences
from meta_eval.ratings.rating import Rating, Scale, check_scale
from meta_eval.ratings.table import set_apart

COUNTED = "submitted"
"""What `state` says of ratings that scores count; those of `SET_APART` are shown and not counted."""

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """`plan` has `seed`, `systems` and `questionnaires`, `study` has `scale` and `raters` (per pair).

    `rows` have the columns of `RATING_COLUMNS` and, where it is known, `questionnaire`, `simulated` and
    `state`. A plan that was made from the ratings says so in `from_ratings`: it lacks what nobody rated.
    """

    plan: Mapping[str, Any]
    study: Mapping[str, Any]
    rows: tuple[Row, ...]

    @property
    def scale(self) -> Scale:
        return check_scale(self.study["scale"])

    @property
    def counted(self) -> list[Row]:
        """The rows that enter scores."""
        return [row for row in self.rows if not set_apart(row)]

    @property
    def ratings(self) -> list[Rating]:
        """Those that are counted, in order."""
        return sort_ratings(map(as_rating, self.counted))

    def divergences(self, min_raters: int | None) -> HumanDivergences:
        """Human divergences of the pairs with enough ratings."""
        full = self.study["raters"]
        return human_divergences(self.ratings, scale=self.scale, full=full, min_raters=min_raters)

    @property
    def plan_counts(self) -> dict[str, int]:
        """What was planned, as a report counts it."""
        planned, raters = self.plan["questionnaires"], self.study["raters"]
        return {
            "questionnaires": len(planned),
            "raters_per_questionnaire": raters,
            "completions_wanted": len(planned) * raters,
            "documents": len({questionnaire["document"] for questionnaire in planned}),
            "pairs": len(self._planned_pairs()),
        }

    @property
    def rating_counts(self) -> dict[str, Any]:
        """Who rated how much, as a report counts it; of simulated raters only if the rows say so."""
        rows = self.counted
        simulated = [row for row in rows if row.get("simulated") == "true"]
        return {
            "hash": ratings_hash(self.ratings),
            "ratings": len(rows),
            "completions": len({(row.get("questionnaire"), row["rater"]) for row in rows}),
            "raters": len({row["rater"] for row in rows}),
            "simulated_raters": len({row["rater"] for row in simulated}),
            "simulated_ratings": len(simulated),
        }

    @property
    def unrated_pairs(self) -> dict[str, int]:
        """Count of the planned pairs that nobody rated, where the plan can know them."""
        if self.plan.get("from_ratings"):
            return {}
        pairs = [rating.pair for rating in self.ratings]
        rated = {(pair.doc_id, pair.system, pair.reader_a, pair.reader_b) for pair in pairs}
        return {"pairs_unrated": len(self._planned_pairs() - rated)}

    def _planned_pairs(self) -> set[tuple[str, ...]]:
        return {
            (planned["document"], item["system"], *sorted((planned["reader_a"], planned["reader_b"])))
            for planned in self.plan["questionnaires"]
            for item in planned["items"]
        }


def survey_of_ratings(
    rows: Sequence[Row],
    *,
    scale: Scale,
    systems: Iterable[str],
    raters: int | None = None,
    question: str = "",
) -> Survey:
    """The survey of which only the ratings are known.

    Where the rows name no questionnaire, what was rated of a document and reader pair counts as one.
    `raters` is the full number of ratings a pair (default: the most that any system's pair has).
    """
    numbered = _number_questionnaires(rows)
    ratings = [as_rating(row) for row in numbered]
    full = human_divergences(ratings, scale=scale, full=raters, min_raters=1).full
    rated = {rating.system for rating in ratings}
    plan = {
        "seed": None,
        "from_ratings": True,
        "systems": [name for name in systems if name in rated],
        "questionnaires": list(_questionnaires(numbered)),
    }
    return Survey(
        plan=plan, study={"scale": scale, "raters": full, "question": question}, rows=tuple(numbered)
    )


def rows_of_ratings(ratings: Sequence[Rating], more: Sequence[Row] | None = None) -> list[Row]:
    """One row a rating that counts, with the further columns of `more`, which has as many rows."""
    further: Sequence[Row] = more if more is not None else [{} for _ in ratings]
    return [
        {
            **row,
            "doc_id": rating.doc_id,
            "system": rating.system,
            "reader_a": rating.reader_a,
            "reader_b": rating.reader_b,
            "rater": rating.rater,
            "rating": str(rating.rating),
            "state": COUNTED,
        }
        for rating, row in zip(ratings, further, strict=True)
    ]


def _number_questionnaires(rows: Sequence[Row]) -> list[Row]:
    if all(row.get("questionnaire") for row in rows):
        return list(rows)
    places = [(row["doc_id"], *sorted((row["reader_a"], row["reader_b"]))) for row in rows]
    numbers = {place: str(number) for number, place in enumerate(sorted(set(places)), start=1)}
    return [{**row, "questionnaire": numbers[place]} for row, place in zip(rows, places, strict=True)]


def _questionnaires(rows: Iterable[Row]) -> Iterable[dict[str, Any]]:
    found: dict[tuple[str, ...], dict[str, None]] = {}
    for row in rows:
        place = (row["questionnaire"], row["doc_id"], *sorted((row["reader_a"], row["reader_b"])))
        found.setdefault(place, {})[row["system"]] = None
    for (number, document, first, second), systems in sorted(found.items()):
        yield {
            "number": number,
            "document": document,
            "reader_a": first,
            "reader_b": second,
            "items": [{"system": system} for system in systems],
        }


def as_rating(row: Row) -> Rating:
    """The rating of a row whose values are known to be good."""
    return Rating(
        doc_id=row["doc_id"],
        system=row["system"],
        reader_a=row["reader_a"],
        reader_b=row["reader_b"],
        rater=row["rater"],
        rating=int(float(row["rating"])),
    )


def sort_ratings(ratings: Iterable[Rating]) -> list[Rating]:
    """In an order that depends on them alone, so that draws from them come out the same."""
    return [Rating(*row) for row in sorted(map(rating_row, ratings))]


def rating_row(rating: Rating) -> tuple[str, str, str, str, str, int]:
    """Document, system, both readers in order, rater, rating."""
    first, second = sorted((rating.reader_a, rating.reader_b))
    return rating.doc_id, rating.system, first, second, rating.rater, rating.rating


def ratings_hash(ratings: Iterable[Rating]) -> str:
    """SHA-256 of the canonical JSON of the sorted rows [document, system, reader, reader, rater, rating]."""
    rows = sorted(map(rating_row, ratings))
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
